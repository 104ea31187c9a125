// What a call of a dedup in the store's transaction is made of: the request, what each round claims,
// and how a round ends.

import type { Refused, Write } from "../contract/atomic-store.js";
import type { TransactionalStore } from "../contract/capabilities.js";
import type { ResolvedDedup } from "./options.js";
import type { OpenRecord, RunningRecord } from "./record.js";
import type { Request } from "./request.js";
import type { TransactionContext } from "./transaction-context.js";
import type { TransactionResult } from "./transaction-result.js";

/** What a handler within a transaction looks like. */
export type TransactionHandler<Tx, T> = (tx: Tx, ctx: TransactionContext) => T | Promise<T>;

/** One call, whatever its number of rounds. */
export interface TransactionCall<Tx, T> {
  readonly options: ResolvedDedup;
  readonly store: TransactionalStore<Tx>;
  readonly request: Request;
  readonly handler: TransactionHandler<Tx, T>;
}

/** What a round claims. */
export interface Claim {
  readonly expect: Write["expect"];
  readonly earlier: RunningRecord | OpenRecord | undefined;
  /**
   * From this time of the store on, an unanswered commit may be over and forgotten: then neither what
   * stands nor that nothing does proves anything.
   */
  readonly forgottenAt: number;
}

/** A claim that has applied: its revision, and the store's time. */
export interface Claimed {
  readonly revision: number;
  readonly now: number;
}

/** What is true once a round has committed. */
export interface Made<T> {
  /** Of the record of the outcome. */
  readonly opId: string;
  readonly result: TransactionResult<T>;
}

/** How a round ended. Only `committed` and `unknown` may have changed anything. */
export type Round<T> =
  | { readonly outcome: "committed"; readonly result: TransactionResult<T> }
  /** The commit got no answer: `made` may be true, or may yet become so. */
  | {
      readonly outcome: "unknown";
      readonly made: Made<T>;
      readonly claimed: Claimed;
      readonly cause: unknown;
    }
  /** The claim was refused by this. */
  | { readonly outcome: "refused"; readonly seen: Refused }
  | { readonly outcome: "settled"; readonly result: TransactionResult<T> }
  /** The claim came so late that an earlier commit may be forgotten. */
  | { readonly outcome: "late" }
  | { readonly outcome: "threw"; readonly error: unknown; readonly claimed: Claimed }
  /** Others won; before the claim was answered, or after it. */
  | { readonly outcome: "contended"; readonly claimed: boolean };
