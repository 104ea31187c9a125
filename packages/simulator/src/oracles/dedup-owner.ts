// What dedup promises of owners that are late: what they are told, and that they begin nothing more.

import type { Looks } from "../scenarios/recorded.js";
import type { Guarantee } from "../scenarios/scenario.js";
import type { History, Span } from "../world/history.js";
import { namedRun, type Run } from "./attempts.js";
import { type Attempt, askedOf, resultOf } from "./dedup-asked.js";
import { type Context, contexts, runsByKey } from "./dedup-context.js";
import { LATE_OWNER } from "./dedup-runs.js";
import { didNothing, firstOf, groupBy, ms, named, told } from "./judge.js";

/** An owner's handler has run: it is told its value or what is recorded, not that telling failed. */
export const dedupOwnerTold: Guarantee = {
  id: "dedup/owner-told",
  sentence: LATE_OWNER,
  judge: (history, setting) =>
    firstOf(contexts(history, setting), (context) =>
      firstOf(context.runs, (run) => {
        const call = context.calls.get(run.operation ?? -1);
        if (call?.answer === undefined || run.result !== "returned") return undefined;
        return (
          failed(call, run) ??
          gaveUp(call, run, setting.times.operationTimeoutMs) ??
          neverLooked(call, run, history)
        );
      }),
    ) ?? firstOf(contexts(history, setting), passedByNobody),
};

function failed(call: Attempt, run: Run): string | undefined {
  if (call.answer === undefined || "returned" in call.answer) return undefined;
  return `${named(call)} was told ${told(call)}, though ${namedRun(run)} returned`;
}

/** The store gave no answer at all only if there was time for one. */
function gaveUp(call: Attempt, run: Run, answerMs: number): string | undefined {
  const result = resultOf(call);
  if (result === undefined || !("recorded" in result) || result.recorded !== "unknown") {
    return undefined;
  }
  const waitedUs = (call.endedUs ?? 0) - (run.untilUs ?? 0);
  // Its own clocks may run a little fast.
  if (waitedUs >= 0.99 * answerMs * 1000) return undefined;
  return `${named(call)} was told ${told(call)} ${ms(waitedUs)} after ${namedRun(run)} returned`;
}

/**
 * A write without an answer does not tell that the store gives none at all: its process may have stood
 * still meanwhile. Who says so has looked since.
 */
function neverLooked(call: Attempt, run: Run, { findings }: History): string | undefined {
  const { of, looks } = (findings.looks ?? { of: [], looks: [] }) as Looks;
  const result = resultOf(call);
  const { by, life, endedUs = 0 } = call;
  if (!of.includes(by) || result === undefined || !("recorded" in result)) return undefined;
  const looked = looks.some((look) => {
    const own = look.by === by && look.life === life;
    return own && look.atUs >= (run.untilUs ?? 0) && look.atUs <= endedUs;
  });
  if (result.recorded !== "unknown" || looked) return undefined;
  return `${named(call)} was told recorded "unknown", though it never looked after ${namedRun(run)}`;
}

/** Who was passed by was passed by somebody. */
function passedByNobody({ key, calls, resolves }: Context): string | undefined {
  const onKey = [...calls.values()].filter((call) => call.key === key);
  return firstOf(onKey, (call) => {
    const result = resultOf(call);
    if (result?.outcome !== "indeterminate" || result.reason !== "superseded") return undefined;
    const endedUs = call.endedUs ?? call.beganUs;
    const others = onKey.filter(({ id }) => id !== call.id);
    const passed = [...others, ...resolves].some((each) => {
      return each.beganUs <= endedUs && !didNothing(each);
    });
    if (passed) return undefined;
    return `${named(call)} was told ${told(call)}, though nobody else asked for "${key}"`;
  });
}

/** Once a newer attempt runs, an older one begins neither its handler nor a step. */
export const dedupLateStart: Guarantee = {
  id: "dedup/late-start",
  sentence:
    "No handler and no step begins once the lease may have ended by this machine's own clocks; an answer that came too late is renewed first.",
  judge(history) {
    const began = history.spans.filter(({ kind }) => kind === "handler" || kind === "step");
    const byKey = groupBy(began, ({ key }) => key);
    return firstOf(runsByKey(history), ([key, runs]) =>
      firstOf(byKey.get(key) ?? [], (span) => {
        const newer = runs.find(
          ({ token, fromUs }) => isOlder(span, token) && fromUs < span.fromUs,
        );
        if (newer === undefined) return undefined;
        return `${span.by} began the ${span.kind} of "${key}" at ${ms(span.fromUs)} with token ${span.fencingToken}, after ${namedRun(newer)} had begun with token ${newer.token}`;
      }),
    );
  },
};

function isOlder({ fencingToken }: Span, token: number | undefined): boolean {
  return fencingToken !== undefined && token !== undefined && fencingToken < token;
}

/** Answers of calls that have only looked, unless they had acquired the key and lost it meanwhile. */
const LOOKED = new Set<unknown>(["replayed", "inProgress", "mismatch", "parked"]);

/** Whether a call may have left an attempt behind: by its run, its answer or its length. */
function mayLeaveAttempt(
  call: Attempt,
  ran: ReadonlySet<number | undefined>,
  leaseUs: number,
): boolean {
  if (ran.has(call.id) || call.endedUs === undefined) {
    return true;
  }
  if (!didNothing(call) && call.endedUs - call.beganUs >= leaseUs) {
    // It may have acquired the key and lost it before its handler began.
    return true;
  }
  const result = resultOf(call);
  const word = result?.outcome === "indeterminate" ? result.reason : result?.outcome;
  return !didNothing(call) && !LOOKED.has(word);
}

/** A key has an attempt to be taken over, or parked for, only if some call may have left one. */
export const dedupUnavailableLeavesNothing: Guarantee = {
  id: "dedup/unavailable-leaves-nothing",
  sentence:
    "A store that cannot be reached fails with *unavailable* only if nothing can have happened.",
  judge(history, setting) {
    const runs = runsByKey(history);
    return firstOf(askedOf(history, setting), ({ key, calls }) => {
      const onKey = runs.get(key) ?? [];
      const ran = new Set(onKey.map(({ operation }) => operation));
      const tookOver = new Set(
        onKey.filter(({ takeover }) => takeover).map(({ operation }) => operation),
      );
      return firstOf(calls, (call) => {
        const result = resultOf(call);
        const parked = result?.outcome === "indeterminate" && result.reason === "parked";
        if (!parked && !tookOver.has(call.id)) return undefined;
        const cause = calls.some((other) => {
          const before = other.beganUs <= (call.endedUs ?? Number.POSITIVE_INFINITY);
          return (
            other.id !== call.id &&
            before &&
            mayLeaveAttempt(other, ran, setting.times.leaseMs * 1000)
          );
        });
        if (cause) return undefined;
        return `${named(call)} ${parked ? "was told parked" : "took over"}, though every other call for "${key}" did nothing`;
      });
    });
  },
};
