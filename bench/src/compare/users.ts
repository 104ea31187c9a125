// The jobs that are compared, and the same work given to everyone: what a lock must do, what running
// a request once must do, and so on.

import type { Contestant } from "./comparison.js";

/** Somebody who takes part. */
export type User = Pick<Contestant, "name" | "client" | "kind" | "lacks">;

/** Locks that live as long as `LEASE_MS`. */
export interface LockUser extends User {
  /** Acquires a free lock and releases it, as its documentation shows. */
  cycle(key: string): Promise<unknown>;
  /** One attempt to acquire; keeps what it got, and tells whether it got it. */
  tryHold(key: string): Promise<boolean>;
}

/** Runs a request once; a duplicate gets the first one's receipt. */
export interface DedupUser extends User {
  run(key: string, handler: () => Receipt): Promise<unknown>;
}

/** Writes a payment in a transaction of the database, once for each key if it can. */
export interface TransactionUser extends User {
  pay(key: string): Promise<unknown>;
}

/** Puts a job under a key into a table; tells whether it was new. */
export interface EnqueueUser extends User {
  enqueue(key: string): Promise<boolean>;
}

/** Everyone who works through one library, over connections of their own. */
export interface OpenUsers {
  readonly locks: readonly LockUser[];
  readonly dedups: readonly DedupUser[];
  close(): unknown;
}

export const LEASE_MS = 30_000;
export const RETENTION_MS = 24 * 3_600_000;

/** The request, for those that compare, hash or store it. */
export const PAYLOAD = { orderId: "order-17", amount: 100, currency: "EUR", items: ["a", "b"] };

export interface Receipt {
  readonly id: string;
  readonly amount: number;
  readonly items: readonly string[];
}

/** The outcome that is recorded. */
export const RECEIPT: Receipt = { id: "r-1", amount: 100, items: ["a", "b"] };
