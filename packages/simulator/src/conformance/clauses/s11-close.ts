// S11: after close, calls fail with a clear error; every call settles within the operation timeout.

import type { MultiKeyStore, SweepableStore, TransactionalStore } from "@onceproof/core/advanced";
import { check, rejectsWith, same } from "../checks.js";
import type { CaseDefinition } from "../definition.js";

export const s11: readonly CaseDefinition[] = [
  {
    id: "S11.1-closed",
    law: "after close, reads and writes reject with StoreError closed",
    async run(lab) {
      const { stamp } = await lab.seed("k");
      await lab.store.close();
      await rejectsWith(lab.read("k"), "closed", "a read after close");
      await rejectsWith(lab.create("l"), "closed", "a create after close");
      await rejectsWith(lab.stamped("k", stamp, "removed"), "closed", "a removal after close");
    },
  },
  {
    id: "S11.2-closed-capabilities",
    law: "after close, the calls of optional capabilities reject with StoreError closed",
    async run(lab) {
      const store: Partial<MultiKeyStore & TransactionalStore<unknown> & SweepableStore> =
        lab.store;
      await lab.store.close();
      const { key, expect, next } = lab.createWrite("k");
      const calls = {
        writeAll: store.writeAll?.({ opId: lab.opId(), writes: [{ key, expect, next }] }),
        transaction: store.transaction?.(async () => {}),
        sweep: store.sweep?.({ limit: 1 }),
      };
      for (const [name, call] of Object.entries(calls)) {
        if (call !== undefined) {
          await rejectsWith(call, "closed", `${name} after close`);
        }
      }
    },
  },
  {
    id: "S11.3-peer",
    law: "closing one client leaves the others open",
    needs: ["peer"],
    async run(lab) {
      await lab.seed("k", "value");
      await lab.store.close();
      same((await lab.peer.read("k")).entry?.value, "value", "what the other client reads");
    },
  },
  {
    id: "S11.4-in-flight",
    law: "calls in flight at close settle within the operation timeout",
    async run(lab) {
      const calls = [lab.read("k"), lab.create("k"), lab.read("l"), lab.create("l")];
      const settled = Promise.allSettled([...calls, lab.store.close()]);
      await lab.settles(settled, "calls in flight at close");
    },
  },
  {
    id: "S11.5-settles",
    law: "a call that gets no reply settles within the operation timeout",
    needs: ["loseRequest"],
    async run(lab) {
      await lab.fixture.loseRequest?.();
      await lab.settles(lab.create("k"), "a write that gets no reply");
      await lab.fixture.loseRequest?.();
      await lab.settles(Promise.allSettled([lab.read("k")]), "a read that gets no reply");
    },
  },
  {
    id: "S11.6-declares",
    law: "the store declares its limits as numbers that can be held",
    async run(lab) {
      const { operationTimeoutMs, tombstoneMs, ttlGranularityMs } = lab.store.capabilities;
      for (const [name, ms] of Object.entries({ operationTimeoutMs, tombstoneMs })) {
        check(Number.isFinite(ms) && ms > 0, `${name} must be a positive number`, ms);
      }
      check(ttlGranularityMs >= 0, "ttlGranularityMs must be a number", ttlGranularityMs);
    },
  },
];
