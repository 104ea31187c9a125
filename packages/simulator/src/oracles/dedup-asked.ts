// What was asked of each key of a dedup, and which recorded outcomes somebody was told of it: the
// common ground of dedup's oracles.

import {
  type OperationOf,
  operationsOf,
  type Recorded,
  returnedBy,
} from "../scenarios/recorded.js";
import type { Setting, Times } from "../scenarios/scenario.js";
import type { History } from "../world/history.js";
import { equal } from "./equality.js";
import { groupBy, retentionUs } from "./judge.js";
import { oncePerHistory } from "./memo.js";

/** One call of a dedup. */
export type Attempt = OperationOf<"dedup.attempt">;

export function resultOf(call: Attempt): Recorded["dedup.attempt"]["returned"] | undefined {
  return returnedBy<"dedup.attempt">(call);
}

/** A recorded outcome, as somebody was told it. */
export interface Telling {
  readonly call: Attempt;
  readonly kind: "value" | "failed" | "valueUnavailable";
  readonly value?: unknown;
  /** What the outcome must be known by, at the latest. */
  readonly knownUs: number;
  /** Until when it certainly stands. */
  readonly standsUntilUs: number;
  /** Until when no handler certainly runs again. */
  readonly noRunUntilUs: number;
}

/** What is asked of one key. */
export interface Asked {
  readonly key: string;
  readonly calls: readonly Attempt[];
  readonly tellings: readonly Telling[];
}

/** The recorded outcome that a call was told, if it was. */
export function kindOf(call: Attempt): Pick<Telling, "kind" | "value"> | undefined {
  const result = resultOf(call);
  switch (result?.outcome) {
    case "executed":
      return result.recorded === true ? { kind: "value", value: result.value } : undefined;
    case "replayed":
      return { kind: "value", value: result.value };
    case "failed":
      return result.recorded === true ? { kind: "failed", value: result.error } : undefined;
    case "valueUnavailable":
      return { kind: "valueUnavailable" };
    default:
      return undefined;
  }
}

/** The calls and the recorded outcomes of each key, from first to last. */
export function askedOf(history: History, { times }: Setting): readonly Asked[] {
  return askedIn(history, times);
}

const askedIn = oncePerHistory((history, times: Times): readonly Asked[] => {
  const stands = retentionUs(times);
  const starts = new Map<unknown, number>();
  for (const { kind, key, detail, fromUs } of history.spans) {
    if (kind === "handler") starts.set(`${key}\n${detail.run}`, fromUs);
  }
  return [...groupBy(operationsOf(history, "dedup.attempt"), ({ key }) => key)].map(
    ([key, calls]) => {
      const firstUs = Math.min(...calls.map(({ beganUs }) => beganUs));
      const tellings: Telling[] = [];
      for (const call of calls) {
        const telling = kindOf(call);
        if (telling === undefined || call.endedUs === undefined) continue;
        // It cannot have been finished before the handler that made it began.
        const run = (telling.value as { run?: unknown } | undefined)?.run;
        const bearsTime = call.input.bornMs !== undefined;
        const bornUs = starts.get(`${key}\n${run}`) ?? firstUs;
        tellings.push({
          call,
          knownUs: call.endedUs,
          standsUntilUs: bornUs + stands,
          // A key that bears its birth time is expired once its outcome is forgotten.
          noRunUntilUs: bearsTime ? Number.POSITIVE_INFINITY : bornUs + stands,
          ...telling,
        });
      }
      tellings.sort((a, b) => a.knownUs - b.knownUs);
      return { key, calls, tellings };
    },
  );
});

/** Whether two tellings are of one outcome. */
export function agree(left: Telling, right: Telling): boolean {
  if (left.kind !== right.kind) return false;
  return left.kind === "failed"
    ? sameError(left.value, right.value)
    : equal(left.value, right.value);
}

/** The first caller has the handler's own error, others a `Final`: code and message are theirs. */
function sameError(left: unknown, right: unknown): boolean {
  const a = left as { code?: unknown; message?: unknown } | null | undefined;
  const b = right as { code?: unknown; message?: unknown } | null | undefined;
  return (["code", "message"] as const).every((name) => {
    const [x, y] = [a?.[name], b?.[name]];
    return typeof x !== "string" || typeof y !== "string" || x === y;
  });
}

function standTogether(left: Telling, right: Telling): boolean {
  const since = Math.max(left.knownUs, right.knownUs);
  return since < Math.min(left.standsUntilUs, right.standsUntilUs);
}

/** Two tellings of one key that stood together and violate the rule. */
export function clash(
  { tellings }: Asked,
  violates: (earlier: Telling, later: Telling) => boolean,
): readonly [Telling, Telling] | undefined {
  for (const [index, later] of tellings.entries()) {
    for (const earlier of tellings.slice(0, index)) {
      if (standTogether(earlier, later) && violates(earlier, later)) return [earlier, later];
    }
  }
  return undefined;
}
