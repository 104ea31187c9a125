// Runs of handlers as the oracles of dedup and of tokens see them: which run overlapped which, who
// took over from whom, and which ended without a known outcome.

import type { History, Operation, Span } from "../world/history.js";
import { groupBy, lastSeen, ms } from "./judge.js";

/** One run of a handler. */
export interface Run {
  readonly run: number;
  readonly by: string;
  readonly operation: number | undefined;
  readonly token: number | undefined;
  readonly attempt: number | undefined;
  readonly takeover: boolean;
  readonly fromUs: number;
  /** Undefined if it never ended: its node crashed, or the history was over. */
  readonly untilUs: number | undefined;
  /** Until when it certainly went on: its end, or when its node was last seen alive. */
  readonly seenUntilUs: number;
  readonly result: unknown;
}

function runOf(span: Span, seen: (by: string, life: number) => number): Run {
  const { detail, fromUs, untilUs } = span;
  return {
    run: Number(detail.run),
    by: span.by,
    operation: span.operation,
    token: span.fencingToken,
    attempt: typeof detail.attempt === "number" ? detail.attempt : undefined,
    takeover: detail.takeover === true,
    fromUs,
    untilUs,
    seenUntilUs: untilUs ?? Math.max(fromUs, seen(span.by, span.life)),
    result: span.result,
  };
}

/** Whose handler runs: the operation's, grouped as the algorithm groups them. */
export interface RunGroup {
  readonly method: string;
  groupOf(operation: Operation): string;
}

/** All runs of handlers on behalf of one method, by group, in the order of their starts. */
export function runsOf(history: History, { method, groupOf }: RunGroup): Map<string, Run[]> {
  const operations = new Map(history.operations.map((each) => [each.id, each]));
  const seen = lastSeen(history);
  const spans = history.spans.filter(({ kind, operation }) => {
    return kind === "handler" && operations.get(operation ?? -1)?.method === method;
  });
  spans.sort((a, b) => a.fromUs - b.fromUs || a.id - b.id);
  const groups = groupBy(spans, (span) => {
    const operation = operations.get(span.operation ?? -1);
    return operation === undefined ? span.key : groupOf(operation);
  });
  const runs = new Map<string, Run[]>();
  for (const [group, members] of groups) {
    runs.set(
      group,
      members.map((span) => runOf(span, seen)),
    );
  }
  return runs;
}

/** A run in words. */
export function namedRun({ run, by, operation, fromUs, untilUs }: Run): string {
  const until = untilUs === undefined ? "never ended" : `until ${ms(untilUs)}`;
  return `${by}'s run ${run} for #${operation} (from ${ms(fromUs)}, ${until})`;
}

/** Whether a run's fencing token shows that it was acquired after the other's. */
export function isNewer(later: Run, earlier: Run): boolean {
  if (later.token === undefined || earlier.token === undefined)
    return later.fromUs > earlier.fromUs;
  return later.token > earlier.token;
}

/**
 * Two runs at once, of which neither took over from the other. An owner that is paused beyond its
 * lease may overlap whoever took over; then the newer of the two says so.
 */
export function overlap(runs: readonly Run[], group: string): string | undefined {
  for (const [index, later] of runs.entries()) {
    for (const earlier of runs.slice(0, index)) {
      if (earlier.seenUntilUs <= later.fromUs) continue;
      const [older, newer] = isNewer(later, earlier) ? [earlier, later] : [later, earlier];
      if (newer.takeover && newer.token !== older.token) continue;
      const both = `${namedRun(older)} and ${namedRun(newer)}`;
      return `handlers for "${group}" ran at once, and none took over: ${both}`;
    }
  }
  return undefined;
}

/** Fencing tokens that do not increase from attempt to attempt. */
export function tokenDisorder(
  runs: readonly Run[],
  group: string,
  beganOf: (operation: number) => number,
): string | undefined {
  for (const [index, later] of runs.entries()) {
    for (const earlier of runs.slice(0, index)) {
      if (earlier.token === undefined || later.token === undefined) continue;
      const sameCall = earlier.operation === later.operation;
      const askedAfter = sameCall || beganOf(later.operation ?? -1) > earlier.fromUs;
      if (askedAfter ? later.token > earlier.token : later.token !== earlier.token) continue;
      const tokens = `${earlier.token} and ${later.token}`;
      return `fencing tokens of "${group}" do not increase: ${namedRun(earlier)} and ${namedRun(later)} have ${tokens}`;
    }
  }
  return undefined;
}
