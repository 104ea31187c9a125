// The store of a world: the contract's own steps over slots, with a clock of its own and the ways
// in which a profile may lose, evict or age what it holds.

import {
  type Observation,
  readStep,
  type Slot,
  type SlotView,
  type Write,
  type WriteAll,
  type WriteAllResult,
  type WriteResult,
  writeAllStep,
  writeStep,
} from "@onceproof/core/advanced";

/** The primitives as pure steps; a broken variant of the contract supplies its own. */
export interface StoreSteps {
  readonly readStep: (view: SlotView, key: string) => Observation;
  readonly writeStep: (view: SlotView, write: Write) => WriteResult;
  readonly writeAllStep: (view: SlotView, all: WriteAll) => WriteAllResult;
}

const STEPS: StoreSteps = { readStep, writeStep, writeAllStep };

interface Replaced {
  readonly key: string;
  readonly before: Slot | undefined;
}

export interface StoreServerOptions {
  /** Microseconds of virtual time since the start. */
  readonly elapsedUs: () => number;
  readonly startUs: number;
  readonly tombstoneUs: number;
  readonly steps?: StoreSteps;
  /** Told of each key that an applied write changed. */
  readonly onChange: (key: string) => void;
}

export class StoreServer implements SlotView {
  readonly tombstoneUs: number;
  readonly #options: StoreServerOptions;
  readonly #steps: StoreSteps;
  readonly #slots = new Map<string, Slot>();
  /** What each write replaced, so that the last ones can be lost: a `writeAll` as a whole. */
  readonly #undo: Replaced[][] = [];
  #together: Replaced[] | undefined;
  #clockUs: number;
  #stale: { readonly untilUs: number; readonly slots: ReadonlyMap<string, Slot> } | undefined;

  constructor(options: StoreServerOptions) {
    this.#options = options;
    this.#steps = options.steps ?? STEPS;
    this.#clockUs = options.startUs;
    this.tombstoneUs = options.tombstoneUs;
  }

  now(): number {
    return this.#clockUs + this.#options.elapsedUs();
  }

  lookup(key: string, now: number): Slot | undefined {
    const slot = this.#slots.get(key);
    return slot !== undefined && slot.keptUntil < now ? undefined : slot;
  }

  makeRoom(): void {
    // A simulated store has room for every key.
  }

  put(slot: Slot): void {
    const replaced = { key: slot.key, before: this.#slots.get(slot.key) };
    if (this.#together === undefined) {
      this.#undo.push([replaced]);
    } else {
      this.#together.push(replaced);
    }
    this.#slots.set(slot.key, slot);
    this.#options.onChange(slot.key);
  }

  read(key: string): Observation {
    const stale = this.#stale;
    if (stale !== undefined && this.#options.elapsedUs() < stale.untilUs) {
      const view: SlotView = {
        tombstoneUs: this.tombstoneUs,
        now: () => this.now(),
        lookup: (wanted) => stale.slots.get(wanted),
        makeRoom: () => {},
        put: () => {},
      };
      return this.#steps.readStep(view, key);
    }
    return this.#steps.readStep(this, key);
  }

  write(write: Write): WriteResult {
    return this.#steps.writeStep(this, write);
  }

  writeAll(all: WriteAll): WriteAllResult {
    const together: Replaced[] = [];
    this.#together = together;
    try {
      return this.#steps.writeAllStep(this, all);
    } finally {
      this.#together = undefined;
      if (together.length > 0) {
        this.#undo.push(together);
      }
    }
  }

  /** Puts what one transaction wrote in place, as one write. */
  putTogether(slots: Iterable<Slot>): void {
    const together: Replaced[] = [];
    this.#together = together;
    for (const slot of slots) {
      this.put(slot);
    }
    this.#together = undefined;
    if (together.length > 0) {
      this.#undo.push(together);
    }
  }

  jumpClock(byUs: number): void {
    // What need not be kept is gone for good: the old time that comes back must not find it again.
    const now = this.now();
    for (const [key, slot] of this.#slots) {
      if (slot.keptUntil < now) {
        this.#slots.delete(key);
      }
    }
    this.#clockUs += byUs;
  }

  /** Forgets the last writes, and tells how many there were to forget. */
  lose(writes: number): number {
    let lost = 0;
    for (; lost < writes; lost += 1) {
      const last = this.#undo.pop();
      if (last === undefined) {
        break;
      }
      for (const { key, before } of last.reverse()) {
        if (before === undefined) {
          this.#slots.delete(key);
        } else {
          this.#slots.set(key, before);
        }
      }
    }
    return lost;
  }

  /** Forgets keys altogether, their tombstones too. */
  evict(keys: readonly string[]): void {
    for (const key of keys) {
      this.#slots.delete(key);
    }
  }

  /** Lets reads be answered from what stands now, for so long. */
  serveStale(forUs: number): void {
    this.#stale = {
      untilUs: this.#options.elapsedUs() + forUs,
      slots: new Map(this.#slots),
    };
  }

  serveFresh(): void {
    this.#stale = undefined;
  }
}
