// A store together with its transactions.

import {
  ArgumentError,
  type AtomicStore,
  type MultiKeyStore,
  StoreError,
} from "@onceproof/core/advanced";
import type { BridgedTransaction } from "../bridges/bridged.js";

/** What a dialect brings: transactions of its own, and stores bound to any. */
export interface DialectTransactions {
  transaction<T>(fn: (tx: never) => Promise<T>): Promise<T>;
  bind(tx: unknown): MultiKeyStore;
}

/** What a store has beside its primitives: its entries can commit with what else you write. */
export interface SqlTransactions<Tx> {
  /**
   * Runs `fn` in a transaction and returns what it returned.
   *
   * Guarantee: that of `TransactionalStore.transaction`; `fn` runs once, so run the whole again when
   * it throws `contended`. The connection goes back without a transaction, or is closed.
   * Cost: BEGIN and COMMIT beside what `fn` sends.
   * Fails: as `TransactionalStore.transaction`; `closed` after `close`.
   */
  transaction<T>(fn: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * A store whose steps run inside a transaction: one that `transaction` handed over, one that you
   * began with your driver, or a bridge to that of a query builder.
   *
   * Guarantee: no step begins, commits or rolls back, and none fails where a duplicate came first.
   * Fails: `contended` or `unavailable`, and then the transaction can only be rolled back.
   */
  bind(tx: BridgedTransaction): MultiKeyStore;
  // Last, as `Tx` is inferred from the last one.
  bind(tx: Tx): MultiKeyStore;
}

/** Adds transactions to a store. */
export function withTransactions<Store extends AtomicStore, Tx>(
  store: Store,
  { transaction, bind }: DialectTransactions,
): Store & SqlTransactions<Tx> {
  let closed = false;
  return {
    ...store,
    async transaction<T>(fn: (tx: Tx) => Promise<T>): Promise<T> {
      if (typeof fn !== "function") {
        throw new ArgumentError("optionInvalid", "transaction takes a function");
      }
      if (closed) {
        throw new StoreError("closed", "the store is closed");
      }
      return transaction(fn as (tx: never) => Promise<T>);
    },
    bind,
    async close() {
      closed = true;
      await store.close();
    },
  };
}
