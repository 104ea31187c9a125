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
  const text =
    value instanceof Error ? String(value) : (JSON.stringify(named(value)) ?? String(value));
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
  return JSON.stringify(named(data));
}

/**
 * The data with the fields that the contract names, in one order. A store may hold more in an entry
 * or a stamp, and may make either of a class with getters.
 */
function named(data: unknown): unknown {
  if (typeof data !== "object" || data === null || data instanceof Error) {
    return data;
  }
  if (Array.isArray(data)) {
    return data.map(named);
  }
  const fields = data as Readonly<Record<string, unknown>>;
  const names =
    "stamp" in data
      ? ["expiresAt", "stamp", "value", "writtenAt"]
      : "opId" in data && "revision" in data
        ? ["opId", "revision"]
        : Object.keys(data).sort();
  return Object.fromEntries(names.map((name) => [name, named(fields[name])]));
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
