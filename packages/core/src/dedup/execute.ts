// From a request to its outcome: acquire, judge the key's age, ask the sink where an earlier
// attempt is unresolved, run the handler once, record what came of it.

import type { Final, Retryable } from "../errors/errors.js";
import { type Acquisition, acquire, awaitRecorded } from "./acquire.js";
import type { Attempt } from "./attempt.js";
import type { DedupContext } from "./context.js";
import { judgeAge } from "./key-time.js";
import type { Disposition, OnCrash, ResolvedDedup, VerifyAnswer } from "./options.js";
import { type DedupResult, type Rejected, recordedFailure, type Settled } from "./outcome.js";
import { type Rejection, rejection } from "./record.js";
import type { Request } from "./request.js";

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
  if (acquired.context.takeover && typeof options.onCrash === "function") {
    settled = await verify(options, acquired);
  }
  const judged = settled ?? judgeAge(options, request.birth, acquisition.now);
  if (!judged) {
    return acquisition;
  }
  if (!settled) {
    options.emit(request.key, { type: "expired" });
    if (judged.outcome !== "notYetValid") {
      await acquired.finish({ state: "expired" });
    } else if (acquired.context.attempt > 1) {
      // An earlier attempt found the key valid, and the clock stepped back: keep what that one left.
      await acquired.reopen(true);
    } else {
      await acquired.finish({ state: "early" }, judged.validInMs);
    }
  }
  return { acquired: undefined, settled: judged };
}

/** Asks the sink. Undefined: certainly not done, so this attempt runs. */
async function verify(
  options: ResolvedDedup,
  acquired: Attempt,
): Promise<Settled<unknown> | undefined> {
  let settled: { value: unknown } | Rejected | "notDone" | undefined;
  let cause: unknown;
  try {
    settled = readAnswer(await (options.onCrash as Exclude<OnCrash, string>)(acquired.context));
  } catch (error) {
    // No answer is not "no".
    cause = error;
  }
  if (settled === "notDone" && acquired.leased()) {
    acquired.clear();
    return undefined;
  }
  if (settled && settled !== "notDone") {
    return conclude(options, acquired, settled as Settled<unknown> & { value: unknown });
  }
  // Also where the answer came so late that another may have acted on a later one.
  const reopened = await acquired.reopen(false);
  return reopened.recorded === false
    ? awaitRecorded(options, acquired.request, reopened)
    : { outcome: "indeterminate", reason: "verifyUnknown", cause };
}

/** What an answer stands for; undefined if it is none. */
function readAnswer(answer: VerifyAnswer): { value: unknown } | Rejected | "notDone" | undefined {
  switch (answer?.answer) {
    case "notDone":
      return "notDone";
    case "done":
      return { outcome: "replayed", value: answer.value } as { value: unknown };
    case "failed": {
      const { code, message } = answer;
      const text = typeof code === "string" && typeof message === "string";
      return text ? recordedFailure(code, message) : undefined;
    }
    default:
      return undefined;
  }
}

/** Records this owner's answer and gives it back; a late owner gets what another recorded. */
async function conclude<R extends { value: unknown } | Rejected>(
  options: ResolvedDedup,
  acquired: Attempt,
  own: R,
): Promise<R | Settled<never>> {
  const finished = await acquired.finish("error" in own ? rejectionOf(own.error) : own);
  const { recorded } = finished;
  options.emit(acquired.request.key, { type: "completed", recorded });
  if (recorded === false) {
    return (await awaitRecorded(options, acquired.request, finished)) as Settled<never>;
  }
  return "recorded" in own && own.recorded !== recorded ? { ...own, recorded } : own;
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
  return await completed(options, acquired, value);
}

/** Records a value. */
export function completed<T>(
  options: ResolvedDedup,
  acquired: Attempt,
  value: T,
): Promise<DedupResult<T>> {
  const { attempt, fencingToken } = acquired.context;
  const own = { outcome: "executed", value, recorded: true, attempt, fencingToken } as const;
  return conclude(options, acquired, own);
}

/** Records what a handler's error means. */
export async function failed(
  options: ResolvedDedup,
  acquired: Attempt,
  error: unknown,
): Promise<DedupResult<never>> {
  const disposition = classify(options, error);
  options.emit(acquired.request.key, { type: "failed", disposition });
  if (disposition === "final") {
    const own = { outcome: "failed", error, replayed: false, recorded: true } as const;
    return conclude(options, acquired, own);
  }
  // Refused or unanswered, the caller still gets its own error: what stands is at least as new.
  await acquired.reopen(disposition === "retryable");
  return { outcome: "threw", error, disposition };
}

export function classify(options: ResolvedDedup, error: unknown): Disposition {
  try {
    const brand = (error as Partial<Final | Retryable> | null | undefined)?.onceproof;
    const judged = brand ?? options.classify?.(error);
    return judged === "retryable" || judged === "final" ? judged : "unknown";
  } catch {
    return "unknown";
  }
}

/** What is kept of a rejection: of any thing that can be thrown, since classify may judge it so. */
export function rejectionOf(error: unknown): Rejection {
  let code: unknown;
  let message: unknown;
  try {
    ({ code, message = String(error) } = Object(error) as Partial<Final>);
  } catch {
    // It can't even be looked at.
  }
  const text = (value: unknown, otherwise: string): string =>
    typeof value === "string" ? value : otherwise;
  return rejection(text(code, "failed"), text(message, ""));
}
