// What is known of each key of a dedup beside the answers: its runs by fencing token, the calls they
// served, and when a person had a word.

import { type OperationOf, operationsOf } from "../scenarios/recorded.js";
import type { Setting, Times } from "../scenarios/scenario.js";
import type { History } from "../world/history.js";
import { isNewer, type Run, runsOf } from "./attempts.js";
import type { Attempt } from "./dedup-asked.js";
import { didNothing, retentionUs } from "./judge.js";
import { oncePerHistory } from "./memo.js";

/** What is known of one key beside its runs. */
export interface Context {
  readonly key: string;
  /** By fencing token, oldest first. */
  readonly runs: readonly Run[];
  readonly calls: ReadonlyMap<number, Attempt>;
  readonly resolves: readonly OperationOf<"dedup.resolve">[];
  /** For how long an outcome stands, in microseconds. */
  readonly stands: number;
  readonly leaseUs: number;
}

/** The runs of each key, in the order of their starts. */
export const runsByKey: (history: History) => ReadonlyMap<string, readonly Run[]> = oncePerHistory(
  (history) => runsOf(history, { method: "dedup.attempt", groupOf: ({ key }) => key }),
);

/** Each key that had a run. */
export function contexts(history: History, { times }: Setting): readonly Context[] {
  return contextsOf(history, times);
}

const contextsOf = oncePerHistory((history, times: Times): readonly Context[] => {
  const calls = new Map(operationsOf(history, "dedup.attempt").map((call) => [call.id, call]));
  const resolves = operationsOf(history, "dedup.resolve").filter((each) => !didNothing(each));
  return [...runsByKey(history)].map(([key, runs]) => ({
    key,
    runs: [...runs].sort((a, b) => (isNewer(b, a) ? -1 : 1)),
    calls,
    resolves: resolves.filter((resolve) => resolve.key === key),
    stands: retentionUs(times),
    leaseUs: times.leaseMs * 1000,
  }));
});

/** Whether somebody may have said, between two runs, what became of the first. */
export function mayBeResolved({ resolves }: Context, earlier: Run, later: Run): boolean {
  return resolves.some(({ beganUs, endedUs }) => {
    return beganUs <= later.fromUs && (endedUs === undefined || endedUs >= earlier.fromUs);
  });
}
