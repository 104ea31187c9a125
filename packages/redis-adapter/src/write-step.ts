// What is sent for one write: which script, and its arguments after the key.

import type { CreateWrite, Write } from "@onceproof/core/advanced";
import { packStamp, packTtl } from "./packed-entry.js";
import { CREATE, REMOVE, REPLACE, REPLACE_KEEP, type Script, TOUCH } from "./scripts.js";

export interface Step {
  readonly script: Script;
  readonly args: readonly string[];
  /** The time to live that goes into the header. */
  readonly ttl: string;
}

const NEVER = packTtl("never");

/** How long Redis keeps the key, in seconds after the write; "" is for ever. */
export function keptSeconds(ttlMs: number | "never", tombstoneMs: number): string {
  // One second more: EXAT counts from TIME's whole seconds, which lie up to one second back.
  return ttlMs === "never" ? "" : String(Math.ceil(Math.max(ttlMs, tombstoneMs) / 1000) + 1);
}

function isCreate(write: Write): write is CreateWrite {
  return write.expect === "absent" || "absentSince" in write.expect;
}

/** The script and arguments of one write; `tell` is [] where waiters are told of it. */
export function stepOf(write: Write, tombstoneMs: number, tell: readonly string[]): Step {
  if (isCreate(write)) {
    const { opId, expect, next } = write;
    const since = expect === "absent" ? Number.MAX_SAFE_INTEGER : expect.absentSince;
    const ttl = packTtl(next.ttlMs);
    const kept = keptSeconds(next.ttlMs, tombstoneMs);
    return { script: CREATE, args: [opId, ttl + next.value, kept, String(since)], ttl };
  }
  const { opId, expect, next } = write;
  // A write that expects its own stamp can only be a replay: the scripts compare the stamp first.
  const stamp = expect.opId === opId ? "" : packStamp(expect);
  const tombstone = keptSeconds(tombstoneMs, tombstoneMs);
  if (next === "removed") {
    return { script: REMOVE, args: [opId, stamp, "", tombstone, ...tell], ttl: NEVER };
  }
  if ("touch" in next) {
    const ttl = packTtl(next.ttlMs);
    const kept = keptSeconds(next.ttlMs, tombstoneMs);
    return { script: TOUCH, args: [opId, stamp, ttl, kept], ttl };
  }
  const { value, ttlMs } = next;
  if (ttlMs === "keep") {
    return { script: REPLACE_KEEP, args: [opId, stamp, value, tombstone, ...tell], ttl: NEVER };
  }
  const ttl = packTtl(ttlMs);
  const kept = keptSeconds(ttlMs, tombstoneMs);
  return { script: REPLACE, args: [opId, stamp, ttl + value, kept, ...tell], ttl };
}
