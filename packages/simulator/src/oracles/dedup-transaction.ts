// The oracles of dedup in the store's transaction: what was committed to the user's own table, what
// callers were told of it, and that the two agree.

import {
  CHARGES,
  type ChargeRow,
  type OperationOf,
  operationsOf,
  returnedBy,
  type TransactionAnswer,
} from "../scenarios/recorded.js";
import type { Guarantee } from "../scenarios/scenario.js";
import type { Effect, History } from "../world/history.js";
import { equal } from "./equality.js";
import { firstOf, groupBy, lastAsked, ms, named, precedes, retentionUs, told } from "./judge.js";

type Call = OperationOf<"dedup.transaction">;

const ONCE =
  "What the handler writes through `tx` takes effect exactly once per key until retention ends, whatever crashes or gets lost.";
const ONE_OUTCOME =
  "Every caller of the key is told that one outcome, also where the answer to the commit was lost.";
const ROLLED_BACK =
  "Whoever is told anything else (an error, *contended*, *inProgress*, *unavailable*, another's outcome) has changed nothing; only *indeterminate* says that a commit may have taken place.";
const FREE =
  "What is rolled back leaves no record: the key is free, and no transaction is left behind.";

const callsOf = (history: History): readonly Call[] => operationsOf(history, "dedup.transaction");

const answerOf = (call: Call): TransactionAnswer | undefined =>
  returnedBy<"dedup.transaction">(call);

const rowsOf = (history: History): readonly (Effect & { readonly row: ChargeRow })[] =>
  history.effects
    .filter(({ sink }) => sink === CHARGES)
    .map((effect) => ({ row: effect.value as ChargeRow, ...effect }));

/** What somebody was told of the outcome of a key. */
interface Telling {
  readonly call: Call;
  readonly kind: "value" | "failed";
  readonly value: unknown;
  readonly exactlyOnce: boolean;
}

function tellingOf(call: Call): Telling | undefined {
  const answer = answerOf(call);
  switch (answer?.outcome) {
    case "executed":
    case "replayed": {
      if ("recorded" in answer && answer.recorded !== true) return undefined;
      const exactlyOnce = "exactlyOnce" in answer && answer.exactlyOnce;
      return { call, kind: "value", value: answer.value, exactlyOnce };
    }
    case "failed":
      return answer.recorded === true
        ? { call, kind: "failed", value: undefined, exactlyOnce: false }
        : undefined;
    default:
      return undefined;
  }
}

/** Of each key the tellings, from first to last, and since when the first run can have made them. */
function keysOf(history: History): readonly {
  readonly key: string;
  readonly calls: readonly Call[];
  readonly tellings: readonly Telling[];
}[] {
  return [...groupBy(callsOf(history), ({ key }) => key)].map(([key, calls]) => {
    const tellings = calls.map(tellingOf).filter((each) => each !== undefined);
    tellings.sort((a, b) => (a.call.endedUs ?? 0) - (b.call.endedUs ?? 0));
    return { key, calls, tellings };
  });
}

/** When a telling's outcome was made, at the earliest: its handler's start, or the key's first call. */
function madeUs({ spans }: History, { call, value }: Telling, calls: readonly Call[]): number {
  const run = (value as { run?: unknown } | undefined)?.run;
  const made = spans.find(({ kind, detail }) => kind === "handler" && detail.run === run);
  return made?.fromUs ?? Math.min(...calls.map(({ beganUs }) => beganUs), call.beganUs);
}

/** A key's rows are those of one run, each once and all of them. */
export const transactionOnce: Guarantee = {
  id: "dedup/transaction-once",
  sentence: ONCE,
  judge(history, { times }) {
    const stands = retentionUs(times);
    return firstOf(
      groupBy(rowsOf(history), ({ key }) => key),
      ([key, rows]) =>
        firstOf(
          groupBy(rows, ({ row }) => String(row.run)),
          ([run, own]) => {
            const parts = new Set(own.map(({ row }) => row.part));
            const [first] = own;
            if (own.length !== parts.size || parts.size !== first?.row.of) {
              return `${first?.by}'s run ${run} of "${key}" committed ${own.length} rows of ${first?.row.of} at ${ms(first?.atUs ?? 0)}`;
            }
            const other = rows.find(
              ({ row, atUs }) =>
                row.run !== first.row.run && first.atUs <= atUs && atUs < first.atUs + stands,
            );
            if (other === undefined) return undefined;
            return `"${key}" was charged by ${first.by}'s run ${run} at ${ms(first.atUs)} and again by ${other.by}'s run ${other.row.run} at ${ms(other.atUs)}`;
          },
        ),
    );
  },
};

/** What somebody is told as done exactly once was committed before, by the run that is told. */
export const transactionToldIsCommitted: Guarantee = {
  id: "dedup/transaction-told-is-committed",
  sentence: ONCE,
  judge(history) {
    const committed = new Map(
      rowsOf(history).map((each) => [`${each.key} ${each.row.run}`, each.atUs]),
    );
    const mixed = new Set(callsOf(history).flatMap(({ input, key }) => (input.plain ? [key] : [])));
    return firstOf(keysOf(history), ({ key, tellings }) =>
      firstOf(tellings, ({ call, kind, value, exactlyOnce }) => {
        if (kind !== "value") return undefined;
        if (!exactlyOnce) {
          return mixed.has(key)
            ? undefined
            : `${named(call)} was told ${told(call)}, without exactlyOnce`;
        }
        const run = (value as { run?: unknown } | undefined)?.run;
        const atUs = committed.get(`${key} ${run}`);
        if (atUs !== undefined && atUs <= (call.endedUs ?? 0)) return undefined;
        return `${named(call)} was told ${told(call)}, though its run ${run} had committed nothing`;
      }),
    );
  },
};

