// What dedup promises of attempts: none is forgotten, each has a newer fencing token, errors count
// for what they are, and what was refused did not run.

import { operationsOf } from "../scenarios/recorded.js";
import type { Guarantee } from "../scenarios/scenario.js";
import { namedRun, type Run, tokenDisorder } from "./attempts.js";
import { type Attempt, kindOf, resultOf } from "./dedup-asked.js";
import { type Context, contexts, mayBeResolved, runsByKey } from "./dedup-context.js";
import { firstOf, isOpen, named, told } from "./judge.js";

/** Whether a run ended with an error that says that nothing happened. */
function endedRetryable({ calls }: Context, { operation, result }: Run): boolean {
  const end = calls.get(operation ?? -1)?.input.end;
  return result === "threw" && (end === "throwsRetryableFirst" || end === "throwsRetryable");
}

/** Whether a run's end may be known to have left nothing behind. */
function mayHaveEndedClean(context: Context, earlier: Run, later: Run): boolean {
  const call = context.calls.get(earlier.operation ?? -1);
  if (endedRetryable(context, earlier) || mayBeAskedOf(context, earlier, later)) return true;
  const hadOutcome =
    earlier.result === "returned" ||
    call?.input.end === "throwsFinal" ||
    mayBeKnownByOthers(context, earlier, later);
  return hadOutcome && later.fromUs >= earlier.fromUs + context.stands;
}

/** Whether a call between two runs may have asked the sink, and then found the key too young. */
function mayBeAskedOf({ key, calls }: Context, earlier: Run, later: Run): boolean {
  return [...calls.values()].some((call) => {
    const young = call.key === key && resultOf(call)?.outcome === "notYetValid";
    return young && call.beganUs <= later.fromUs && (call.endedUs ?? 0) >= earlier.fromUs;
  });
}

/** Whether a call between two runs was told an outcome, or may have asked the sink for it. */
function mayBeKnownByOthers({ key, calls }: Context, earlier: Run, later: Run): boolean {
  return [...calls.values()].some((call) => {
    if (call.key !== key || call.id === later.operation || call.beganUs > later.fromUs)
      return false;
    if (call.endedUs !== undefined && call.endedUs < earlier.fromUs) return false;
    return kindOf(call) !== undefined || (call.id !== earlier.operation && isOpen(call));
  });
}

/** Each run with the one before it, if that may have left something behind and nobody resolved it. */
function afterUnknown(
  context: Context,
  judge: (earlier: Run, later: Run) => string | undefined,
): string | undefined {
  const { runs } = context;
  return firstOf(runs.entries(), ([index, later]) => {
    const earlier = runs[index - 1];
    if (earlier === undefined || mayHaveEndedClean(context, earlier, later)) return undefined;
    return mayBeResolved(context, earlier, later) ? undefined : judge(earlier, later);
  });
}

export interface KeptOptions {
  /**
   * Whether a first attempt of which only its lease tells may be forgotten with the retention:
   * under `onCrash: "rerun"`. @defaultValue false
   */
  readonly forgetsCrashes?: boolean;
}

const UNKNOWN_KEPT =
  "An attempt that ended without a known outcome is never deleted and never reopened as clean.";

/** A run after an attempt whose outcome is not known is a takeover, with a higher attempt. */
export function dedupUnknownKept({ forgetsCrashes = false }: KeptOptions = {}): Guarantee {
  return {
    id: "dedup/unknown-kept",
    sentence: UNKNOWN_KEPT,
    judge: (history, setting) =>
      firstOf(contexts(history, setting), (context) =>
        afterUnknown(context, (earlier, later) => {
          const old = later.fromUs >= earlier.fromUs + context.stands;
          return forgetsCrashes && old && !earlier.takeover
            ? undefined
            : forgot(context, earlier, later);
        }),
      ),
  };
}

function forgot({ key }: Context, earlier: Run, later: Run): string | undefined {
  const uncounted = later.attempt === undefined || earlier.attempt === undefined;
  if (later.takeover && (uncounted || Number(later.attempt) > Number(earlier.attempt))) {
    return undefined;
  }
  return `attempt ${later.attempt} of "${key}" (${namedRun(later)}, takeover: ${later.takeover}) forgot attempt ${earlier.attempt} (${namedRun(earlier)})`;
}

/**
 * For scenarios with `onCrash: "rerun"`, where nobody asks the sink: attempts between that say that
 * they did nothing say nothing of the one before them.
 */
