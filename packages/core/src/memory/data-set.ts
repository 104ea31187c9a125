// The slots that all clients of one memory store share, and what keeps them bounded: each write
// looks at a few slots and frees those that are due, so that no timer is needed.

import { StoreError } from "../errors/errors.js";
import type { Runtime } from "../runtime/runtime.js";
import type { Slot } from "./slot.js";
import type { SlotView } from "./steps.js";
import { Turns } from "./turns.js";
import { Watchers } from "./watchers.js";

// Two slots for each that a write may add: the cursor laps the map while it grows by half, so that
// what is due never outweighs what must be kept.
const SWEPT_PER_WRITE = 2;

export interface DataSetLimits {
  readonly maxEntries: number;
  readonly tombstoneUs: number;
}

export class DataSet implements SlotView {
  readonly tombstoneUs: number;
  readonly watchers: Watchers = new Watchers();
  readonly turns: Turns;
  readonly #runtime: Runtime;
  readonly #maxEntries: number;
  readonly #slots = new Map<string, Slot>();
  #cursor: MapIterator<Slot> = this.#slots.values();
  // No slot is due before this instant; may be too early, never too late.
  #nextDue = Infinity;
  #committing = false;

  constructor(runtime: Runtime, limits: DataSetLimits) {
    this.#runtime = runtime;
    this.turns = new Turns(runtime);
    this.#maxEntries = limits.maxEntries;
    this.tombstoneUs = limits.tombstoneUs;
  }

  /** How many keys are held, tombstones included. */
  get size(): number {
    return this.#slots.size;
  }

  now(): number {
    return Math.round(this.#runtime.wallNow() * 1000);
  }

  lookup(key: string, now: number): Slot | undefined {
    const slot = this.#slots.get(key);
    return slot !== undefined && slot.keptUntil < now ? undefined : slot;
  }

  put(slot: Slot): void {
    if (this.#committing) {
      throw new StoreError("unavailable", "an onCommit effect must not write to its own store");
    }
    this.#slots.set(slot.key, slot);
    if (slot.keptUntil < this.#nextDue) {
      this.#nextDue = slot.keptUntil;
    }
    // The write's own time will do: a due slot stays due, as its clock only has to pass once.
    this.#examine(SWEPT_PER_WRITE, slot.writtenAt);
    this.watchers.wake(slot.key);
  }

  makeRoom(newKeys: number, now: number): void {
    if (this.#slots.size + newKeys <= this.#maxEntries) {
      return;
    }
    if (this.#nextDue < now) {
      this.#sweepAll(now);
    }
    if (this.#slots.size + newKeys > this.#maxEntries) {
      throw new StoreError(
        "full",
        `the memory store holds ${this.#slots.size} keys (removed and expired ones are kept for ` +
          `${this.tombstoneUs / 1000} ms) and takes at most ${this.#maxEntries}: raise maxEntries, ` +
          "or shorten the times to live",
      );
    }
  }

  /** Frees at most `limit` slots that are due, looking at each slot at most once. */
  sweep(limit: number): number {
    const now = this.now();
    const before = this.#slots.size;
    for (let seen = 0; seen < before && before - this.#slots.size < limit; seen += 1) {
      this.#examine(1, now);
    }
    return before - this.#slots.size;
  }

  /** Runs the effects of a transaction in the step of its commit; they may read, not write. */
  runEffects(effects: readonly (() => void)[]): void {
    this.#committing = true;
    try {
      for (const effect of effects) {
        effect();
      }
    } finally {
      this.#committing = false;
    }
  }

  #examine(count: number, now: number): void {
    for (let seen = 0; seen < count; seen += 1) {
      let next = this.#cursor.next();
      if (next.done) {
        this.#cursor = this.#slots.values();
        next = this.#cursor.next();
      }
      if (next.done) {
        return;
      }
      if (next.value.keptUntil < now) {
        this.#slots.delete(next.value.key);
      }
    }
  }

  #sweepAll(now: number): void {
    let nextDue = Infinity;
    for (const slot of this.#slots.values()) {
      if (slot.keptUntil < now) {
        this.#slots.delete(slot.key);
      } else if (slot.keptUntil < nextDue) {
        nextDue = slot.keptUntil;
      }
    }
    this.#nextDue = nextDue;
  }
}
