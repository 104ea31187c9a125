// The oracles of the store contract: one per clause that answers can show.

import { operationsOf, returnedBy } from "../scenarios/recorded.js";
import type { Guarantee } from "../scenarios/scenario.js";
import { type Fact, factsOf, isStamped, refuses, type Send, sendsOf } from "./contract-facts.js";
import { firstOf, groupBy, inWords, named, precedes } from "./judge.js";

export { contractLinearizable } from "./contract-linearizable.js";
export {
  contractExpiry,
  contractRevisionsIncrease,
  contractTombstoneKept,
  contractWrittenBetween,
} from "./contract-times.js";

/** What a refusal shows refuses the write, or the one of several that it names. */
export const contractRefusalShows: Guarantee = {
  id: "contract/refusal-shows",
  sentence:
    "`refused` carries a state observed at one instant within the call, which itself refuses the write.",
  judge: (history) =>
    firstOf(sendsOf(history), ({ call, write, answer }) =>
      answer?.outcome === "refused" && !refuses(write, answer)
        ? `${named(call)} was refused by ${inWords(answer)}, which permits ${inWords(write.expect)}`
        : undefined,
    ),
};

/** Whoever sends the latest write again is not refused by it. */
export const contractReplays: Guarantee = {
  id: "contract/replays",
  sentence:
    "Sending a write again whose opId is the key's latest applied write changes nothing and is answered `applied`, with the same revision and `replayed: true`.",
  judge: (history) =>
    firstOf(writesByOpId(history), (sends) =>
      firstOf(sends, ({ call, write, answer }) => {
        if (answer?.outcome !== "refused") return undefined;
        const { revision } = answer;
        const made = sends.find((each) => hasApplied(each) && revisionOf(each) === revision);
        return revision === undefined || made === undefined
          ? undefined
          : `${named(call)} sent the write ${write.opId} again, the latest at revision ${revision}, and was refused by ${inWords(answer)}`;
      }),
    ),
};

/** All that is told of one write under a stamp is one application. */
export const contractAppliesOnce: Guarantee = {
  id: "contract/applies-once",
  sentence: "A write under a stamp never applies twice",
  judge: (history) =>
    firstOf(writesByOpId(history), (sends) => {
      const [first, ...others] = sends.filter(
        (each) => isStamped(each.write) && hasApplied(each) && revisionOf(each) !== 0,
      );
      return firstOf(others, (each) =>
        first !== undefined && revisionOf(each) !== revisionOf(first)
          ? `${named(each.call)} was told revision ${revisionOf(each)} of the write ${each.write.opId}, and ${named(first.call)} ${revisionOf(first)}`
          : undefined,
      );
    }),
};

function writesByOpId(history: Parameters<typeof sendsOf>[0]): Iterable<readonly Send[]> {
  return groupBy(sendsOf(history), ({ write: { key, opId } }) => `${opId} ${key}`).values();
}

function hasApplied({ answer }: Send): boolean {
  return answer?.outcome === "applied" || answer?.outcome === "part";
}

function revisionOf({ answer }: Send): number | undefined {
  return answer !== undefined && "revision" in answer ? answer.revision : undefined;
}

/** Where one key shows the step, no other of its keys is as it was before. */
export const contractAllOrNone: Guarantee = {
  id: "contract/all-or-none",
  sentence: "`writeAll` (several keys, all or none; the first conflict is named)",
  judge(history) {
    const facts = factsOf(history);
    const byKey = groupBy(facts, ({ key }) => key);
    const steps = groupBy(operationsOf(history, "store.writeAll"), ({ input }) => input.opId);
    return firstOf(steps, ([opId, sends]) => {
      const [first] = sends;
      const keys = first?.input.writes.map(({ key }) => key) ?? [];
      const shown = facts.filter((fact) => fact.opId === opId && keys.includes(fact.key));
      const told = sends.flatMap((call) =>
        returnedBy(call)?.outcome === "applied" ? keys.map((key) => ({ call, key })) : [],
      );
      return firstOf([...shown, ...told], ({ call, key }) =>
        firstOf(keys, (other) => {
          const same = first && unmoved(byKey.get(other) ?? [], first, call);
          return same === undefined
            ? undefined
            : `${named(call)} shows ${opId} at "${key}", though "${other}" is at revision ${same.revision} before and after`;
        }),
      );
    });
  },
};

type Timed = Fact["call"];

/** A fact after the later call, of a revision that was there before the earlier one. */
function unmoved(facts: readonly Fact[], earlier: Timed, later: Timed): Fact | undefined {
  const before = new Set(
    facts.filter(({ call }) => precedes(call, earlier)).map(({ revision }) => revision ?? 0),
  );
  // A step that was applied leaves a newer revision at each of its keys, a forgotten one as well.
  return facts.find(
    ({ call, revision = 0 }) => precedes(later, call) && revision > 0 && before.has(revision),
  );
}
