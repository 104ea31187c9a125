// Every error that core throws. Branch on `code`, not on `instanceof`: codes are stable and also
// hold when two copies of the package are installed.

/** Base of everything core throws on purpose, bad arguments apart (those are `ArgumentError`). */
export class OnceproofError<Code extends string = string> extends Error {
  readonly code: Code;

  constructor(code: Code, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
  }
}

/** Codes of bad arguments, thrown before any store call. */
export type ArgumentCode =
  | "keyNotString"
  | "keyEmpty"
  | "keyTooLong"
  | "keyNotWellFormed"
  | "durationInvalid"
  | "leaseExceedsRetention"
  | "inputUnencodable"
  | "valueTooLarge"
  | "writeInvalid"
  | "crossSlot"
  | "optionInvalid";

/** A bad argument: nothing was sent. A TypeError that also carries a code. */
export class ArgumentError extends TypeError {
  readonly code: ArgumentCode;

  constructor(code: ArgumentCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.name = "ArgumentError";
  }
}

/**
 * The store certainly did nothing: it could not be reached, is closed, has no room left, or may evict
 * records, so that their requests would run again.
 */
export class StoreError extends OnceproofError<"unavailable" | "closed" | "full" | "evicting"> {}

/** It may have happened: no answer came within the time allowed, or a person has to decide. */
export class IndeterminateError extends OnceproofError<"indeterminate"> {
  /** Why nobody knows, where dedup says so: `"parked"` needs a person, `"acquireUnknown"` a retry. */
  readonly reason: string | undefined;

  constructor(
    code: "indeterminate",
    message: string,
    options?: { readonly cause?: unknown; readonly reason?: string },
  ) {
    super(code, message, options);
    this.reason = options?.reason;
  }
}

/** Another caller holds the key and did not finish within the wait. */
export class InProgressError extends OnceproofError<"inProgress"> {
  /** When asking again is worth it, in milliseconds. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super("inProgress", message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The same key came with another payload. */
export class MismatchError extends OnceproofError<"mismatch"> {}

/** The key or request is older than what is remembered: it was not run. */
export class ExpiredError extends OnceproofError<"expired"> {}

/** The key bears a birth time in the future, beyond the allowed skew: it was not run. */
export class NotYetValidError extends OnceproofError<"notYetValid"> {}

/** It was done once, but its result could not be stored, so it cannot be returned again. */
export class ValueUnavailableError extends OnceproofError<"valueUnavailable"> {}

/** The lease ended, or another owner took over, before this write. */
export class LeaseLostError extends OnceproofError<"leaseLost"> {}

/** The lock stayed held by another for the whole wait. */
export class LockHeldError extends OnceproofError<"lockHeld"> {}

/** Other writers won every round within the bound; nothing changed. */
export class ContendedError extends OnceproofError<"contended"> {}

/** The caller's signal aborted; `cause` is its reason. */
export class AbortedError extends OnceproofError<"aborted"> {}

/** A token that is not valid for this subject, or was used by another request. */
export class TokenError extends OnceproofError<"tokenInvalid" | "tokenUsed" | "tokenExpired"> {}

/** What is stored is in a format that this version does not know. */
export class FormatError extends OnceproofError<"formatUnknown"> {}

/** Thrown by a handler: certainly no effect happened, so the next attempt may run again. */
export class Retryable extends OnceproofError<"retryable"> {
  /** Read instead of `instanceof`, so that two copies of the package agree. */
  readonly onceproof = "retryable";

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super("retryable", message, options);
  }
}

/**
 * Thrown by a handler: a final business rejection. It is recorded, and duplicates get a `Final`
 * with the same code and message.
 */
export class Final extends OnceproofError {
  /** Read instead of `instanceof`, so that two copies of the package agree. */
  readonly onceproof = "final";
}

/** The `code` of an error, if it has one. */
export function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

/** Every error class of this package. */
export type AnyOnceproofError =
  | ArgumentError
  | StoreError
  | IndeterminateError
  | InProgressError
  | MismatchError
  | ExpiredError
  | NotYetValidError
  | ValueUnavailableError
  | LeaseLostError
  | LockHeldError
  | ContendedError
  | AbortedError
  | TokenError
  | FormatError
  | Retryable
  | Final;
