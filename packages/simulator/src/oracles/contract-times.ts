// The oracles of the contract's clauses about time and revisions: expiry, what is kept of a key, and
// when an entry was written, by the store's own times in its answers.

import type { Guarantee } from "../scenarios/scenario.js";
import { type Fact, factsOf, sendsOf } from "./contract-facts.js";
import { firstOf, groupBy, ms, named, precedes } from "./judge.js";

/** Each answer shows an entry before its end, and whoever misses the latest entry looks after it. */
export const contractExpiry: Guarantee = {
  id: "contract/expiry",
  sentence:
    "Relative to that clock an entry is never gone before `expiresAt` and never seen at or after it.",
  judge(history) {
    const facts = factsOf(history);
    const ends = new Map<string, number>();
    for (const { key, revision, expiresAt } of facts) {
      if (expiresAt !== undefined) ends.set(`${revision} ${key}`, expiresAt);
    }
    return firstOf(facts, ({ call, key, now, revision, entry, applied }) => {
      const endsAt = ends.get(`${revision} ${key}`);
      if (entry !== undefined && now >= (entry.expiresAt ?? Infinity)) {
        return `${named(call)} saw an entry of "${key}" at ${now}, which ends at ${entry.expiresAt}`;
      }
      if (entry !== undefined || applied !== undefined || endsAt === undefined) return undefined;
      return now < endsAt
        ? `${named(call)} missed the entry of "${key}" at ${now}, which ends at ${endsAt}`
        : undefined;
    });
  },
};

/** Revisions of a key rise with each write, and what is seen of them never falls. */
export const contractRevisionsIncrease: Guarantee = {
  id: "contract/revisions-increase",
  sentence:
    "A key's revisions strictly increase: across removal, expiry and restart, while the clock steps back by less than the tombstone time.",
  judge: (history) =>
    firstOf(groupBy(factsOf(history), ({ key }) => key).values(), (facts) =>
      firstPair(facts, (earlier, later) => {
        const [before, after] = [earlier.revision, later.revision];
        if (before === undefined || after === undefined) return undefined;
        const isNew = later.applied === "now";
        return after < before || (isNew && after === before)
          ? `${named(later.call)} was told revision ${after}, after ${named(earlier.call)} was told ${before}`
          : undefined;
      }),
    ),
};

/** How far the store's clock may run ahead of the world's, in leases: it jumps but a few times. */
const STEPS_AHEAD_LEASES = 8;

/** Nobody is told of a forgotten key before the clock can have passed what it is kept for. */
export const contractTombstoneKept: Guarantee = {
  id: "contract/tombstone-kept",
  sentence:
    "A key's last revision and opId are kept until the clock passes the entry's expiry and, counted from the write and from the revision, the tombstone time.",
  judge: (history, { times }) =>
    firstOf(groupBy(factsOf(history), ({ key }) => key).values(), (facts) =>
      firstPair(facts, (earlier, later) => {
        const { revision, now, expiresAt = 0 } = earlier;
        const { endedUs = Infinity } = later.call;
        if (revision === undefined || later.revision !== undefined) return undefined;
        const endless = expiresAt === Infinity;
        const keptUntil = Math.max(endless ? 0 : expiresAt, revision + times.tombstoneMs * 1000);
        const ahead = STEPS_AHEAD_LEASES * times.leaseMs * 1000;
        return now + (endedUs - earlier.call.beganUs) + ahead < keptUntil
          ? `${named(later.call)} was told that nothing is known, though ${named(earlier.call)} was told revision ${revision}, kept until ${keptUntil}`
          : undefined;
      }),
    ),
};

/** By the store's time in the answer: neither after it, nor before the call can have arrived. */
export const contractWrittenBetween: Guarantee = {
  id: "contract/written-between",
  sentence: "`writtenAt` lies between the write's arrival and its application.",
  judge: (history) =>
    firstOf(sendsOf(history), ({ call, answer }) => {
      if (answer?.outcome !== "applied" || answer.replayed) return undefined;
      const { writtenAt, now } = answer;
      const lasted = (call.endedUs ?? Infinity) - call.beganUs;
      return writtenAt > now || writtenAt < now - lasted
        ? `${named(call)} is said to be written at ${writtenAt}, and was answered at ${now} after ${ms(lasted)}`
        : undefined;
    }),
};

/** The first violation among pairs of which one was answered before the other was asked. */
function firstPair(
  facts: readonly Fact[],
  judge: (earlier: Fact, later: Fact) => string | undefined,
): string | undefined {
  return firstOf(facts, (later) =>
    firstOf(facts, (earlier) =>
      precedes(earlier.call, later.call) ? judge(earlier, later) : undefined,
    ),
  );
}
