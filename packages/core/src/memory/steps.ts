// The primitives as functions over a view of slots: the data set itself, or a transaction's buffer
// above it. Both judge a write by the same lines.

import type { Observation, Write, WriteResult } from "../contract/atomic-store.js";
import type { WriteAll, WriteAllResult } from "../contract/capabilities.js";
import { appliedAs, observe, permits, refusedBy, type Slot, successor } from "./slot.js";

/** Slots as one reader and writer sees them. */
export interface SlotView {
  readonly tombstoneUs: number;
  /** The store's clock in integer microseconds. */
  now(): number;
  /** The slot of a key; undefined once the key is forgotten. */
  lookup(key: string, now: number): Slot | undefined;
  /** Throws StoreError `full` unless this many new keys may be added. */
  makeRoom(newKeys: number, now: number): void;
  put(slot: Slot): void;
}

/** One atomic `read`. */
export function readStep(view: SlotView, key: string): Observation {
  const now = view.now();
  return observe(view.lookup(key, now), now);
}

/** One atomic `write`. */
export function writeStep(view: SlotView, write: Write): WriteResult {
  const now = view.now();
  const slot = view.lookup(write.key, now);
  if (slot !== undefined && slot.opId === write.opId) {
    return appliedAs(slot, now, true);
  }
  if (!permits(slot, write.expect, now)) {
    return refusedBy(slot, now);
  }
  if (slot === undefined) {
    view.makeRoom(1, now);
  }
  const next = successor(slot, write, write.opId, now, view.tombstoneUs);
  view.put(next);
  return appliedAs(next, now, false);
}

/** One atomic `writeAll`. */
export function writeAllStep(view: SlotView, { opId, writes }: WriteAll): WriteAllResult {
  const now = view.now();
  const slots = writes.map((write) => view.lookup(write.key, now));
  if (slots.some((slot) => slot?.opId === opId)) {
    // The revision of a key that another write has superseded since is no longer known. It must
    // not be the other write's: that would pass for a fencing token of a newer holder.
    const revisions = slots.map((slot) => (slot?.opId === opId ? slot.revision : 0));
    return { outcome: "applied", revisions, now, replayed: true };
  }
  const index = writes.findIndex((write, at) => !permits(slots[at], write.expect, now));
  if (index !== -1) {
    return { ...refusedBy(slots[index], now), index };
  }
  view.makeRoom(slots.filter((slot) => slot === undefined).length, now);
  const revisions = writes.map((write, at) => {
    const next = successor(slots[at], write, opId, now, view.tombstoneUs);
    view.put(next);
    return next.revision;
  });
  return { outcome: "applied", revisions, now, replayed: false };
}
