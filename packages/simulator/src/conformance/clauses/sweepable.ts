// SweepableStore: frees on request what has expired and been remembered long enough, and nothing
// else.

import { ConformanceError, check, same } from "../checks.js";
import type { CaseDefinition } from "../definition.js";
import type { Lab } from "../lab.js";

/** Far more than any case leaves to free. */
const SWEEPS = 1_000;

/** Sweeps until nothing is left to free, as a caller's own job would. */
async function sweepAll(lab: Lab, limit: number): Promise<number> {
  let total = 0;
  for (let sweep = 1; sweep <= SWEEPS; sweep += 1) {
    const freed = await lab.sweepable.sweep({ limit });
    check(freed <= limit, `at most ${limit} may be freed at once`, freed);
    if (freed === 0) {
      return total;
    }
    total += freed;
  }
  throw new ConformanceError(`${SWEEPS} sweeps freed ${total}, and the last still something`);
}

export const sweepable: readonly CaseDefinition[] = [
  {
    id: "sweepable.1-live",
    law: "a sweep frees no live entry",
    needs: ["sweep"],
    async run(lab) {
      const never = await lab.seed("never");
      const later = await lab.seed("later", "value", 600_000);
      same(await sweepAll(lab, 100), 0, "how many were freed");
      same((await lab.read("never")).entry?.stamp, never.stamp, "the entry that never expires");
      same((await lab.read("later")).entry?.stamp, later.stamp, "the entry that expires later");
    },
  },
  {
    id: "sweepable.2-remembered",
    law: "a sweep frees no revision before its tombstone time has passed",
    needs: ["sweep"],
    async run(lab) {
      const { stamp } = await lab.seed("removed");
      const removed = await lab.remove("removed", stamp);
      const expired = await lab.seed("expired", "value", 50);
      await lab.passUntil(expired.expiresAt ?? 0);
      same(await sweepAll(lab, 100), 0, "how many were freed");
      same((await lab.read("removed")).revision, removed.revision, "the removal's revision");
      same((await lab.read("expired")).revision, expired.revision, "the expired revision");
    },
  },
  {
    id: "sweepable.3-due",
    law: "a sweep frees what is due, at most as many as it is allowed",
    needs: ["sweep", "advance"],
    async run(lab) {
      const live = await lab.seed("live");
      for (let index = 0; index < 10; index += 1) {
        await lab.seed(`expired ${index}`, "value", 1_000);
        const { stamp } = await lab.seed(`removed ${index}`);
        await lab.remove(`removed ${index}`, stamp);
      }
      await lab.pass(lab.tombstoneMs + 10_000);
      // Some may have been freed in passing; none of them needs to be counted.
      const freed = await sweepAll(lab, 3);
      check(freed <= 20, "no more than what was due may be freed", freed);
      same((await lab.read("removed 3")).revision, undefined, "what was due");
      same((await lab.read("live")).entry?.stamp, live.stamp, "the live entry");
    },
  },
];
