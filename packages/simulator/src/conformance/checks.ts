// The kit's own assertions: they name what was expected of the store, and need no test runner.

import type { Applied, Refused, WriteResult } from "@onceproof/core/advanced";

/** The store broke a law. */
export class ConformanceError extends Error {
  override readonly name = "ConformanceError";
}

/** The case could not be run against this store, and nobody else could be told. */
export class ConformanceSkip extends Error {
  override readonly name = "ConformanceSkip";
}

/** The case was ended before its time. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

const LONGEST_SHOWN = 300;

function show(value: unknown): string {
  const text = value instanceof Error ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > LONGEST_SHOWN
    ? `${text.slice(0, LONGEST_SHOWN)}… (${text.length} characters)`
    : text;
}

/** Fails with the message unless the condition holds. */
export function check(condition: boolean, message: string, seen?: unknown): asserts condition {
  if (!condition) {
    throw new ConformanceError(seen === undefined ? message : `${message}; got ${show(seen)}`);
  }
}

/** Fails unless two plain data are the same. */
export function same(actual: unknown, expected: unknown, what: string): void {
  if (canonical(actual) !== canonical(expected)) {
    throw new ConformanceError(`${what}: expected ${show(expected)}, got ${show(actual)}`);
  }
}

function canonical(data: unknown): string {
  return JSON.stringify(data, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

/** Fails unless the write applied. */
export function applied(result: WriteResult, what: string): Applied {
  check(result.outcome === "applied", `${what} must be applied`, result);
  return result;
}

/** Fails unless the write was refused. */
export function refused(result: WriteResult, what: string): Refused {
  check(result.outcome === "refused", `${what} must be refused`, result);
  return result;
}

/** Fails unless it rejects; returns what with. */
export async function rejection(promise: Promise<unknown>, what: string): Promise<unknown> {
  let returned: unknown;
  try {
    returned = await promise;
  } catch (error) {
    return error;
  }
  throw new ConformanceError(`${what} must reject; it returned ${show(returned)}`);
}

/** Fails unless it rejects with a TypeError: the argument was refused before anything was sent. */
export async function badArgument(promise: Promise<unknown>, what: string): Promise<void> {
  const error = await rejection(promise, what);
  check(error instanceof TypeError, `${what} must reject with a TypeError`, error);
}

/** Whether something thrown is an error of this code. */
export function codeIs(error: unknown, code: string): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === code;
}

/** Fails unless it rejects with an error of this code. */
export async function rejectsWith(
  promise: Promise<unknown>,
  code: string,
  what: string,
): Promise<void> {
  const error = await rejection(promise, what);
  check(codeIs(error, code), `${what} must reject with code "${code}"`, error);
}
