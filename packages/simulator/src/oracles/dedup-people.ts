// What dedup promises of a person's word on a key, judged by what people and callers were told.

import { type OperationOf, operationsOf, returnedBy } from "../scenarios/recorded.js";
import type { Guarantee } from "../scenarios/scenario.js";
import { namedRun } from "./attempts.js";
import { askedOf } from "./dedup-asked.js";
import { contexts } from "./dedup-context.js";
import { firstOf, groupBy, ms, named, retentionUs, told } from "./judge.js";

type Resolve = OperationOf<"dedup.resolve">;

/** A person is told *resolved* only where neither an outcome nor a live attempt stood. */
export const dedupResolve: Guarantee = {
  id: "dedup/resolve",
  sentence: "`resolve` never overwrites a recorded outcome or a live attempt.",
  judge(history, setting) {
    const resolved = operationsOf(history, "dedup.resolve").filter(
      (each) => returnedBy<"dedup.resolve">(each)?.outcome === "resolved",
    );
    if (resolved.length === 0) return undefined;
    const byKey = groupBy(resolved, ({ key }) => key);
    const stands = retentionUs(setting.times);
    return (
      firstOf(byKey, ([key, each]) => twoWords(key, each, stands)) ??
      firstOf(askedOf(history, setting), ({ key, tellings }) =>
        firstOf(byKey.get(key) ?? [], (resolve) => {
          const known = tellings.find(({ knownUs, standsUntilUs }) => {
            return knownUs < resolve.beganUs && (resolve.endedUs ?? 0) < standsUntilUs;
          });
          if (known === undefined) return undefined;
          return `${named(resolve)} was told resolved, though the outcome was recorded: ${named(known.call)} was told ${told(known.call)}`;
        }),
      ) ??
      firstOf(contexts(history, setting), ({ key, runs, calls, leaseUs }) =>
        firstOf(byKey.get(key) ?? [], (resolve) => {
          const endedUs = resolve.endedUs ?? resolve.beganUs;
          const live = runs.find(({ operation, fromUs, untilUs = endedUs + 1 }) => {
            const beganUs = calls.get(operation ?? -1)?.beganUs ?? Number.NEGATIVE_INFINITY;
            const atWork = fromUs < resolve.beganUs && endedUs < untilUs;
            return atWork && endedUs < beganUs + leaseUs;
          });
          if (live === undefined) return undefined;
          return `${named(resolve)} was told resolved within ${ms(leaseUs)} of ${namedRun(live)}`;
        }),
      )
    );
  },
};

/** Two people cannot both have recorded an outcome of one key. */
function twoWords(key: string, resolved: readonly Resolve[], stands: number): string | undefined {
  const final = resolved.filter(({ input }) => input.outcome !== "notDone");
  return firstOf(final.entries(), ([index, later]) => {
    const earlier = final.slice(0, index).find(({ beganUs }) => {
      return (later.endedUs ?? later.beganUs) < beganUs + stands;
    });
    if (earlier === undefined) return undefined;
    return `two outcomes of "${key}" were resolved: ${named(earlier)} said ${earlier.input.outcome}, ${named(later)} said ${later.input.outcome}`;
  });
}
