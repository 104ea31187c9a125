// What is known of one key of a store, and how an answer narrows it down: the revision and the
// times of a write whose reply was lost come to light only when a later answer shows them.

import type { Applied, Entry, Observation, Write } from "@onceproof/core/advanced";

/** The latest applied write of a key. */
export interface StoreSlot {
  readonly opId: string;
  /** Undefined after a removal. */
  readonly value: string | undefined;
  /** Undefined until an answer shows it. */
  readonly revision: number | undefined;
  readonly writtenAt: number | undefined;
  /** Infinity if it never expires; undefined until an answer shows it. */
  readonly expiresAt: number | undefined;
  /** It was seen expired at this instant, so it expires no later. */
  readonly expiredBy: number;
}

/** One key of a store. */
export interface StoreState {
  /** Undefined if the key was never written. */
  readonly slot: StoreSlot | undefined;
  /** The revision of the slot, where it is known; where it is not, it lies above this. */
  readonly floor: number;
}

/** The slot with what an answer shows of it, or undefined if they contradict each other. */
export function narrow(
  state: StoreState,
  slot: StoreSlot,
  seen: {
    readonly revision?: number | undefined;
    readonly writtenAt?: number | undefined;
    readonly expiresAt?: number | undefined;
  },
): StoreState | undefined {
  const revision = slot.revision ?? seen.revision;
  const writtenAt = slot.writtenAt ?? seen.writtenAt;
  const expiresAt = slot.expiresAt ?? seen.expiresAt;
  if (
    (seen.revision !== undefined && seen.revision !== revision) ||
    (seen.writtenAt !== undefined && seen.writtenAt !== writtenAt) ||
    (seen.expiresAt !== undefined && seen.expiresAt !== expiresAt) ||
    (slot.revision === undefined && revision !== undefined && revision <= state.floor) ||
    (expiresAt !== undefined && expiresAt > slot.expiredBy)
  ) {
    return undefined;
  }
  if (revision === slot.revision && writtenAt === slot.writtenAt && expiresAt === slot.expiresAt) {
    return state;
  }
  const floor = revision ?? state.floor;
  return { slot: { ...slot, revision, writtenAt, expiresAt }, floor };
}

/** Whether the slot may hold a live entry at this instant; undefined stands for any instant. */
export function mayLive(slot: StoreSlot | undefined, now: number | undefined): boolean {
  if (slot?.value === undefined) {
    return false;
  }
  return now === undefined || now < (slot.expiresAt ?? slot.expiredBy);
}

/** Whether the slot may hold no live entry at this instant. */
export function mayBeAbsent(slot: StoreSlot | undefined, now: number | undefined): boolean {
  if (slot?.value === undefined) {
    return true;
  }
  return now === undefined
    ? slot.expiresAt !== Infinity
    : slot.expiresAt === undefined || now >= slot.expiresAt;
}

/** What an observation shows, or undefined if this state cannot show it. */
export function observed(
  state: StoreState,
  { entry, revision, now }: Observation,
  forgets: boolean,
): StoreState | undefined {
  const { slot } = state;
  if (entry !== undefined) {
    return shownEntry(state, entry, revision, now);
  }
  if (slot === undefined) {
    return revision === undefined ? state : undefined;
  }
  if (!mayBeAbsent(slot, now) || (revision === undefined && !forgets)) {
    return undefined;
  }
  const narrowed = narrow(state, slot, { revision });
  if (narrowed?.slot === undefined || slot.expiresAt !== undefined || now >= slot.expiredBy) {
    return narrowed;
  }
  return { ...narrowed, slot: { ...narrowed.slot, expiredBy: now } };
}

function shownEntry(
  state: StoreState,
  entry: Entry,
  revision: number | undefined,
  now: number,
): StoreState | undefined {
  const { slot } = state;
  const { value, stamp, writtenAt, expiresAt = Infinity } = entry;
  if (
    slot?.value === undefined ||
    slot.value !== value ||
    slot.opId !== stamp.opId ||
    (revision !== undefined && revision !== stamp.revision) ||
    now >= expiresAt
  ) {
    return undefined;
  }
  return narrow(state, slot, { revision: stamp.revision, writtenAt, expiresAt });
}

/** The state after a write, whose revision and times are unknown unless it was answered. */
export function written(
  { slot, floor }: StoreState,
  { opId, next }: Write,
  applied: Applied | undefined,
): StoreState {
  const removed = next === "removed";
  const value = removed ? undefined : "touch" in next ? slot?.value : next.value;
  const shown = applied === undefined ? undefined : (applied.expiresAt ?? Infinity);
  const endless = removed || next.ttlMs === "never";
  const kept = !removed && next.ttlMs === "keep" && slot !== undefined;
  const expiresAt = endless ? Infinity : (shown ?? (kept ? slot.expiresAt : undefined));
  return {
    slot: {
      opId,
      value,
      revision: applied?.revision,
      writtenAt: applied?.writtenAt,
      expiresAt,
      expiredBy: kept ? slot.expiredBy : Infinity,
    },
    floor:
      applied?.revision ?? (slot !== undefined && slot.revision === undefined ? floor + 1 : floor),
  };
}
