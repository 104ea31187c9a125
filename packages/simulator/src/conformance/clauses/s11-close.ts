// S11: after close, calls fail with a clear error; every call settles within the operation timeout.

import type { MultiKeyStore, SweepableStore, TransactionalStore } from "@onceproof/core/advanced";
import { check, codeIs, rejectsWith, same } from "../checks.js";
import type { CaseDefinition } from "../definition.js";
import type { Lab } from "../lab.js";

/** Fails unless a call after close rejects with `closed`, soon. */
async function closed(lab: Lab, call: Promise<unknown>, what: string): Promise<void> {
  await rejectsWith(lab.settles(call, `${what} after close`), "closed", `${what} after close`);
}

/** Many calls of every kind at once: more than a pool has connections. */
function manyCalls(lab: Lab): Promise<unknown>[] {
  return [...Array(24).keys()].map((call) =>
    call % 2 === 0 ? lab.read(`k${call}`) : lab.create(`k${call}`),
  );
}

const ATTEMPTS_TO_RECOVER = 40;
const BETWEEN_ATTEMPTS_MS = 100;

/** Fails unless the client is answered again before long. */
async function answersAgain(lab: Lab): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS_TO_RECOVER; attempt += 1) {
    const read = lab.settles(lab.read("k"), "a read after the server went on");
    const answered = await read.then(
      () => true,
      () => false,
    );
    if (answered) {
      return;
    }
    await lab.sleep(BETWEEN_ATTEMPTS_MS);
  }
  check(false, `none of ${ATTEMPTS_TO_RECOVER} reads was answered after the server went on`);
}

export const s11: readonly CaseDefinition[] = [
  {
    id: "S11.1-closed",
    law: "after close, reads and writes reject with StoreError closed",
    async run(lab) {
      const { stamp } = await lab.seed("k");
      await lab.store.close();
      await closed(lab, lab.read("k"), "a read");
      await closed(lab, lab.create("l"), "a create");
      await closed(lab, lab.stamped("k", stamp, "removed"), "a removal");
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
          await closed(lab, call, name);
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
      await lab.settles(Promise.allSettled([lab.create("k")]), "a write that gets no reply");
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
  {
    id: "S11.7-stall",
    law: "while the server stalls every call settles within the operation timeout, and is answered by the same client once the server goes on",
    needs: ["stall"],
    async run(lab) {
      await lab.seed("k");
      await lab.whileStalled(async () => {
        const calls = Promise.allSettled(manyCalls(lab));
        await lab.settles(calls, "many calls of a server that stalls");
        // Some stores read without their server's help; one that does not says so.
        const read = lab.settles(lab.read("k"), "a read from a server that stalls");
        const error: unknown = await read.then(
          () => undefined,
          (thrown) => thrown,
        );
        check(
          error === undefined || codeIs(error, "unavailable"),
          "such a read must say so",
          error,
        );
      });
      await answersAgain(lab);
    },
  },
  {
    id: "S11.8-close-stalled",
    law: "close and the calls in flight settle within the operation timeout while the server stalls",
    needs: ["stall"],
    async run(lab) {
      await lab.seed("k");
      await lab.whileStalled(async () => {
        const settled = Promise.allSettled([...manyCalls(lab), lab.store.close()]);
        await lab.settles(settled, "close and the calls in flight");
        await closed(lab, lab.read("k"), "a read");
      });
    },
  },
];
