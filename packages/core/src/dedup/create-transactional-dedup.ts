// `createTransactionalDedup`: a dedup whose handlers write in the store's own transaction, so that
// effect and record commit together. Apart from `createDedup`, which others need not pay for.

import type { TransactionalStore } from "../contract/capabilities.js";
import { ArgumentError } from "../errors/errors.js";
import { checkFunction } from "../shared/arguments.js";
import { type CallOptions, createDedup, type Dedup, requestOf } from "./create-dedup.js";
import { type DedupOptions, resolveDedup } from "./options.js";
import { runTransaction } from "./run-transaction.js";
import type { TransactionHandler } from "./transaction-call.js";
import { type TransactionResult, unwrapTransaction } from "./transaction-result.js";

/** Options of `createTransactionalDedup`: those of `createDedup`, over a store with transactions. */
export interface TransactionalDedupOptions<Tx> extends DedupOptions {
  readonly store: TransactionalStore<Tx>;
}

/** A dedup that can also run its handlers in the store's transaction. */
export interface TransactionalDedup<Tx> extends Dedup {
  /**
   * Runs `handler` in a transaction of the store unless an outcome is recorded for `key`, records
   * its value in the same transaction, and returns it.
   *
   * Guarantee: what `handler` writes through `tx` takes effect exactly once per key until retention
   * ends, whatever crashes or gets lost. A concurrent duplicate waits for the first and gets its
   * value. An error rolls everything back and frees the key; a `Final` is then recorded in a step of
   * its own. `handler` runs again only after its earlier run was rolled back, so an effect elsewhere
   * can repeat: give its sink `ctx.childKey(name)`.
   * Cost: one transaction with 2 store calls in it; a duplicate with 1; each round that others won,
   * or whose commit got no answer, once more. A rejection +1; a wait for others in vain +1.
   * Fails: the handler's own error; `contended` (others won every round within `waitMs`), and as
   * `run` does.
   */
  runInTransaction<T>(
    key: string,
    handler: TransactionHandler<Tx, T>,
    options?: CallOptions,
  ): Promise<T>;
  /**
   * As `runInTransaction`, but answers with a tagged union that says `exactlyOnce`.
   *
   * Guarantee, cost: those of `runInTransaction`. Fails: `unavailable`, `closed`, `full`, `aborted`,
   * `formatUnknown`, argument errors.
   */
  attemptInTransaction<T>(
    key: string,
    handler: TransactionHandler<Tx, T>,
    options?: CallOptions,
  ): Promise<TransactionResult<T>>;
}

/**
 * Creates a dedup over a store with transactions; it shares its keys with a `createDedup` of the
 * same name.
 *
 * Guarantee: see `TransactionalDedup.runInTransaction`, and `Dedup.run` for effects elsewhere.
 * Cost: no store call. Fails: ArgumentError for bad options.
 */
export function createTransactionalDedup<Tx>(
  options: TransactionalDedupOptions<Tx>,
): TransactionalDedup<Tx> {
  const resolved = resolveDedup(options);
  const { store } = options;
  if (typeof store.transaction !== "function" || typeof store.bind !== "function") {
    const what = "store must have transactions; with any other store use createDedup";
    throw new ArgumentError("optionInvalid", what);
  }
  const attemptInTransaction = async <T>(
    key: string,
    handler: TransactionHandler<Tx, T>,
    call: CallOptions = {},
  ): Promise<TransactionResult<T>> => {
    checkFunction(handler, "the handler");
    const request = requestOf(resolved, key, call);
    return runTransaction({ options: resolved, store, request, handler });
  };
  return {
    attemptInTransaction,
    runInTransaction: async (key, handler, call) =>
      unwrapTransaction(await attemptInTransaction(key, handler, call)),
    ...createDedup(options),
  };
}
