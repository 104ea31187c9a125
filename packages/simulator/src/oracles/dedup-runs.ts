// What dedup promises of running handlers, judged by what the nodes themselves saw: one at a time,
// never after the outcome, no takeover within a lease, and no late owner's own value.

import type { Guarantee } from "../scenarios/scenario.js";
import { namedRun, overlap } from "./attempts.js";
import { askedOf, resultOf } from "./dedup-asked.js";
import { type Context, contexts, mayBeResolved, runsByKey } from "./dedup-context.js";
import { equal } from "./equality.js";
import { firstOf, ms, named, retentionUs, told } from "./judge.js";

const ONE_AT_A_TIME =
  "The handler runs at most once at a time for as long as its owner's lease is not taken over, and never again after an outcome is recorded.";
/** What a late owner is told. */
export const LATE_OWNER: string =
  'A late owner (paused beyond its lease, and taken over) returns what is recorded, never its own value. Only where the store gives it no answer at all does it return its own, and `attempt` says so: `recorded: "unknown"`.';

/** While an owner's lease is not taken over, no other handler of its key runs. */
export const dedupOneAtATime: Guarantee = {
  id: "dedup/one-at-a-time",
  sentence: ONE_AT_A_TIME,
  judge(history, { times }) {
    const stands = retentionUs(times);
    return firstOf(runsByKey(history), ([key, runs]) =>
      firstOf(runs.entries(), ([index, later]) => {
        // What stood still for longer than anything is remembered is not known to who comes then.
        const known = runs.slice(0, index).filter(({ fromUs }) => later.fromUs < fromUs + stands);
        return known.length === 0 ? undefined : overlap([...known, later], key);
      }),
    );
  },
};

/** Once somebody was told a recorded outcome, no handler of that key starts. */
export const dedupNeverAgain: Guarantee = {
  id: "dedup/never-again",
  sentence: ONE_AT_A_TIME,
  judge(history, setting) {
    const runs = runsByKey(history);
    return firstOf(askedOf(history, setting), ({ key, tellings }) =>
      firstOf(runs.get(key) ?? [], (run) => {
        const known = tellings.find(
          ({ knownUs, noRunUntilUs }) => knownUs < run.fromUs && run.fromUs < noRunUntilUs,
        );
        if (known === undefined) return undefined;
        return `the handler of "${key}" ran again (${namedRun(run)}) after ${named(known.call)} was told ${told(known.call)}`;
      }),
    );
  },
};

/** Nobody takes over before the lease of a running handler, counted from its call, has lapsed. */
export const dedupLeaseRespected: Guarantee = {
  id: "dedup/lease-respected",
  sentence: ONE_AT_A_TIME,
  judge: (history, setting) =>
    firstOf(contexts(history, setting), (context) =>
      firstOf(context.runs.entries(), ([index, later]) => {
        const early = context.runs.slice(0, index).find((earlier) => {
          const call = context.calls.get(earlier.operation ?? -1);
          if (call === undefined || call.id === later.operation) return false;
          const ended = earlier.untilUs ?? call.endedUs ?? Number.POSITIVE_INFINITY;
          if (ended <= later.fromUs || mayBeResolved(context, earlier, later)) return false;
          return later.fromUs < call.beganUs + context.leaseUs;
        });
        if (early === undefined) return undefined;
        return `${namedRun(later)} of "${context.key}" took over within ${ms(context.leaseUs)} of ${namedRun(early)}`;
      }),
    ),
};

function lateOwner({ calls, runs, key }: Context): string | undefined {
  return firstOf(runs, (late) => {
    const call = calls.get(late.operation ?? -1);
    const result = call && resultOf(call);
    if (
      call?.endedUs === undefined ||
      result?.outcome !== "executed" ||
      result.recorded === "unknown"
    ) {
      return undefined;
    }
    const endedUs = call.endedUs;
    const successor = runs.find(({ operation, fromUs, token }) => {
      return operation !== call.id && fromUs < endedUs && (token ?? 0) > result.fencingToken;
    });
    if (successor === undefined) return undefined;
    // A sink that dedups may have given both the same value: then its own is what is recorded.
    const same = [...calls.values()].some((other) => {
      const others = resultOf(other);
      const tells = others?.outcome === "replayed" || others?.outcome === "executed";
      return (
        tells && other.key === key && other.id !== call.id && equal(others.value, result.value)
      );
    });
    const returned = successor.result === "returned" && (successor.untilUs ?? 0) <= endedUs;
    if (same || returned) return undefined;
    return `${named(call)} was told ${told(call)} after ${namedRun(successor)} had taken over`;
  });
}

/** An owner that was taken over does not say that its own value was recorded. */
export const dedupLateOwner: Guarantee = {
  id: "dedup/late-owner",
  sentence: LATE_OWNER,
  judge: (history, setting) => firstOf(contexts(history, setting), lateOwner),
};
