// What must hold of every play, whatever went wrong in it: the guarantee sentences of dedup, judged
// from what callers, handlers and the sink saw.

import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { Answer, Moment, Play } from "./dedup-play.ts";

/** What `run` and `attempt` may throw; anything else is a defect. */
const CODES = new Set<unknown>(["unavailable"]);

const isOutcome = ({ seen }: Moment): boolean => seen.state === "done" || seen.state === "failed";

/** The value of an answer whose caller may rely on it; undefined if it has none. */
function reliable({ result }: Answer): { readonly value: unknown } | undefined {
  switch (result?.outcome) {
    case "replayed":
      return { value: result.value };
    case "executed":
      return result.recorded === "unknown" ? undefined : { value: result.value };
    default:
      return undefined;
  }
}

/** A recorded outcome never changes, and is what was recorded for the rest of the retention. */
export function outcomesNeverChange({ history }: Play): void {
  for (const moments of history.values()) {
    const first = moments.findIndex(isOutcome);
    for (const { seen } of first < 0 ? [] : moments.slice(first)) {
      expect(seen, "a recorded outcome never changes").toStrictEqual(moments[first]?.seen);
    }
  }
}

/**
 * An attempt whose lease runs is never taken over: the store's own clock judges it. Where that clock
 * steps back, a lease that was seen lapsed may run again when the takeover arrives.
 */
export function liveAttemptsAreLeftAlone({ history, script }: Play): void {
  const jumps = script.plan.some(({ fault }) => fault === "clockOffset");
  for (const moments of jumps ? [] : history.values()) {
    for (const [index, { seen, storeMs }] of moments.entries()) {
      const before = moments[index - 1];
      if (before?.seen.state === "running" && "attempt" in seen) {
        const takenOver = seen.attempt > before.seen.attempt;
        const lapsesMs = before.storeMs + before.seen.leaseLeftMs;
        // Either side is rounded to the microsecond.
        expect(takenOver && storeMs < lapsesMs - 0.01, "a live attempt is left alone").toBe(false);
      }
    }
  }
}

/** Every caller with that key gets the one recorded outcome. */
export function callersAgree({ answers, history }: Play): void {
  for (const answer of answers) {
    const recorded = history.get(answer.key)?.find(isOutcome)?.seen;
    const own = reliable(answer);
    if (own !== undefined) {
      expect(recorded, "a value that is told is recorded").toMatchObject({ state: "done" });
      expect(own.value, "all callers get the recorded value").toStrictEqual(
        (recorded as { value: unknown }).value,
      );
    }
    const { result } = answer;
    if (result?.outcome === "failed" && result.recorded === true) {
      const { code } = result.error as { code: string };
      expect(recorded, "all callers get the recorded rejection").toMatchObject({
        state: "failed",
        code,
      });
    }
  }
}

/** A value never reaches a caller with another fingerprint than the one that made it. */
export function fingerprintsHold({ answers, runs }: Play): void {
  for (const answer of answers) {
    const { fingerprint } = answer.call;
    const value = reliable(answer)?.value;
    const maker = runs.find((run) => value !== undefined && isDeepStrictEqual(run.value, value));
    const made = maker?.call.fingerprint;
    if (fingerprint !== undefined && made !== undefined) {
      expect(made, "a response never reaches another payload").toBe(fingerprint);
    }
  }
}

