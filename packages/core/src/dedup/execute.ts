// From a request to its outcome: acquire, judge the key's age, ask the sink where an earlier
// attempt is unresolved, run the handler once, record what came of it.

import { codeOf, type Final, type Retryable } from "../errors/errors.js";
import { type Acquisition, acquire, awaitRecorded, type Request } from "./acquire.js";
import type { Attempt, Finish } from "./attempt.js";
import type { DedupContext, VerifyContext } from "./context.js";
import { judgeAge } from "./key-time.js";
import type { Disposition, ResolvedDedup, VerifyAnswer } from "./options.js";
import { type DedupResult, type Rejected, recordedFailure, type Settled } from "./outcome.js";

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
  if (acquired === undefined) {
    return acquisition;
  }
  acquired.start(renew);
  const { onCrash, retentionMs, maxSkewMs, emit } = options;
  if (acquisition.takeover && typeof onCrash === "function") {
    const settled = await verify(options, request, acquired);
    if (settled !== undefined) {
      return { acquired: undefined, settled };
    }
  }
  const judged = judgeAge(request.birth, acquisition.now, retentionMs, maxSkewMs);
  if (judged.age === "valid") {
    return acquisition;
  }
  emit(request.key, { type: "expired" });
  const early = judged.age === "early";
  await acquired.refuseKey(judged.age, early ? judged.validInMs : retentionMs);
  const settled: Settled<unknown> = early
    ? { outcome: "notYetValid", validInMs: judged.validInMs }
    : { outcome: "expired" };
  return { acquired: undefined, settled };
}

/** Asks the sink. Undefined: certainly not done, so this attempt runs. */
async function verify(
  options: ResolvedDedup,
  request: Request,
  acquired: Attempt,
): Promise<Settled<unknown> | undefined> {
  const ctx: VerifyContext = {
    key: acquired.key,
    attempt: acquired.attempt,
    fencingToken: acquired.fencingToken,
    signal: acquired.signal,
    childKey: (name) => acquired.childKey(name),
  };
  let answer: VerifyAnswer;
  let cause: unknown;
  try {
    answer = await (options.onCrash as (ctx: VerifyContext) => Promise<VerifyAnswer>)(ctx);
  } catch (error) {
    // No answer is not "no".
    answer = { answer: "unknown" };
    cause = error;
  }
  switch (answer?.answer) {
    case "notDone":
      acquired.clearUnresolved();
      return undefined;
    case "done": {
      const finish = await acquired.complete(answer.value);
      return finish.recorded === false
        ? awaitRecorded(options, request, finish)
        : { outcome: "replayed", value: answer.value };
    }
    case "failed": {
      const finish = await acquired.reject(answer.code, answer.message);
      return finish.recorded === false
        ? awaitRecorded(options, request, finish)
        : recordedFailure(answer.code, answer.message);
    }
    default:
      await acquired.reopen("unknown");
      return { outcome: "indeterminate", reason: "verifyUnknown", cause };
  }
}

/** Runs the handler at most once for this request and records the outcome. */
export async function execute<T>(
  options: ResolvedDedup,
  request: Request,
  handler: Handler<T>,
): Promise<DedupResult<T>> {
  const acquisition = await obtain(options, request, true);
  const { acquired } = acquisition;
  if (acquired === undefined) {
    return acquisition.settled as Settled<T>;
  }
  let value: T;
  try {
    value = await handler(acquired.context());
  } catch (error) {
    return (await failed(options, request, acquired, error)) as DedupResult<T>;
  }
  return completed(options, request, acquired, value);
}

/** Records a value; a late owner gets what another recorded. */
export async function completed<T>(
  options: ResolvedDedup,
  request: Request,
  acquired: Attempt,
  value: T,
): Promise<DedupResult<T>> {
  const { attempt, fencingToken } = acquired;
  const finish = await acquired.complete(value);
  options.emit(request.key, { type: "completed", recorded: finish.recorded });
  if (finish.recorded === false) {
    return (await awaitRecorded(options, request, finish)) as Settled<T>;
  }
  return { outcome: "executed", value, recorded: finish.recorded, attempt, fencingToken };
}

/** Records what a handler's error means. */
export async function failed(
  options: ResolvedDedup,
  request: Request,
  acquired: Attempt,
  error: unknown,
): Promise<DedupResult<never>> {
  const disposition = classify(options, error);
  options.emit(request.key, { type: "failed", disposition });
  if (disposition !== "final") {
    // Refused or unanswered, the caller still gets its own error: what stands is at least as new.
    await acquired.reopen(disposition);
    return { outcome: "threw", error, disposition };
  }
  const finish: Finish = await acquired.reject(codeText(error), messageText(error));
  if (finish.recorded === false) {
    return (await awaitRecorded(options, request, finish)) as Settled<never>;
  }
  const rejected: Rejected = {
    outcome: "failed",
    error,
    replayed: false,
    recorded: finish.recorded,
  };
  return rejected;
}

function classify(options: ResolvedDedup, error: unknown): Disposition {
  const brand = (error as Partial<Final | Retryable> | null | undefined)?.onceproof;
  if (brand === "retryable" || brand === "final") {
    return brand;
  }
  try {
    const judged = options.classify?.(error);
    return judged === "retryable" || judged === "final" ? judged : "unknown";
  } catch {
    return "unknown";
  }
}

function codeText(error: unknown): string {
  const code = codeOf(error);
  return typeof code === "string" && code !== "" ? code : "failed";
}

function messageText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
