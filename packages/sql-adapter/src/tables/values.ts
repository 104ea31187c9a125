// What a user's rows may hold, checked before anything is sent, and what comes back of numbers.

import { ArgumentError, FormatError } from "@onceproof/core/advanced";
import type { Dialect } from "../shared/dialect.js";

/** A value of one column, as the driver takes it; objects go where the driver encodes JSON. */
export type Value = string | number | bigint | boolean | null | Date | Uint8Array | object;

/** Values by column. */
export type Values = Readonly<Record<string, Value>>;

/** A row as its driver returns it. */
export type Row = Readonly<Record<string, unknown>>;

/** One column and its value. */
export type Assignment = readonly [column: string, value: unknown];

const TAKEN = new Set(["string", "number", "bigint", "boolean", "object"]);

/** The value as a driver of the dialect takes it. */
export function checkValue(dialect: Dialect, value: unknown, what: string): unknown {
  if (!TAKEN.has(typeof value) || Number.isNaN(value)) {
    throw new ArgumentError("optionInvalid", `${what} must have a value, got ${typeof value}`);
  }
  if (dialect !== "sqlite") {
    return value;
  }
  if (typeof value === "boolean") {
    return value ? 1 : 0;
  }
  if (typeof value === "object" && value !== null && !(value instanceof Uint8Array)) {
    throw new ArgumentError("optionInvalid", `${what}: SQLite has no such type, give text`);
  }
  return value;
}

/** The assignments of a record, none of them to a column that is not the caller's to set. */
export function assignmentsOf(
  dialect: Dialect,
  record: unknown,
  what: string,
  reserved: readonly (string | null)[] = [],
): Assignment[] {
  if (typeof record !== "object" || record === null || Array.isArray(record)) {
    throw new ArgumentError("optionInvalid", `${what} must be an object of columns`);
  }
  return Object.entries(record).map(([column, value]) => {
    if (reserved.some((name) => name?.toLowerCase() === column.toLowerCase())) {
      throw new ArgumentError("optionInvalid", `${what} must not set ${column}`);
    }
    return [column, checkValue(dialect, value, `${what}: ${column}`)] as const;
  });
}

/** A whole number that a driver returned as a number, a string or a bigint. */
export function wholeNumber(column: unknown, what: string): number {
  const number = column === null || column === "" ? Number.NaN : Number(column);
  if (!Number.isSafeInteger(number)) {
    throw new FormatError("formatUnknown", `${what} is no whole number that can be told exactly`);
  }
  return number;
}

/** Whether a condition that the database judged is true, in any driver's words. */
export function isTrue(column: unknown): boolean {
  // Without a parser of its type Postgres says "t".
  return column === true || column === "t" || Number(column) === 1;
}