/** Answers are honest about what this call did and about what is not known. */
export function answersAreHonest({ answers }: Play): void {
  for (const { runs, result, code, stored } of answers) {
    expect(runs.length, "a call never runs its handler twice").toBeLessThanOrEqual(1);
    const [run] = runs;
    if (result === undefined) {
      expect(CODES, `an undocumented error: ${String(code)}`).toContain(code);
      expect(run, "unavailable is only told of a call that did nothing").toBeUndefined();
      continue;
    }
    switch (result.outcome) {
      case "executed":
        expect(run?.ended, "executed: the handler returned").toBe("returns");
        expect(result.value, "executed: with this very value").toBe(run?.value);
        expect(result).toMatchObject({ attempt: run?.attempt, fencingToken: run?.fencingToken });
        if (result.recorded === true) {
          expect(stored, "recorded: true is told of what is stored").toMatchObject({
            state: "done",
          });
        }
        break;
      case "threw":
        expect(run, "threw: the handler ran").toBeDefined();
        expect(result.disposition, "only Retryable is called retryable").toBe(
          run?.ended === "throwsRetryable" ? "retryable" : "unknown",
        );
        break;
      case "inProgress":
      case "mismatch":
        expect(run, `${result.outcome}: this call ran nothing`).toBeUndefined();
        break;
      case "indeterminate":
        if (result.reason !== "superseded") {
          expect(run, `${result.reason}: this call ran nothing`).toBeUndefined();
        }
        break;
      default:
        expect(["replayed", "failed"]).toContain(result.outcome);
    }
  }
}

/** Attempts are counted, their tokens rise, and the evidence of an unknown end never vanishes. */
export function attemptsAreCounted({ runs, verified, script }: Play): void {
  for (const run of runs) {
    const earlier = runs.slice(0, run.id).filter(({ key }) => key === run.key);
    const before = runs.filter(({ key, attempt }) => key === run.key && attempt < run.attempt);
    for (const other of earlier) {
      expect(other.attempt, "no two runs share an attempt").not.toBe(run.attempt);
    }
    for (const other of before) {
      expect(other.fencingToken, "tokens rise with attempts").toBeLessThan(run.fencingToken);
    }
    // A person may say that nothing was done although something was.
    if (!run.takeover && script.people.length === 0) {
      // A sink that answered "not done" refuses whatever bears an older token than it was asked with.
      const fences = verified
        .filter(({ key, answer }) => key === run.key && answer === "notDone")
        .map(({ fencingToken }) => fencingToken)
        .filter((token) => token <= run.fencingToken);
      const fence = Math.max(0, ...fences);
      for (const other of before.filter(({ fencingToken }) => fencingToken >= fence)) {
        expect(other.ended, "an unknown end is never reopened as clean").toBe("throwsRetryable");
      }
    }
  }
}

/** After healing every key settles; it is parked only if an attempt ended without an outcome. */
export function everyKeySettles(play: Play, may: { readonly park: boolean }): void {
  for (const { key, result } of may.park ? [] : play.answers) {
    expect(result, `${key} is parked for no reason`).not.toMatchObject({ reason: "parked" });
  }
  for (const [key, { result, code }] of play.settled) {
    const outcome = result?.outcome ?? `code ${String(code)}`;
    const settled = ["executed", "replayed", "failed"];
    if (may.park && result?.outcome === "indeterminate") {
      expect(result.reason, `${key} is parked`).toBe("parked");
    } else {
      expect(settled, `${key} ends as ${outcome}`).toContain(outcome);
    }
  }
}

/** A person's word is recorded only where nothing else is, and then it is what everybody gets. */
export function peopleOverwriteNothing({ resolved, history }: Play): void {
  for (const { key, person, result, stored } of resolved) {
    if (result.outcome === "resolved" && person.outcome !== "notDone") {
      expect(stored, "what a person resolved is recorded").toMatchObject(
        person.outcome === "done"
          ? { state: "done", value: { run: "a person" } }
          : { state: "failed", code: "a person" },
      );
      const first = history.get(key)?.find(isOutcome)?.seen;
      expect(first, "a person never overwrites an outcome").toStrictEqual(stored);
    }
    if (result.outcome === "alreadyRecorded") {
      expect(["done", "failed"], "alreadyRecorded").toContain(stored.state);
    }
  }
}

/** How many effects took place under each key. */
export function effectsPerKey({ sink }: Play): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { key } of sink.effects) {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** All sentences that hold under every policy. */
export function holdsAlways(play: Play): void {
  outcomesNeverChange(play);
  liveAttemptsAreLeftAlone(play);
  peopleOverwriteNothing(play);
  callersAgree(play);
  fingerprintsHold(play);
  answersAreHonest(play);
  attemptsAreCounted(play);
  expect(play.repeatedSteps, "a recorded step is never run again").toEqual([]);
}
