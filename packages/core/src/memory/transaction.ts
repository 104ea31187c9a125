// A transaction of the memory store: writes are buffered, and the commit applies them in one step
// if everything that the transaction saw still stands.

import type { Observation, Write, WriteResult } from "../contract/atomic-store.js";
import type { MultiKeyStore, WriteAll, WriteAllResult } from "../contract/capabilities.js";
import { checkStoreKey, checkWrite, checkWriteAll } from "../contract/check-write.js";
import type { StoreCapabilities } from "../contract/store-capabilities.js";
import { StoreError } from "../errors/errors.js";
import { checkFunction, checkSynchronous } from "../shared/arguments.js";
import type { DataSet } from "./data-set.js";
import { isLive, type Slot } from "./slot.js";
import { readStep, type SlotView, writeAllStep, writeStep } from "./steps.js";

/** What `transaction(fn)` hands to `fn`; `bind` turns it into a store. */
export interface MemoryTransaction {
  /**
   * Runs `effect` synchronously in the step that commits, so that a change to your own memory and
   * the store's entries become visible together. Effects run in the order given, only if the
   * transaction commits, and at most once; they may not write to this store.
   *
   * Fails: if an effect throws or returns a promise, `transaction` rejects and the store stays
   * unchanged; effects that had run before it are yours to undo.
   */
  onCommit(effect: () => void): void;
}

/** What the transaction saw of one key, to be found unchanged at the commit. */
interface Seen {
  readonly slot: Slot | undefined;
  readonly live: boolean;
}

export class BufferedTransaction implements MemoryTransaction, SlotView {
  readonly tombstoneUs: number;
  readonly #data: DataSet;
  readonly #seen = new Map<string, Seen>();
  readonly #buffer = new Map<string, Slot>();
  readonly #effects: (() => void)[] = [];
  #torn = false;
  #ended = false;

  constructor(data: DataSet) {
    this.#data = data;
    this.tombstoneUs = data.tombstoneUs;
  }

  onCommit(effect: () => void): void {
    checkFunction(effect, "effect");
    this.checkOpen();
    this.#effects.push(() => {
      checkSynchronous(effect(), "an onCommit effect");
    });
  }

  belongsTo(data: DataSet): boolean {
    return data === this.#data;
  }

  checkOpen(): void {
    if (this.#ended) {
      throw new StoreError("closed", "the transaction has ended");
    }
  }

  now(): number {
    return this.#data.now();
  }

  lookup(key: string, now: number): Slot | undefined {
    const buffered = this.#buffer.get(key);
    if (buffered !== undefined) {
      return buffered;
    }
    const slot = this.#data.lookup(key, now);
    const live = slot !== undefined && isLive(slot, now);
    const first = this.#seen.get(key);
    if (first === undefined) {
      this.#seen.set(key, { slot, live });
    } else if (first.slot !== slot || first.live !== live) {
      // Two sights that differ cannot both stand at the commit, wherever the clock is by then.
      this.#torn = true;
    }
    return slot;
  }

  makeRoom(): void {
    // Judged at the commit, when it is known how many keys are new.
  }

  put(slot: Slot): void {
    this.#buffer.set(slot.key, slot);
  }

  /** Whether everything that was seen still stands. */
  holds(): boolean {
    if (this.#torn) {
      return false;
    }
    const now = this.#data.now();
    for (const [key, { slot, live }] of this.#seen) {
      const current = this.#data.lookup(key, now);
      if (current !== slot || (current !== undefined && isLive(current, now)) !== live) {
        return false;
      }
    }
    return true;
  }

  /** Applies everything in one step, or answers false and nothing has changed. */
  commit(): boolean {
    this.end();
    if (!this.holds()) {
      return false;
    }
    let newKeys = 0;
    for (const key of this.#buffer.keys()) {
      newKeys += this.#seen.get(key)?.slot === undefined ? 1 : 0;
    }
    this.#data.makeRoom(newKeys, this.#data.now());
    this.#data.runEffects(this.#effects);
    for (const slot of this.#buffer.values()) {
      this.#data.put(slot);
    }
    return true;
  }

  /** After this every further use throws. */
  end(): void {
    this.#ended = true;
  }
}

/** How one run of a transaction's function ended. */
export type Round<T> =
  | { readonly committed: true; readonly result: T }
  | { readonly committed: false };

/** Runs `fn` on a fresh transaction and commits it, unless what it saw has changed meanwhile. */
export async function runOnce<T>(
  data: DataSet,
  fn: (tx: MemoryTransaction) => Promise<T>,
): Promise<Round<T>> {
  const tx = new BufferedTransaction(data);
  let result: T;
  try {
    result = await fn(tx);
  } catch (error) {
    tx.end();
    // What threw may have seen two states at once; then it has to look again.
    if (tx.holds()) {
      throw error;
    }
    return { committed: false };
  }
  return tx.commit() ? { committed: true, result } : { committed: false };
}

/** The store that `bind` returns: reads and writes go to the transaction's buffer. */
export class BoundStore implements MultiKeyStore {
  readonly capabilities: StoreCapabilities;
  readonly #tx: BufferedTransaction;

  constructor(tx: BufferedTransaction, capabilities: StoreCapabilities) {
    this.#tx = tx;
    this.capabilities = capabilities;
  }

  async read(key: string): Promise<Observation> {
    checkStoreKey(key);
    this.#tx.checkOpen();
    return readStep(this.#tx, key);
  }

  async write(write: Write): Promise<WriteResult> {
    checkWrite(write, this.capabilities.maxValueBytes);
    this.#tx.checkOpen();
    return writeStep(this.#tx, write);
  }

  async writeAll(all: WriteAll): Promise<WriteAllResult> {
    checkWriteAll(all, this.capabilities.maxValueBytes);
    this.#tx.checkOpen();
    return writeAllStep(this.#tx, all);
  }

  /** Does nothing: the transaction ends with its function. */
  async close(): Promise<void> {}
}
