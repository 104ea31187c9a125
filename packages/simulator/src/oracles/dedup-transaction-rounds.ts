// The oracles of what a dedup in the store's transaction does round by round: how long it goes on,
// what it makes of attempts without a transaction, of rejections, and of the age of keys.

import {
  CHARGES,
  DECLINED,
  type OperationOf,
  operationsOf,
  returnedBy,
  spansOf,
  type TransactionAnswer,
} from "../scenarios/recorded.js";
import type { Guarantee } from "../scenarios/scenario.js";
import type { History } from "../world/history.js";
import { firstOf, ms, named, told } from "./judge.js";

type Call = OperationOf<"dedup.transaction">;

const OF_RUN =
  'Attempts of `run` under the same key: what they recorded is replayed, with `exactlyOnce: false`; one at work is waited for, outside of any transaction; one that did nothing is gone on with; one without a known outcome follows `onCrash` (taken over under `"rerun"`, with `exactlyOnce: false`; the sink is asked before the transaction).';

const callsOf = (history: History): readonly Call[] => operationsOf(history, "dedup.transaction");

const answerOf = (call: Call): TransactionAnswer | undefined =>
  returnedBy<"dedup.transaction">(call);

export interface WaitOptions {
  /** How long a call goes on while others win. @defaultValue 0: nothing is judged */
  readonly waitMs?: number;
}

/** Clocks may run fast by so much. */
const DRIFT = 0.998;

/** Who is told that others won has gone on for as long as it was to. */
export function transactionGoesOn({ waitMs = 0 }: WaitOptions = {}): Guarantee {
  return {
    id: "dedup/transaction-goes-on",
    sentence:
      "What the store rolled back on account of others (a serialization failure, a deadlock, a wait for a lock that took too long) runs again as a whole, for at most `waitMs`.",
    judge: (history) =>
      firstOf(callsOf(history), (call) => {
        const outcome = answerOf(call)?.outcome;
        if (outcome !== "contended" && outcome !== "inProgress") return undefined;
        const lastedUs = (call.endedUs ?? 0) - call.beganUs;
        if (lastedUs >= waitMs * 1000 * DRIFT) return undefined;
        return `${named(call)} was told ${told(call)} after ${ms(lastedUs)} of ${waitMs} ms`;
      }),
  };
}

/** While an attempt without a transaction is at work within its lease, no handler begins in one. */
export const transactionWaitsForRun: Guarantee = {
  id: "dedup/transaction-waits-for-run",
  sentence: OF_RUN,
  judge(history, { times }) {
    const calls = new Map(callsOf(history).map((call) => [call.id, call]));
    const runs = spansOf(history, "handler").flatMap((span) => {
      const call = calls.get(span.operation ?? -1);
      return call === undefined ? [] : [{ span, call }];
    });
    const plain = runs.filter(({ call }) => call.input.plain);
    return firstOf(runs, ({ span, call }) => {
      if (call.input.plain) return undefined;
      const busy = plain.find(
        (other) =>
          other.span.key === span.key &&
          other.span.fromUs < call.beganUs &&
          span.fromUs < (other.span.untilUs ?? Number.POSITIVE_INFINITY) &&
          span.fromUs < other.call.beganUs + times.leaseMs * 1000,
      );
      if (busy === undefined) return undefined;
      return `${named(call)} ran its handler at ${ms(span.fromUs)}, while ${named(busy.call)} was at work`;
    });
  },
};

/** Who took over an attempt of which nobody knows what it did is not told *exactly once*. */
export const transactionMode: Guarantee = {
  id: "dedup/transaction-mode",
  sentence: OF_RUN,
  judge(history) {
    const calls = callsOf(history);
    return firstOf(calls, (call) => {
      const answer = answerOf(call);
      if (answer?.outcome !== "executed" || !("exactlyOnce" in answer) || !answer.exactlyOnce) {
        return undefined;
      }
      const broken = calls.find(({ key, input, endedUs = Number.POSITIVE_INFINITY, ...other }) => {
        const threw = answerOf({ key, input, ...other })?.outcome === "threw";
        return key === call.key && input.plain && threw && endedUs < call.beganUs;
      });
      if (broken === undefined) return undefined;
      return `${named(call)} was told ${told(call)}, though nobody knows what ${named(broken)} did`;
    });
  },
};

/** A business rejection is told as one, and not as an error that may be tried again. */
export const transactionRejects: Guarantee = {
  id: "dedup/transaction-rejects",
  sentence:
    'A `Final` takes the handler\'s writes back and is then recorded in a step of its own; where that gets no answer, its caller is told `recorded: "unknown"`, and who asks next may run.',
  judge: (history) =>
    firstOf(callsOf(history), (call) => {
      const answer = answerOf(call);
      const error = answer?.outcome === "threw" ? answer.error : undefined;
      if ((error as { code?: unknown } | undefined)?.code !== DECLINED) return undefined;
      return `${named(call)} was told ${told(call)}, though its handler had rejected it for good`;
    }),
};

/** Nothing is committed for a key that is older than the retention, or not yet born. */
export const transactionBirths: Guarantee = {
  id: "dedup/transaction-births",
  sentence:
    "A key that bears its birth time and is older than the retention is *expired* and never run; one born too far in the future is refused until it becomes valid.",
  judge(history, { times }) {
    const born = new Map(callsOf(history).map(({ key, input }) => [key, input.bornMs]));
    const rows = history.effects.filter(({ sink }) => sink === CHARGES);
    return firstOf(rows, ({ key, by, atUs }) => {
      const bornMs = born.get(key);
      if (bornMs === undefined) return undefined;
      const ageMs = atUs / 1000 - bornMs;
      // What began in time may end a while later.
      if (-times.retentionMs / 2 < ageMs && ageMs < 1.5 * times.retentionMs) return undefined;
      return `${by} charged "${key}" at ${ms(atUs)}, though it was born at ${bornMs} ms`;
    });
  },
};
