// What fences promise: the tokens that they admit never decrease, and they call stale only what is.

import { type OperationOf, operationsOf, returnedBy } from "../scenarios/recorded.js";
import type { Guarantee } from "../scenarios/scenario.js";
import type { History } from "../world/history.js";
import { didNothing, firstOf, groupBy, lastAsked, ms, named, precedes, told } from "./judge.js";

const NEVER_DECREASE = "Tokens admitted for a resource never decrease.";

type Admit = OperationOf<"fence.admit">;

function admitsOf(history: History): Map<string, Admit[]> {
  return groupBy(operationsOf(history, "fence.admit"), ({ key }) => key);
}

/** The newest token that an answer shows to have been admitted. */
function shown(call: Admit): number | undefined {
  const result = returnedBy<"fence.admit">(call);
  if (result?.outcome === "admitted") return call.input.token;
  return result?.outcome === "stale" ? result.newest : undefined;
}

/** The first call, by its asking, that clashes with the newest token shown by answers before it. */
function clash(
  calls: readonly Admit[],
  inOrder: (newest: number, call: Admit) => boolean,
): readonly [Admit, Admit] | undefined {
  const answers = calls.filter((call) => shown(call) !== undefined);
  const byEnd = [...answers].sort((a, b) => (a.endedUs ?? 0) - (b.endedUs ?? 0));
  const byStart = [...answers].sort((a, b) => a.beganUs - b.beganUs);
  let next = 0;
  let witness: Admit | undefined;
  let newest = Number.NEGATIVE_INFINITY;
  for (const call of byStart) {
    for (let earlier = byEnd[next]; earlier && precedes(earlier, call); earlier = byEnd[++next]) {
      const token = shown(earlier) ?? newest;
      if (token > newest) [witness, newest] = [earlier, token];
    }
    if (witness !== undefined && !inOrder(newest, call)) return [witness, call];
  }
  return undefined;
}

function asked(call: Admit): string {
  return `${named(call)} with token ${call.input.token} was told ${told(call)}`;
}

/** What is admitted is no older than what was admitted before it was asked. */
export const fenceNeverDecreases: Guarantee = {
  id: "fence/never-decreases",
  sentence: NEVER_DECREASE,
  judge: (history) =>
    firstOf(admitsOf(history).values(), (calls) => {
      const pair = clash(calls, (newest, call) => (shown(call) ?? newest) >= newest);
      return pair && `tokens admitted decrease: ${asked(pair[0])}, then ${asked(pair[1])}`;
    }),
};

/** *Stale* is told only of a token for which a newer one may have been admitted. */
export const fenceStaleIsStale: Guarantee = {
  id: "fence/stale-is-stale",
  sentence: NEVER_DECREASE,
  judge: (history) =>
    firstOf(admitsOf(history).values(), (calls) =>
      firstOf(calls, (call) => {
        const result = returnedBy<"fence.admit">(call);
        if (result?.outcome !== "stale") return undefined;
        const endedUs = call.endedUs ?? call.beganUs;
        const admitted = calls.some((other) => {
          const { input, beganUs } = other;
          return input.token === result.newest && beganUs <= endedUs && !didNothing(other);
        });
        if (result.newest > call.input.token && admitted) return undefined;
        return `${asked(call)}, though nobody can have been admitted with a newer token`;
      }),
    ),
};

/** Without faults, the fence answers. */
export const fenceSettles: Guarantee = {
  id: "fence/settles",
  sentence: NEVER_DECREASE,
  judge(history) {
    if (history.healedUs === undefined) return undefined;
    const last = lastAsked(operationsOf(history, "fence.admit"), ({ key }) => key);
    const open = last.find((call) => shown(call) === undefined);
    if (open === undefined) return undefined;
    return `${asked(open)}, though faults ended at ${ms(history.healedUs)}`;
  },
};