export const dedupMarkKept: Guarantee = {
  id: "dedup/mark-kept",
  sentence: UNKNOWN_KEPT,
  judge: (history, setting) =>
    firstOf(contexts(history, setting), (context) =>
      firstOf(context.runs.entries(), ([index, later]) => {
        const before = context.runs.slice(0, index);
        const earlier = [...before].reverse().find((run) => !endedRetryable(context, run));
        if (earlier === undefined || before.at(-1) === earlier) return undefined;
        if (later.fromUs >= earlier.fromUs + context.stands) return undefined;
        if (mayHaveEndedClean(context, earlier, later)) return undefined;
        return mayBeResolved(context, earlier, later) ? undefined : forgot(context, earlier, later);
      }),
    ),
};

/** For scenarios with `onCrash: "park"`: no run follows an attempt whose outcome is not known. */
export const dedupParks: Guarantee = {
  id: "dedup/parks",
  sentence:
    'Under `"park"` the handler is not run again after an attempt whose outcome is not known, until somebody resolves the key.',
  judge: (history, setting) =>
    firstOf(contexts(history, setting), (context) =>
      afterUnknown(
        context,
        (earlier, later) =>
          `${namedRun(later)} of "${context.key}" followed ${namedRun(earlier)}, whose outcome nobody knew`,
      ),
    ),
};

/** From attempt to attempt, the fencing token of a key increases. */
export const dedupTokensIncrease: Guarantee = {
  id: "dedup/tokens-increase",
  sentence: "So a revision serves as fencing token.",
  judge(history) {
    const began = new Map(history.operations.map(({ id, beganUs }) => [id, beganUs]));
    const beganOf = (id: number): number => began.get(id) ?? Number.NEGATIVE_INFINITY;
    return firstOf(runsByKey(history), ([key, runs]) => tokenDisorder(runs, key, beganOf));
  },
};

/** An error that nobody classified is neither a final outcome nor retryable. */
export const dedupUnclassified: Guarantee = {
  id: "dedup/unclassified",
  sentence: "A handler's error that nobody classifies counts as *unknown*.",
  judge(history) {
    const runs = runsByKey(history);
    const calls = new Map(operationsOf(history, "dedup.attempt").map((call) => [call.id, call]));
    const resolves = operationsOf(history, "dedup.resolve");
    return firstOf(calls.values(), (call) => {
      const result = resultOf(call);
      if (result?.outcome === "threw") return misjudged(call, result.disposition);
      if (result?.outcome !== "failed") return undefined;
      const endedUs = call.endedUs ?? call.beganUs;
      const rejected = (runs.get(call.key) ?? []).some(({ operation, fromUs }) => {
        return fromUs <= endedUs && calls.get(operation ?? -1)?.input.end === "throwsFinal";
      });
      const resolved = resolves.some(({ key, beganUs, input }) => {
        return key === call.key && beganUs <= endedUs && input.outcome === "failed";
      });
      if (rejected || resolved) return undefined;
      return `${named(call)} was told ${told(call)}, though no handler of its key threw a final error`;
    });
  },
};

function misjudged(call: Attempt, disposition: string): string | undefined {
  const { end } = call.input;
  const unjudged = end === "throwsAfterEffect" || end === "throwsBeforeEffect";
  if (!unjudged || disposition === "unknown") return undefined;
  return `${named(call)} was told that its unclassified error is ${disposition}`;
}

/** Who is told that the handler did not run had no run. */
export const dedupRefusedNotRun: Guarantee = {
  id: "dedup/refused-not-run",
  sentence:
    "A key that bears its birth time and is older than the retention is *expired* and never run; one born too far in the future is refused until it becomes valid.",
  judge(history) {
    const ran = new Map<number, Run>();
    for (const runs of runsByKey(history).values()) {
      for (const run of runs) if (run.operation !== undefined) ran.set(run.operation, run);
    }
    return firstOf(operationsOf(history, "dedup.attempt"), (call) => {
      const run = ran.get(call.id);
      if (run === undefined || !saysNotRun(call)) return undefined;
      return `${named(call)} was told ${told(call)}, though ${namedRun(run)}`;
    });
  },
};

function saysNotRun(call: Attempt): boolean {
  const result = resultOf(call);
  switch (result?.outcome) {
    case "expired":
    case "notYetValid":
    case "mismatch":
      return true;
    case "indeterminate":
      return result.reason === "acquireUnknown";
    default:
      return false;
  }
}
