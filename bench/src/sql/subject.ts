// A SQL database as the benchmarks see it: the bare statements that one would write without a
// library, on any connection, and our store over the same connections.

import type { TransactionalStore } from "@onceproof/core/advanced";

/** The few statements that are needed, on a pool or inside a transaction. */
export interface BareStatements {
  /** INSERT of a request unless it is there: whether it is new. */
  claim(key: string): Promise<boolean>;
  /** UPDATE of a request with its result. */
  finish(key: string, result: string): Promise<unknown>;
  /** SELECT of a request's result. */
  find(key: string): Promise<string | null | undefined>;
  /** INSERT of a lock, or UPDATE of one that expired: whether it was taken. */
  take(key: string, owner: string): Promise<boolean>;
  /** DELETE of an owner's lock. */
  drop(key: string, owner: string): Promise<unknown>;
  /** INSERT of a payment, which is the user's own row. */
  pay(key: string): Promise<unknown>;
}

export interface SqlSubject<Tx> {
  /** The client library of bare statements and store. */
  readonly client: string;
  readonly store: TransactionalStore<Tx>;
  readonly bare: BareStatements;
  /** The same statements inside a transaction. */
  on(tx: Tx): BareStatements;
  /** BEGIN, what `work` sends, COMMIT; ROLLBACK if it throws. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}