/** All that are told the outcome of a key are told the same one, and nobody later none. */
export const transactionOneOutcome: Guarantee = {
  id: "dedup/transaction-one-outcome",
  sentence: ONE_OUTCOME,
  judge(history, { times }) {
    const stands = retentionUs(times);
    return firstOf(keysOf(history), ({ calls, tellings }) =>
      firstOf(tellings.entries(), ([index, telling]) => {
        const untilUs = madeUs(history, telling, calls) + stands;
        const other = tellings
          .slice(index + 1)
          .find(
            (later) =>
              (later.call.endedUs ?? 0) < untilUs &&
              (later.call.endedUs ?? 0) < madeUs(history, later, calls) + stands &&
              (later.kind !== telling.kind || !equal(later.value, telling.value)),
          );
        if (other !== undefined) {
          return `two outcomes of one key: ${named(telling.call)} was told ${told(telling.call)}; ${named(other.call)} was told ${told(other.call)}`;
        }
        const unaware = calls.find(
          (call) =>
            precedes(telling.call, call) &&
            (call.endedUs ?? call.beganUs) < untilUs &&
            overlooks(call, telling.call),
        );
        if (unaware === undefined) return undefined;
        return `${named(unaware)} was told ${told(unaware)}, though ${named(telling.call)} had been told ${told(telling.call)}`;
      }),
    );
  },
};

/** What nobody can be told that asks after another was told the outcome. */
function overlooks(call: Call, informed: Call): boolean {
  const answer = answerOf(call);
  switch (answer?.outcome) {
    case undefined:
    case "replayed":
      return false;
    case "failed":
      return !answer.replayed;
    case "mismatch":
      return call.input.fingerprint === informed.input.fingerprint;
    case "expired":
      return call.input.bornMs === undefined;
    case "indeterminate":
      // Without a transaction, who gets no answer to its acquiring write does not know.
      return answer.reason !== "acquireUnknown";
    default:
      return true;
  }
}

/** Rows are those of calls that were told so, that got no answer, or that were told indeterminate. */
export const transactionHonest: Guarantee = {
  id: "dedup/transaction-honest",
  sentence: ROLLED_BACK,
  judge(history) {
    const calls = new Map(callsOf(history).map((call) => [call.id, call]));
    const returned = new Set(
      history.spans.flatMap(({ kind, result, operation }) =>
        kind === "handler" && result === "returned" ? [operation] : [],
      ),
    );
    const silent = firstOf(rowsOf(history), ({ operation, row, atUs }) => {
      const call = calls.get(operation ?? -1);
      if (call?.answer === undefined) return undefined;
      const answer = answerOf(call);
      const own =
        answer?.outcome === "executed" &&
        (answer.value as { run?: unknown } | undefined)?.run === row.run;
      if (own || answer?.outcome === "indeterminate") return undefined;
      return `${named(call)} was told ${told(call)}, though its run ${row.run} committed at ${ms(atUs)}`;
    });
    return (
      silent ??
      firstOf(calls.values(), (call) => {
        const answer = answerOf(call);
        const unfounded =
          answer?.outcome === "indeterminate" && !call.input.plain && !returned.has(call.id);
        if (!unfounded) return undefined;
        return `${named(call)} was told ${told(call)}, though no handler of it had come to a commit`;
      })
    );
  },
};

/** What a caller is told was made by a run of the key's handler that had ended. */
export const transactionValues: Guarantee = {
  id: "dedup/transaction-values",
  sentence: ONE_OUTCOME,
  judge(history) {
    const made = new Set(
      history.spans.flatMap(({ kind, result, key, detail }) =>
        kind === "handler" && result === "returned" ? [`${key} ${detail.run}`] : [],
      ),
    );
    const rejected = new Set(
      callsOf(history).flatMap(({ key, input }) =>
        input.end.startsWith("throwsFinal") ? [key] : [],
      ),
    );
    return firstOf(keysOf(history), ({ key, tellings }) =>
      firstOf(tellings, ({ call, kind, value }) => {
        const run = (value as { run?: unknown } | undefined)?.run;
        const founded = kind === "value" ? made.has(`${key} ${run}`) : rejected.has(key);
        if (founded) return undefined;
        return `${named(call)} was told ${told(call)}, which no handler of its key had made`;
      }),
    );
  },
};

/** Without faults, the node `last` gets an outcome of every key that it asks for. */
export const transactionSettles: Guarantee = {
  id: "dedup/transaction-settles",
  sentence: FREE,
  judge(history) {
    const { healedUs } = history;
    if (healedUs === undefined) return undefined;
    const asked = lastAsked(callsOf(history), ({ key }) => key);
    const open = asked.find((call) => {
      const outcome = answerOf(call)?.outcome;
      const forgotten = outcome === "expired" && call.input.bornMs !== undefined;
      return tellingOf(call) === undefined && outcome !== "mismatch" && !forgotten;
    });
    if (open === undefined) return undefined;
    return `"${open.key}" has no outcome, though faults ended at ${ms(healedUs)}: ${named(open)} was told ${told(open)}`;
  },
};

/** Once faults have ended, nobody is told that another is still at work. */
export const transactionFree: Guarantee = {
  id: "dedup/transaction-frees-the-key",
  sentence: FREE,
  judge(history) {
    const { healedUs = Number.POSITIVE_INFINITY } = history;
    return firstOf(callsOf(history), (call) => {
      const answer = answerOf(call);
      const held = answer?.outcome === "inProgress" || answer?.outcome === "contended";
      // After healing, whatever stood open has ended by itself.
      if (!held || call.beganUs < healedUs) return undefined;
      return `${named(call)} was told ${told(call)}, though nobody was at work any more`;
    });
  },
};
