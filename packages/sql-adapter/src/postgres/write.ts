// Which statement a write is on Postgres, and its parameters.

import type { Deadline, Write } from "@onceproof/core/advanced";
import { isCreate } from "../shared/judge.js";
import { keyBytes } from "../shared/key-bytes.js";
import { micros } from "../shared/micros.js";
import { valueBytes } from "../shared/row.js";
import type { Statement } from "../shared/session.js";
import type { Statements } from "./statements.js";

/** The statement of one write, and its parameters from the fourth on. */
export function stepOf(
  write: Write,
  statements: Statements,
): readonly [Statement, readonly unknown[]] {
  if (isCreate(write)) {
    const { expect, next } = write;
    const since = expect === "absent" ? Number.MAX_SAFE_INTEGER : expect.absentSince;
    return [statements.create, [since, valueBytes(next.value), micros(next.ttlMs)]];
  }
  const { expect, next } = write;
  const stamp = [expect.revision, expect.opId];
  if (next === "removed") {
    return [statements.remove, stamp];
  }
  if ("touch" in next) {
    return [statements.touch, [...stamp, micros(next.ttlMs)]];
  }
  const value = valueBytes(next.value);
  return next.ttlMs === "keep"
    ? [statements.replaceKeep, [...stamp, value]]
    : [statements.replace, [...stamp, value, micros(next.ttlMs)]];
}

/** The first three parameters of a write. */
export function headOf({ key, opId }: Write, deadline: Deadline): readonly unknown[] {
  return [keyBytes(key), opId, lockTimeout(deadline)];
}

/**
 * How long the server may wait for a row lock: less than we wait for its answer, so that a write
 * that was given up does not linger behind a lock. Zero would mean for ever.
 */
export function lockTimeout(deadline: Deadline): string {
  return `${Math.max(1, Math.floor(deadline.remainingMs() * 0.8))}ms`;
}
