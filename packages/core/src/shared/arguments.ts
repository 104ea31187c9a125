// Checks of what a caller passes in. Each throws an ArgumentError that says what to do, before
// anything is sent.

import { AbortedError, ArgumentError } from "../errors/errors.js";

/** The longest key, name or request id a caller may pass, in UTF-16 code units. */
export const MAX_KEY_LENGTH = 1024;

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether a string holds half of a surrogate pair, which no encoding can carry. */
export function hasLoneSurrogate(text: string): boolean {
  // Twice as fast where the engine has it (ES2024).
  const { isWellFormed } = text as { isWellFormed?: () => boolean };
  return isWellFormed ? !isWellFormed.call(text) : LONE_SURROGATE.test(text);
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

/** Any value in words: what a caller hands in need not turn into text. */
export function shown(value: unknown): string {
  return typeof value === "number" || typeof value === "string" ? `${value}` : typeof value;
}

/** A finite number of milliseconds, at least `least`. */
export function checkDuration(ms: unknown, what: string, least = 1): asserts ms is number {
  if (typeof ms !== "number" || !(ms >= least) || ms > Number.MAX_SAFE_INTEGER / 1000 / 4) {
    throw new ArgumentError(
      "durationInvalid",
      `${what} must be a finite number of milliseconds from ${least} on, got ${shown(ms)}`,
    );
  }
}

/** A lease with a margin below it, within the retention. Returns the margin, a tenth by default. */
export function checkLease(leaseMs: number, margin?: number, retentionMs?: number): number {
  checkDuration(leaseMs, "leaseMs");
  const marginMs = margin === undefined ? leaseMs / 10 : margin;
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
  return marginMs;
}

/** A whole number, at least `least`. */
export function checkCount(count: unknown, what: string, least = 1): asserts count is number {
  if (!Number.isSafeInteger(count) || (count as number) < least) {
    throw new ArgumentError(
      "optionInvalid",
      `${what} must be a whole number of at least ${least}, got ${shown(count)}`,
    );
  }
}

/** A function where one is needed. */
export function checkFunction(value: unknown, what: string): void {
  if (typeof value !== "function") {
    throw new ArgumentError("optionInvalid", `${what} must be a function, got ${typeof value}`);
  }
}

/** Throws if the caller's signal has already aborted, or is none. */
export function checkSignal(signal: AbortSignal | undefined): void {
  if (signal) {
    checkFunction(signal.addEventListener, "addEventListener of a signal");
  }
  if (signal?.aborted) {
    throw new AbortedError("aborted", "the caller's signal aborted", { cause: signal.reason });
  }
}

/** The value of a function that has to be synchronous. */
export function checkSynchronous<T>(value: T, what: string): T {
  const { then } = Object(value) as { then?: unknown };
  if (typeof then === "function") {
    // Refused, but still handled: a rejection that nobody hears would end the process.
    then.call(value, ignore, ignore);
    throw new ArgumentError("optionInvalid", `${what} must be synchronous, not return a promise`);
  }
  return value;
}

function ignore(): void {}
