// From a request to its outcome: acquire, judge the key's age, ask the sink where an earlier
// attempt is unresolved, run the handler once, record what came of it.

import { codeOf, type Final, type Retryable } from "../errors/errors.js";
import { type Acquisition, acquire, awaitRecorded, type Request } from "./acquire.js";
import type { Attempt } from "./attempt.js";
import type { DedupContext } from "./context.js";
import { judgeAge } from "./key-time.js";
import type { Disposition, OnCrash, ResolvedDedup, VerifyAnswer } from "./options.js";
import { type DedupResult, recordedFailure, type Settled } from "./outcome.js";
import { encodeDedup, encodeDone } from "./record.js";

/** What a handler looks like. */
export type Handler<T> = (ctx: DedupContext) => T | Promise<T>;

/** Acquires for running: too old or young keys and earlier attempts are settled first. */
export async function obtain(
  options: ResolvedDedup,
  request: Request,
  renew: boolean,
): Promise<Acquisition> {
  const acquisition = await acquire(options, request);
  const { acquired } = acquisition;
  if (!acquired) {
    return acquisition;
  }
  acquired.start(renew);
  let settled: Settled<unknown> | undefined;
  if (acquired.record.unresolved && typeof options.onCrash === "function") {
    settled = await verify(options, acquired);
  }
  const judged = settled ?? judgeAge(options, request.birth, acquisition.now);
  if (!judged) {
    return acquisition;
  }
  if (!settled) {
    options.emit(request.key, { type: "expired" });
    const { attempt, fingerprint } = acquired.record;
    const early = judged.outcome === "notYetValid";
    const state = early ? "early" : "expired";
    const value = encodeDedup({ state, attempt, fingerprint });
    await acquired.finish(value, early ? judged.validInMs : request.retentionMs);
  }
  return { acquired: undefined, settled: judged };
}

/** Asks the sink. Undefined: certainly not done, so this attempt runs. */
async function verify(
  options: ResolvedDedup,
  acquired: Attempt,
): Promise<Settled<unknown> | undefined> {
  let answer: VerifyAnswer | undefined;
  let cause: unknown;
  try {
    answer = await (options.onCrash as Exclude<OnCrash, string>)(acquired.context);
  } catch (error) {
    // No answer is not "no".
    cause = error;
  }
  switch (answer?.answer) {
    case "notDone":
      acquired.clear();
      return undefined;
    case "done": {
      const { value } = answer;
      const own = { outcome: "replayed", value } as const;
      return recordDone(options, acquired, value, own);
    }
    case "failed": {
      const { code, message } = answer;
      return recordFailed(options, acquired, code, message, recordedFailure(code, message));
    }
    default:
      await acquired.reopen(false);
      return { outcome: "indeterminate", reason: "verifyUnknown", cause };
  }
}

function recordDone<R>(
  options: ResolvedDedup,
  acquired: Attempt,
  value: unknown,
  own: R,
): Promise<R | Settled<never>> {
  const { maxValueBytes } = options.store.capabilities;
  return finish(options, acquired, encodeDone(acquired.record, value, maxValueBytes), own);
}

function recordFailed<R>(
  options: ResolvedDedup,
  acquired: Attempt,
  code: string,
  message: string,
  own: R,
): Promise<R | Settled<never>> {
  const { attempt, fingerprint } = acquired.record;
  const value = encodeDedup({ state: "failed", attempt, fingerprint, code, message });
  return finish(options, acquired, value, own);
}

/** The own answer, with how it was recorded; for a late owner, what another recorded. */
async function finish<R>(
  options: ResolvedDedup,
  acquired: Attempt,
  value: string,
  own: R,
): Promise<R | Settled<never>> {
  const { request } = acquired;
  const finished = await acquired.finish(value);
  const { recorded } = finished;
  options.emit(request.key, { type: "completed", recorded });
  if (recorded === false) {
    return (await awaitRecorded(options, request, finished)) as Settled<never>;
  }
  return recorded === true ? own : { ...own, recorded };
}

/** Runs the handler at most once for this request and records the outcome. */
export async function execute<T>(
  options: ResolvedDedup,
  request: Request,
  handler: Handler<T>,
): Promise<DedupResult<T>> {
  const acquisition = await obtain(options, request, true);
  const { acquired } = acquisition;
  if (!acquired) {
    return acquisition.settled as Settled<T>;
  }
  let value: T;
  try {
    value = await handler(acquired.context);
  } catch (error) {
    return failed(options, acquired, error);
  }
  return completed(options, acquired, value);
}

/** Records a value; a late owner gets what another recorded. */
export function completed<T>(
  options: ResolvedDedup,
  acquired: Attempt,
  value: T,
): Promise<DedupResult<T>> {
  const { fencingToken, record } = acquired;
  const own = { outcome: "executed", value, recorded: true } as const;
  return recordDone(options, acquired, value, { ...own, attempt: record.attempt, fencingToken });
}

/** Records what a handler's error means. */
export async function failed(
  options: ResolvedDedup,
  acquired: Attempt,
  error: unknown,
): Promise<DedupResult<never>> {
  const disposition = classify(options, error);
  options.emit(acquired.request.key, { type: "failed", disposition });
  if (disposition !== "final") {
    // Refused or unanswered, the caller still gets its own error: what stands is at least as new.
    await acquired.reopen(disposition === "retryable");
    return { outcome: "threw", error, disposition };
  }
  const code = codeOf(error);
  return recordFailed(
    options,
    acquired,
    typeof code === "string" && code ? code : "failed",
    error instanceof Error ? error.message : String(error),
    { outcome: "failed", error, replayed: false, recorded: true },
  );
}

function classify(options: ResolvedDedup, error: unknown): Disposition {
  try {
    const brand = (error as Partial<Final | Retryable> | null | undefined)?.onceproof;
    const judged = brand ?? options.classify?.(error);
    return judged === "retryable" || judged === "final" ? judged : "unknown";
  } catch {
    return "unknown";
  }
}
