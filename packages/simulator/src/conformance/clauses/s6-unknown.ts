// S6: a write whose reply does not come is `unknown`, and the same opId finds out what became of
// it. Needs a harness that can lose messages.

import type { Write, WriteResult } from "@onceproof/core/advanced";
import { applied, ConformanceError, check, rejectsWith, same } from "../checks.js";
import type { CaseDefinition } from "../definition.js";
import type { Lab } from "../lab.js";

/** Sends a write whose reply is lost, and again; the second send must find that it was applied. */
async function lostReply(lab: Lab, write: Write, what: string): Promise<void> {
  await lab.fixture.loseReply?.();
  const result = await lab.settles(lab.store.write(write), `${what} whose reply is lost`);
  same(result.outcome, "unknown", `${what} whose reply is lost`);
  const again = applied(await lab.store.write(write), `${what}, sent again,`);
  check(again.replayed, `${what}, sent again, must be recognised`, again);
}

/**
 * Sends a write while the server stalls, and again when it goes on. Fails if it is answered by
 * anything but `unknown`, or rejects and was carried out, or is not found to have applied once.
 */
async function stalled(lab: Lab, write: Write, what: string): Promise<void> {
  const result = await lab.whileStalled(async () => {
    const sent = lab.settles(lab.store.write(write), `${what} sent while the server stalls`);
    return sent.catch((error: unknown) => error);
  });
  const code = (result as { code?: unknown }).code;
  if (result instanceof Error) {
    check(code === "unavailable", `${what} may reject only with StoreError unavailable`, result);
  } else {
    same((result as WriteResult).outcome, "unknown", `${what} sent while the server stalls`);
  }
  const again = await knownOutcome(lab, write, what);
  check(again.outcome === "applied", `${what}, sent again, must be applied`, again);
  const did = result instanceof Error && again.replayed;
  check(!did, `${what} rejected, which says that it did nothing, and was carried out`);
}

const SENDS = 40;

/** Sends a write until it is answered. */
async function knownOutcome(lab: Lab, write: Write, what: string): Promise<WriteResult> {
  for (let send = 1; send <= SENDS; send += 1) {
    const sent = lab.settles(lab.store.write(write), `${what}, sent again,`);
    const result = await sent.catch(() => undefined);
    if (result !== undefined && result.outcome !== "unknown") {
      return result;
    }
    await lab.sleep(100);
  }
  throw new ConformanceError(`${what}, sent ${SENDS} times, was never answered`);
}

export const s6: readonly CaseDefinition[] = [
  {
    id: "S6.1-lost-reply",
    law: "a create whose reply is lost is unknown, and the same opId finds that it was applied",
    needs: ["loseReply"],
    async run(lab) {
      const write = lab.createWrite("k", "value", 60_000);
      await lostReply(lab, write, "a create");
      same((await lab.read("k")).entry?.stamp.opId, write.opId, "the opId of the entry");
    },
  },
  {
    id: "S6.2-lost-reply-stamped",
    law: "a write under a stamp whose reply is lost is unknown, whatever its kind",
    needs: ["loseReply"],
    async run(lab) {
      const next = { value: "second", ttlMs: "never" } as const;
      const set = await lab.seed("set");
      await lostReply(lab, lab.stampedWrite("set", set.stamp, next), "a compare-and-set");
      const touched = await lab.seed("touched");
      const touch = { touch: true, ttlMs: 60_000 } as const;
      await lostReply(lab, lab.stampedWrite("touched", touched.stamp, touch), "a touch");
      const removed = await lab.seed("removed");
      await lostReply(lab, lab.stampedWrite("removed", removed.stamp, "removed"), "a removal");
    },
  },
  {
    id: "S6.3-lost-request",
    law: "a write whose request is lost is unknown, and the same opId applies it once",
    needs: ["loseRequest"],
    async run(lab) {
      const write = lab.createWrite("k");
      await lab.fixture.loseRequest?.();
      const result = await lab.settles(lab.store.write(write), "a write whose request is lost");
      same(result.outcome, "unknown", "a write whose request is lost");
      const again = applied(await lab.store.write(write), "the write, sent again,");
      check(!again.replayed, "nothing had been applied before", again);
    },
  },
  {
    id: "S6.4-lost-read",
    law: "a read that gets no reply rejects with StoreError unavailable",
    needs: ["loseReply"],
    async run(lab) {
      await lab.fixture.loseReply?.();
      const read = lab.settles(lab.read("k"), "a read whose reply is lost");
      await rejectsWith(read, "unavailable", "a read whose reply is lost");
      await lab.read("k");
    },
  },
  {
    id: "S6.5-lost-refusal",
    law: "a refusal that is lost is unknown too",
    needs: ["loseReply"],
    async run(lab) {
      await lab.seed("k", "first");
      await lab.fixture.loseReply?.();
      const result = await lab.settles(lab.create("k", "second"), "a create whose refusal is lost");
      same(result.outcome, "unknown", "a create whose refusal is lost");
      same((await lab.read("k")).entry?.value, "first", "the value");
    },
  },
  {
    id: "S6.6-stall",
    law: "a write that a stalling server took is unknown, and the same opId finds what became of it",
    needs: ["stall"],
    async run(lab) {
      const write = lab.createWrite("k", "value", 60_000);
      await stalled(lab, write, "a create");
      const { stamp, writtenAt } = (await lab.read("k")).entry ?? {};
      same(stamp?.opId, write.opId, "the opId of the entry");
      // The first send may arrive only now; it must change nothing.
      await lab.pass(50);
      const { entry } = await lab.read("k");
      same([entry?.stamp, entry?.writtenAt], [stamp, writtenAt], "the entry a little later");
    },
  },
];
