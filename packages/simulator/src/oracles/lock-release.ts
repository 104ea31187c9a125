// What a release tells its holder: a loss only of what was lost, and that its end is not known only
// where an answer was missing.

import { type OperationOf, operationsOf, returnedBy } from "../scenarios/recorded.js";
import type { Guarantee } from "../scenarios/scenario.js";
import type { History } from "../world/history.js";
import { firstOf, ms, named, told } from "./judge.js";
import { type Holding, holdings } from "./lock-holdings.js";

type Release = OperationOf<"lock.release">;

/**
 * Until when a lease certainly runs by the store's clock, from before its holder's release on: each
 * write that can be the last one ends it no earlier. Undefined if an extension's length is not known.
 */
function runsUntilUs(history: History, own: Holding, leaseMs: number): number | undefined {
  let endsUs = own.call.beganUs + leaseMs * 1000;
  for (const call of operationsOf(history, "lock.extend")) {
    const { by, key, input, beganUs } = call;
    if (by !== own.call.by || key !== own.key || input.token !== own.token) continue;
    if (input.leaseMs === undefined) return undefined;
    const thenUs = beganUs + input.leaseMs * 1000;
    // What was told took the place of all before it.
    endsUs = returnedBy<"lock.extend">(call) === "extended" ? thenUs : Math.min(endsUs, thenUs);
  }
  return endsUs;
}

function asked(call: Release): string {
  return `${named(call)} of token ${call.input.token} was told ${told(call)}`;
}

/**
 * `lost` is told only of a lease that may have ended before: while it certainly runs, nothing but the
 * release itself ends it. `unknown` is told only once an answer can have been missing: what was
 * refused a connection is sent again.
 */
export const lockReleaseIsHonest: Guarantee = {
  id: "lock/release-is-honest",
  sentence:
    "A write without an answer is sent again under the same opId until it is known or its deadline passes; then the answer is *indeterminate*.",
  judge(history, { times }) {
    const held = holdings(history);
    return firstOf(operationsOf(history, "lock.release"), (call) => {
      const outcome = returnedBy<"lock.release">(call);
      const { by, key, input, beganUs, endedUs = beganUs } = call;
      if (outcome === "unknown" && endedUs - beganUs < times.operationTimeoutMs * 1000) {
        return `${asked(call)}, though no answer can have been missing yet`;
      }
      const own = held.get(key)?.find((each) => each.token === input.token && each.call.by === by);
      if (outcome !== "lost" || own === undefined) return undefined;
      const untilUs = runsUntilUs(history, own, times.leaseMs);
      if (untilUs === undefined || endedUs >= untilUs) return undefined;
      return `${asked(call)}, though its lease ran until ${ms(untilUs)}, and nothing but this release can have ended it`;
    });
  },
};
