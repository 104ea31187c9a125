// What the memory store keeps for one key. A slot is replaced by each applied write and never
// changed, so that its identity is its version.

import type { Applied, Entry, Observation, Refused, Write } from "../contract/atomic-store.js";
import type { WriteWithoutOpId } from "../contract/capabilities.js";

/** The latest applied write of one key. All times are in microseconds of the store's clock. */
export interface Slot {
  readonly key: string;
  /** What the key holds until `expiresAt`; undefined after a removal. */
  readonly value: string | undefined;
  readonly revision: number;
  readonly opId: string;
  readonly writtenAt: number;
  /** Infinity for an entry that never expires; 0 after a removal. */
  readonly expiresAt: number;
  /** The slot is kept until the clock has passed this instant (S3). */
  readonly keptUntil: number;
}

/** S2: seen before `expiresAt` and never at or after it. */
export function isLive(slot: Slot, now: number): boolean {
  return now < slot.expiresAt;
}

/** S0: whether a write that expects this state may apply to this slot at this instant. */
export function permits(slot: Slot | undefined, expect: Write["expect"], now: number): boolean {
  const live = slot !== undefined && isLive(slot, now);
  if (expect === "absent") {
    return !live;
  }
  if ("absentSince" in expect) {
    // A forgotten key counts as revision 0, which every bound admits.
    return slot === undefined || (!live && slot.revision <= expect.absentSince);
  }
  return live && slot.revision === expect.revision && slot.opId === expect.opId;
}

/** The slot that a permitted write leaves behind. */
export function successor(
  slot: Slot | undefined,
  { key, next }: WriteWithoutOpId,
  opId: string,
  now: number,
  tombstoneUs: number,
): Slot {
  const revision = slot !== undefined && slot.revision >= now ? slot.revision + 1 : now;
  const remembered = revision + tombstoneUs;
  if (next === "removed") {
    const expiresAt = 0;
    return {
      key,
      value: undefined,
      revision,
      opId,
      writtenAt: now,
      expiresAt,
      keptUntil: remembered,
    };
  }
  const value = "touch" in next ? slot?.value : next.value;
  const expiresAt = expiryOf(next.ttlMs, slot, now);
  const keptUntil = Math.max(expiresAt, remembered);
  return { key, value, revision, opId, writtenAt: now, expiresAt, keptUntil };
}

function expiryOf(ttlMs: number | "never" | "keep", slot: Slot | undefined, now: number): number {
  if (ttlMs === "never") {
    return Infinity;
  }
  if (ttlMs === "keep") {
    return slot?.expiresAt ?? Infinity;
  }
  return now + Math.ceil(ttlMs * 1000);
}

/** The live entry of a slot as a caller sees it, or undefined. */
function entryOf(slot: Slot | undefined, now: number): Entry | undefined {
  if (slot === undefined || slot.value === undefined || !isLive(slot, now)) {
    return undefined;
  }
  const { value, revision, opId, writtenAt, expiresAt } = slot;
  const stamp = { revision, opId };
  return expiresAt === Infinity
    ? { value, stamp, writtenAt }
    : { value, stamp, writtenAt, expiresAt };
}

/** What a read of the slot tells. */
export function observe(slot: Slot | undefined, now: number): Observation {
  if (slot === undefined) {
    return { now };
  }
  const entry = entryOf(slot, now);
  const { revision } = slot;
  return entry === undefined ? { revision, now } : { entry, revision, now };
}

/** S4: the state that refused a write. */
export function refusedBy(slot: Slot | undefined, now: number): Refused {
  if (slot === undefined) {
    return { outcome: "refused", now };
  }
  const entry = entryOf(slot, now);
  const { revision } = slot;
  return entry === undefined
    ? { outcome: "refused", revision, now }
    : { outcome: "refused", entry, revision, now };
}

/** The answer to the write that made this slot, at its first send or at a later one (S5). */
export function appliedAs(slot: Slot, now: number, replayed: boolean): Applied {
  const { revision, writtenAt, expiresAt } = slot;
  return slot.value === undefined || expiresAt === Infinity
    ? { outcome: "applied", revision, writtenAt, now, replayed }
    : { outcome: "applied", revision, writtenAt, expiresAt, now, replayed };
}
