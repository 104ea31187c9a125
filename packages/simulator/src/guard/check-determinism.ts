// Carries a run out twice and compares: what the guard cannot see, such as the order of a Map that
// some code keyed by chance, shows here.

import { firstDifference, hashTrace, type TraceEvent } from "../world/trace.js";

/** What two executions of one run have to say. */
export type Determinism =
  | { readonly outcome: "same"; readonly hash: string; readonly events: number }
  | {
      readonly outcome: "different";
      /** The hash of each execution's trace. */
      readonly hashes: readonly [string, string];
      /** The first event that differs, counted from 0, and how each execution tells it. */
      readonly index: number;
      readonly one: string | undefined;
      readonly other: string | undefined;
    };

/**
 * Carries out the run twice and names the first event in which the two traces differ.
 *
 * Cost: two runs.
 * Fails: with what a run fails with.
 */
export async function checkDeterminism(
  run: () => Promise<{ readonly trace: readonly TraceEvent[] }>,
): Promise<Determinism> {
  const { trace: one } = await run();
  const { trace: other } = await run();
  const hashes = [hashTrace(one), hashTrace(other)] as const;
  const difference = firstDifference(one, other);
  if (difference === undefined) {
    return { outcome: "same", hash: hashes[0], events: one.length };
  }
  const { index, one: left, other: right } = difference;
  return { outcome: "different", hashes, index, one: left, other: right };
}
