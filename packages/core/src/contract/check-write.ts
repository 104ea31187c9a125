// What every store checks before it sends anything, so that an adapter stays small: adapters call
// these and need not check again.

import { ArgumentError } from "../errors/errors.js";
import { hasLoneSurrogate, shown } from "../shared/arguments.js";
import type { Ttl, Write } from "./atomic-store.js";
import type { WriteAll, WriteWithoutOpId } from "./capabilities.js";

const OP_ID = /^[A-Za-z0-9_-]{22}$/;

function invalid(message: string): never {
  throw new ArgumentError("writeInvalid", message);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** The length of a well-formed string in UTF-8 bytes, without encoding it. */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7ff) {
      length += unit >= 0xd800 && unit <= 0xdfff ? 1 : 2;
    } else if (unit > 0x7f) {
      length += 1;
    }
  }
  return length;
}

/** Throws unless `key` can name an entry. */
export function checkStoreKey(key: unknown): asserts key is string {
  if (typeof key !== "string") {
    throw new ArgumentError("keyNotString", `a store key must be a string, got ${typeof key}`);
  }
  if (key === "") {
    throw new ArgumentError("keyEmpty", "a store key must not be empty");
  }
  if (hasLoneSurrogate(key)) {
    throw new ArgumentError("keyNotWellFormed", "a store key holds a lone surrogate");
  }
}

function checkTtl(ttlMs: Ttl | "keep", keepAllowed: boolean): void {
  if (ttlMs === "never" || (ttlMs === "keep" && keepAllowed)) {
    return;
  }
  // Expiry is kept in microseconds as a safe integer beside a wall clock of about 1.8e15.
  if (typeof ttlMs !== "number" || !(ttlMs > 0) || ttlMs > 2 ** 51 / 1000) {
    throw new ArgumentError("durationInvalid", `ttlMs must be above 0, got ${shown(ttlMs)}`);
  }
}

function checkValue(value: string, maxValueBytes: number): void {
  if (typeof value !== "string") {
    invalid(`a value must be a string, got ${typeof value}`);
  }
  if (hasLoneSurrogate(value)) {
    invalid("a value holds a lone surrogate, which no store returns as written");
  }
  // A UTF-16 unit is at most three bytes, so most values need no count.
  if (value.length * 3 > maxValueBytes && utf8Length(value) > maxValueBytes) {
    throw new ArgumentError(
      "valueTooLarge",
      `a value has ${utf8Length(value)} bytes, at most ${maxValueBytes} are allowed`,
    );
  }
}

/** Throws unless the write is well formed; `opId` is checked apart, as `writeAll` has one for all. */
function checkStep(write: WriteWithoutOpId, maxValueBytes: number): void {
  if (!isObject(write)) {
    invalid("a write must be an object");
  }
  checkStoreKey(write.key);
  const { expect, next } = write;
  if ((expect !== "absent" && !isObject(expect)) || (next !== "removed" && !isObject(next))) {
    invalid("a write needs expect (absent or a stamp) and next (a value, a touch or removed)");
  }
  const create = expect === "absent" || "absentSince" in expect;
  const revision = create
    ? expect === "absent"
      ? 0
      : expect.absentSince
    : (expect as { revision: number }).revision;
  if (!Number.isSafeInteger(revision) || revision < 0) {
    invalid(`a revision must be a safe integer, got ${shown(revision)}`);
  }
  if (!create && !isOpId((expect as { opId: string }).opId)) {
    invalid("a stamp's opId must be 22 base64url characters");
  }
  if (next === "removed") {
    if (create) {
      invalid("a removal needs the stamp of the entry that it removes");
    }
    return;
  }
  if ("touch" in next) {
    if (create) {
      invalid("a touch needs the stamp of the entry that it renews");
    }
    checkTtl(next.ttlMs, false);
    return;
  }
  checkTtl(next.ttlMs, !create);
  checkValue(next.value, maxValueBytes);
}

function isOpId(opId: unknown): boolean {
  return typeof opId === "string" && OP_ID.test(opId);
}

function checkOpId(opId: unknown): void {
  if (!isOpId(opId)) {
    invalid("an opId must be 22 base64url characters");
  }
}

/** Throws an ArgumentError unless the write may be sent. */
export function checkWrite(write: Write, maxValueBytes: number): void {
  checkOpId(write?.opId);
  checkStep(write, maxValueBytes);
}

/** Throws an ArgumentError unless the writes may be sent: at least one, to different keys. */
export function checkWriteAll(all: WriteAll, maxValueBytes: number): void {
  checkOpId(all?.opId);
  if (!Array.isArray(all.writes) || all.writes.length === 0) {
    invalid("writeAll needs a list of at least one write");
  }
  const keys = new Set<string>();
  for (const write of all.writes) {
    checkStep(write, maxValueBytes);
    keys.add(write.key);
  }
  if (keys.size !== all.writes.length) {
    invalid("writeAll needs a different key for each write");
  }
}
