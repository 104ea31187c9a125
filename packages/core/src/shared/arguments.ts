// Checks of what a caller passes in. Each throws an ArgumentError that says what to do, before
// anything is sent.

import { AbortedError, ArgumentError } from "../errors/errors.js";

/** The longest key, name or request id a caller may pass, in UTF-16 code units. */
export const MAX_KEY_LENGTH = 1024;

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether a string holds half of a surrogate pair, which no encoding can carry. */
export function hasLoneSurrogate(text: string): boolean {
  return LONE_SURROGATE.test(text);
}

/** A non-empty, well-formed string of bounded length: a key, a name, a subject, a request id. */
export function checkKey(key: unknown, what: string): asserts key is string {
  if (typeof key !== "string") {
    throw new ArgumentError("keyNotString", `${what} must be a string, got ${typeof key}`);
  }
  if (key === "") {
    throw new ArgumentError("keyEmpty", `${what} must not be empty`);
  }
  if (key.length > MAX_KEY_LENGTH) {
    throw new ArgumentError(
      "keyTooLong",
      `${what} is longer than ${MAX_KEY_LENGTH} characters: hash it`,
    );
  }
  if (hasLoneSurrogate(key)) {
    throw new ArgumentError("keyNotWellFormed", `${what} holds a lone surrogate`);
  }
}

/** A finite number of milliseconds, at least `least`. */
export function checkDuration(ms: unknown, what: string, least = 1): asserts ms is number {
  if (typeof ms !== "number" || !(ms >= least) || ms > Number.MAX_SAFE_INTEGER / 1000 / 4) {
    throw new ArgumentError(
      "durationInvalid",
      `${what} must be at least ${least} milliseconds, got ${String(ms)}`,
    );
  }
}

/** A lease with a margin below it, within the retention. */
export function checkLease(leaseMs: number, marginMs: number, retentionMs?: number): void {
  checkDuration(leaseMs, "leaseMs");
  checkDuration(marginMs, "marginMs", 0);
  if (marginMs >= leaseMs) {
    throw new ArgumentError("optionInvalid", `marginMs must be below leaseMs (${leaseMs})`);
  }
  if (retentionMs !== undefined) {
    checkDuration(retentionMs, "retentionMs");
    if (leaseMs > retentionMs) {
      throw new ArgumentError(
        "leaseExceedsRetention",
        `leaseMs exceeds retentionMs (${retentionMs})`,
      );
    }
  }
}

/** A whole number, at least `least`. */
export function checkCount(count: unknown, what: string, least = 1): asserts count is number {
  if (!Number.isSafeInteger(count) || (count as number) < least) {
    throw new ArgumentError(
      "optionInvalid",
      `${what} must be a whole number of at least ${least}, got ${String(count)}`,
    );
  }
}

/** A function where one is needed. */
export function checkFunction(value: unknown, what: string): void {
  if (typeof value !== "function") {
    throw new ArgumentError("optionInvalid", `${what} must be a function, got ${typeof value}`);
  }
}

/** Throws if the caller's signal has already aborted. */
export function checkSignal(signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new AbortedError("aborted", "the caller's signal aborted", { cause: signal.reason });
  }
}
