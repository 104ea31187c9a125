// The two jobs that are compared, and the same work given to everyone: what a lock must do, and what
// running a request once must do.

import type { Contestant } from "../compare/comparison.js";

type About = Pick<Contestant, "name" | "client" | "kind" | "lacks">;

/** Locks that live as long as `LEASE_MS`. */
export interface LockUser extends About {
  /** Acquires a free lock and releases it, as its documentation shows. */
  cycle(key: string): Promise<unknown>;
  /** One attempt to acquire; keeps what it got, and tells whether it got it. */
  tryHold(key: string): Promise<boolean>;
}

/** Runs a request once; a duplicate gets the first one's receipt. */
export interface DedupUser extends About {
  run(key: string, handler: () => Receipt): Promise<unknown>;
}

/** Everyone who works through one library, over connections of their own. */
export interface OpenUsers {
  readonly locks: readonly LockUser[];
  readonly dedups: readonly DedupUser[];
  close(): unknown;
}

export const LEASE_MS = 30_000;
export const RETENTION_MS = 24 * 3_600_000;

/** The request, for those that compare or hash it. */
export const PAYLOAD = { orderId: "order-17", amount: 100, currency: "EUR", items: ["a", "b"] };

export interface Receipt {
  readonly id: string;
  readonly amount: number;
  readonly items: readonly string[];
}

/** The outcome that is recorded. */
export const RECEIPT: Receipt = { id: "r-1", amount: 100, items: ["a", "b"] };
