// The store in this process's memory: the reference for every clause of the contract, for tests,
// single-process services and the simulator.

import type { Observation, Write, WriteResult } from "../contract/atomic-store.js";
import type {
  MultiKeyStore,
  SweepableStore,
  TransactionalStore,
  WatchableStore,
  WriteAll,
  WriteAllResult,
} from "../contract/capabilities.js";
import { checkStoreKey, checkWrite, checkWriteAll } from "../contract/check-write.js";
import type { StoreCapabilities } from "../contract/store-capabilities.js";
import { ArgumentError, ContendedError, StoreError } from "../errors/errors.js";
import { type Runtime, systemRuntime } from "../runtime/runtime.js";
import { checkCount, checkDuration, checkFunction } from "../shared/arguments.js";
import { DataSet } from "./data-set.js";
import { readStep, writeAllStep, writeStep } from "./steps.js";
import { BoundStore, BufferedTransaction, type MemoryTransaction, runOnce } from "./transaction.js";
import type { Wake } from "./watchers.js";

const MIB = 1_048_576;
const MAX_TRANSACTION_RUNS = 64;

/** Options of `createMemoryStore`. */
export interface MemoryStoreOptions {
  /** Where time comes from. @defaultValue `systemRuntime` */
  readonly runtime?: Runtime;
  /**
   * The most keys held at once, tombstones included. Beyond it a write that would add a key throws
   * StoreError `full`; what is live is never evicted, and keys already held can still be written.
   * @defaultValue no limit
   */
  readonly maxEntries?: number;
  /** The largest value, in UTF-8 bytes; at least 1 MiB. @defaultValue 1_048_576 */
  readonly maxValueBytes?: number;
  /** How long a key's last revision outlives its entry, in ms. @defaultValue 300_000 */
  readonly tombstoneMs?: number;
}

/** A store in memory, with every optional capability. */
export interface MemoryStore
  extends MultiKeyStore,
    TransactionalStore<MemoryTransaction>,
    WatchableStore,
    SweepableStore {
  /** How many keys are held at this moment, tombstones included. */
  readonly size: number;

  /**
   * Runs `fn` and commits what it did through `bind(tx)`, with its `onCommit` effects, in one step.
   *
   * Guarantee: all or nothing. The commit happens only if everything that `fn` read or wrote still
   * stands; otherwise `fn` runs again on a fresh transaction, at most 64 times in all.
   * Cost: no store call of its own.
   * Fails: what `fn` throws, after which nothing has changed; `contended` when others won every
   * round; `full` when the new keys do not fit; `closed`.
   */
  transaction<T>(fn: (tx: MemoryTransaction) => Promise<T>): Promise<T>;

  /** A store whose reads and writes belong to the transaction. */
  bind(tx: MemoryTransaction): MultiKeyStore;

  /** Another client of the same data, with its own `close`. */
  peer(): MemoryStore;
}

/**
 * Creates a store in this process's memory.
 *
 * Guarantee: clauses S0 to S11, while the process lives; nothing survives it. Memory is bounded by
 * about twice what must be kept (live entries, and removed or expired ones until `tombstoneMs` has
 * passed), without timers.
 * Cost: one map lookup per call, and a look at two slots per applied write.
 * Fails: ArgumentError on a bad option; a write that adds a key throws StoreError `full` when
 * `maxEntries` are held.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const {
    runtime = systemRuntime,
    maxEntries = Infinity,
    maxValueBytes = MIB,
    tombstoneMs = 300_000,
  } = options;
  if (maxEntries !== Infinity) {
    checkCount(maxEntries, "maxEntries");
  }
  checkCount(maxValueBytes, "maxValueBytes", MIB);
  checkDuration(tombstoneMs, "tombstoneMs");
  const capabilities: StoreCapabilities = {
    clock: "store",
    durability: "process",
    failoverMayLoseWrites: false,
    maxValueBytes,
    ttlGranularityMs: 0.001,
    tombstoneMs,
    operationTimeoutMs: 2_000,
  };
  const tombstoneUs = Math.ceil(tombstoneMs * 1000);
  return new MemoryClient(new DataSet(runtime, { maxEntries, tombstoneUs }), capabilities);
}

class MemoryClient implements MemoryStore {
  readonly capabilities: StoreCapabilities;
  readonly #data: DataSet;
  readonly #watches = new Set<Wake>();
  #closed = false;

  constructor(data: DataSet, capabilities: StoreCapabilities) {
    this.#data = data;
    this.capabilities = capabilities;
  }

  get size(): number {
    return this.#data.size;
  }

  async read(key: string): Promise<Observation> {
    checkStoreKey(key);
    this.#checkOpen();
    return readStep(this.#data, key);
  }

  async write(write: Write): Promise<WriteResult> {
    checkWrite(write, this.capabilities.maxValueBytes);
    this.#checkOpen();
    return writeStep(this.#data, write);
  }

  async writeAll(all: WriteAll): Promise<WriteAllResult> {
    checkWriteAll(all, this.capabilities.maxValueBytes);
    this.#checkOpen();
    return writeAllStep(this.#data, all);
  }

  async transaction<T>(fn: (tx: MemoryTransaction) => Promise<T>): Promise<T> {
    checkFunction(fn, "fn");
    this.#checkOpen();
    let endTurn = (): void => {};
    try {
      for (let run = 1; run <= MAX_TRANSACTION_RUNS; run += 1) {
        const round = await runOnce(this.#data, fn);
        if (round.committed) {
          return round.result;
        }
        if (run === 1) {
          endTurn = await this.#data.turns.take();
        }
        this.#checkOpen();
      }
    } finally {
      endTurn();
    }
    throw new ContendedError(
      "contended",
      `other writers changed what the transaction saw in each of ${MAX_TRANSACTION_RUNS} runs`,
    );
  }

  bind(tx: MemoryTransaction): MultiKeyStore {
    if (!(tx instanceof BufferedTransaction && tx.belongsTo(this.#data))) {
      throw new ArgumentError("optionInvalid", "tx is not a transaction of this memory store");
    }
    return new BoundStore(tx, this.capabilities);
  }

  async watch(key: string, signal: AbortSignal): Promise<void> {
    checkStoreKey(key);
    // A watch never rejects: the read that follows the wake-up tells that the store is closed.
    if (!this.#closed) {
      await this.#data.watchers.wait(key, signal, this.#watches);
    }
  }

  async sweep(options: { readonly limit: number }): Promise<number> {
    checkCount(options.limit, "limit");
    this.#checkOpen();
    return this.#data.sweep(options.limit);
  }

  peer(): MemoryStore {
    this.#checkOpen();
    return new MemoryClient(this.#data, this.capabilities);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const wake of [...this.#watches]) {
      wake();
    }
  }

  #checkOpen(): void {
    if (this.#closed) {
      throw new StoreError("closed", "the memory store is closed");
    }
  }
}
