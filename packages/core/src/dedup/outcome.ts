// What dedup answers: tagged unions, never judged by falsiness, and the errors that `run` makes of
// them.

import {
  ExpiredError,
  Final,
  IndeterminateError,
  InProgressError,
  MismatchError,
  NotYetValidError,
  ValueUnavailableError,
} from "../errors/errors.js";
import type { Disposition } from "./options.js";

/** This call ran the handler and it returned. */
export interface Executed<T> {
  readonly outcome: "executed";
  readonly value: T;
  /** `"unknown"`: the value is right, but whether it was recorded is not known. */
  readonly recorded: true | "unknown";
  readonly attempt: number;
  readonly fencingToken: number;
}

/** This call ran the handler and it threw what may be tried again, or what nobody can judge. */
export interface Threw {
  readonly outcome: "threw";
  /** The handler's own error. */
  readonly error: unknown;
  readonly disposition: Exclude<Disposition, "final">;
}

/** A final business rejection, by this call or recorded before. */
export interface Rejected {
  readonly outcome: "failed";
  /** The handler's own error for the first caller, a `Final` with code and message for others. */
  readonly error: unknown;
  readonly replayed: boolean;
  readonly recorded: true | "unknown";
}

/** Why nobody knows. */
export type IndeterminateReason =
  /** The acquiring write was not confirmed by the deadline; the handler did not run. */
  | "acquireUnknown"
  /** An earlier attempt ended without a known outcome, and a person has to resolve it. */
  | "parked"
  /** The sink gave no answer about an earlier attempt. */
  | "verifyUnknown"
  /** Another owner took over, and recorded nothing within the wait. */
  | "superseded";

/** Another caller is at work. */
export interface InProgress {
  readonly outcome: "inProgress";
  /** When asking again is worth it, in milliseconds. */
  readonly retryAfterMs: number;
  /**
   * When the lease of who is at work ends unless it is renewed, in milliseconds; absent where there
   * is none: within a transaction.
   */
  readonly leaseEndsInMs?: number;
}

/** What stands for a key that this call did not run. */
export type Settled<T> =
  | { readonly outcome: "replayed"; readonly value: T }
  /** It was done once; its result could not be stored. */
  | { readonly outcome: "valueUnavailable" }
  | Rejected
  | InProgress
  | { readonly outcome: "mismatch" }
  | { readonly outcome: "expired" }
  | { readonly outcome: "notYetValid"; readonly validInMs: number }
  | {
      readonly outcome: "indeterminate";
      readonly reason: IndeterminateReason;
      readonly cause?: unknown;
    };

export type DedupResult<T> = Executed<T> | Threw | Settled<T>;

const REASONS: { readonly [reason in IndeterminateReason]: string } = {
  acquireUnknown: "the store did not confirm and the handler did not run: ask again with this key",
  parked: "an earlier attempt may have taken effect: a person must look, then resolve() the key",
  verifyUnknown: "an earlier attempt may have taken effect, and the sink could not tell: ask again",
  superseded: "another owner took over and has recorded nothing yet: ask again with this key",
};

/** The value of a result, or the coded error that it stands for. */
export function unwrap<T>(result: DedupResult<T>): T {
  const { outcome } = result;
  switch (outcome) {
    case "executed":
    case "replayed":
      return result.value;
    case "threw":
    case "failed":
      throw result.error;
    case "valueUnavailable":
      throw new ValueUnavailableError(outcome, "it was done, but its result was not storable");
    case "inProgress":
      throw new InProgressError("another caller is still at work", result.retryAfterMs);
    case "mismatch":
      throw new MismatchError(outcome, "the key came with another payload before");
    case "expired":
      throw new ExpiredError(outcome, "the key is older than the retention: it was not run");
    case "notYetValid":
      throw new NotYetValidError(outcome, "the key's time lies too far in the future");
    case "indeterminate":
      throw new IndeterminateError(outcome, REASONS[result.reason], result);
  }
}

/** The error that duplicates of a final rejection get. */
export function recordedFailure(code: string, message: string): Rejected {
  return { outcome: "failed", error: new Final(code, message), replayed: true, recorded: true };
}
