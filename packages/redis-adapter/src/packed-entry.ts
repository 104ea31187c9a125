// How one key's state is packed into one Redis string: a header of fixed width, then the value.
// Fixed width lets the scripts compare a stamp by one `sub` and renew a large value by SETRANGE.

import { FormatError } from "@onceproof/core";
import type { Entry, Stamp, Ttl } from "@onceproof/core/advanced";

// opId (22), revision (16), kind (1), written at (16), time to live (16): the same offsets, counted
// from 1, stand in scripts.ts. The kind is also the format version: a later format takes new letters.
const REVISION_AT = 22;
const KIND_AT = 38;
const WRITTEN_AT = 39;
const TTL_AT = 55;
const VALUE_AT = 71;
const DIGITS = 16;
const HALF_DIGITS = DIGITS / 2;
const HALF = 10 ** HALF_DIGITS;

/** What a key holds, live or not. */
export interface PackedState {
  readonly stamp: Stamp;
  readonly writtenAt: number;
  /** Absent for a tombstone and for an entry that never expires. */
  readonly expiresAt?: number;
  /** Absent if the entry was removed, or if only its header was read. */
  readonly entry?: Entry;
}

/** 16 digits, in two halves: engines print small integers several times faster than such large ones. */
function digits(count: number): string {
  const high = Math.floor(count / HALF);
  return half(high) + half(count - high * HALF);
}

function half(count: number): string {
  return String(count).padStart(HALF_DIGITS, "0");
}

/** A time to live as it stands in the header, in microseconds and rounded up; all zeros is never. */
export function packTtl(ttlMs: Ttl): string {
  return digits(ttlMs === "never" ? 0 : Math.ceil(ttlMs * 1000));
}

/** A stamp as it stands at the start of the header. */
export function packStamp(stamp: Stamp): string {
  return stamp.opId + digits(stamp.revision);
}

/** Reads a packed string, or only its header. */
export function unpack(packed: string): PackedState {
  const kind = packed[KIND_AT];
  const revision = Number(packed.slice(REVISION_AT, KIND_AT));
  const writtenAt = Number(packed.slice(WRITTEN_AT, TTL_AT));
  const ttl = Number(packed.slice(TTL_AT, VALUE_AT));
  // Another program's text may have one of the letters there.
  const whole = packed.length >= VALUE_AT && !Number.isNaN(revision + writtenAt + ttl);
  if ((kind !== "v" && kind !== "r") || !whole) {
    throw new FormatError("formatUnknown", "a key holds a record in a format not known here");
  }
  const stamp: Stamp = { revision, opId: packed.slice(0, REVISION_AT) };
  if (kind === "r") {
    return { stamp, writtenAt };
  }
  const value = packed.slice(VALUE_AT);
  if (ttl === 0) {
    return { stamp, writtenAt, entry: { value, stamp, writtenAt } };
  }
  const expiresAt = writtenAt + ttl;
  return { stamp, writtenAt, expiresAt, entry: { value, stamp, writtenAt, expiresAt } };
}

/** The entry if it is live at `now`, judged exactly as the scripts judge it. */
export function liveEntry(state: PackedState, now: number): Entry | undefined {
  const { entry } = state;
  return entry !== undefined && (entry.expiresAt === undefined || now < entry.expiresAt)
    ? entry
    : undefined;
}
