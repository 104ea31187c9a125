// The optional capabilities, each an interface of its own. An algorithm that needs one takes it in its parameter type: a wrong pairing does not compile.

import type { AtomicStore, Entry, Write, WriteResult } from "./atomic-store.js";

/** Several writes to different keys in one atomic step. */
export interface WriteAll {
  /** Names the whole step; the writes carry no opId of their own. */
  readonly opId: string;
  readonly writes: readonly WriteWithoutOpId[];
}

type OmitOpId<W> = W extends unknown ? Omit<W, "opId"> : never;
export type WriteWithoutOpId = OmitOpId<Write>;

export type WriteAllResult =
  /**
   * One revision per write, in the order given. When replayed, a key that another write has
   * superseded since has revision 0: its own is forgotten, and no newer one may pass for it.
   */
  | {
      readonly outcome: "applied";
      readonly revisions: readonly number[];
      readonly now: number;
      readonly replayed: boolean;
    }
  /** Nothing changed; `index` names the first write that conflicts, and its key's state. */
  | {
      readonly outcome: "refused";
      readonly index: number;
      readonly entry?: Entry;
      readonly revision?: number;
      readonly now: number;
    }
  | Extract<WriteResult, { outcome: "unknown" }>;

/**
 * A store that writes several keys in one step.
 *
 * Guarantee: all or none; if any key's latest operation is this opId, the whole is answered as
 * replayed and nothing changes.
 */
export interface MultiKeyStore extends AtomicStore {
  writeAll(writes: WriteAll): Promise<WriteAllResult>;
}

/**
 * A store whose entries can commit together with the caller's own writes.
 *
 * Guarantee: `transaction` commits what `fn` did through `tx`, or nothing, and leaves no transaction
 * behind; it may run `fn` again after a rollback. Once a statement of the bound store has failed, or
 * one that aborted the transaction, it is never committed, though `fn` returns. An applied write of the bound store excludes others until the end:
 * of two transactions that both wrote a key from the same state, the second waits, or one is rolled
 * back. Within a bound store, `replayed` means *already committed*: roll back and report it; a call
 * without an answer rejects or is `unknown`, and then nothing is committed.
 * Fails: `contended` when it was rolled back on account of others (serialization failure, deadlock,
 * a wait for a lock that took too long), whatever `fn` made of that; IndeterminateError when the
 * answer to the commit is lost: it may also take place later, but not after another transaction has
 * written one of its keys; StoreError when it certainly did not commit (no connection, or lost before
 * the commit was sent); whatever `fn` throws, after a rollback.
 */
export interface TransactionalStore<Tx> extends AtomicStore {
  transaction<T>(fn: (tx: Tx) => Promise<T>): Promise<T>;
  bind(tx: Tx): AtomicStore;
}

/**
 * A store that wakes waiters.
 *
 * Guarantee: none. The promise settles when the key may have changed, the signal aborts or the
 * store is closed; a lost wake-up costs time, never correctness.
 * Fails: ArgumentError for what is no key, and nothing else.
 */
export interface WatchableStore extends AtomicStore {
  watch(key: string, signal: AbortSignal): Promise<void>;
}

/** A store that frees what has expired on request. */
export interface SweepableStore extends AtomicStore {
  /** Frees at most `limit` expired entries and tombstones; never a live one. Returns how many. */
  sweep(options: { readonly limit: number }): Promise<number>;
}
