// One round of a dedup in the store's transaction: what it claims, and what became of it.

import type { Refused, Write } from "../contract/atomic-store.js";
import type { TransactionalStore } from "../contract/capabilities.js";
import { codeOf } from "../errors/errors.js";
import type { ResolvedDedup } from "./options.js";
import type { OpenRecord, RunningRecord } from "./record.js";
import type { Request } from "./request.js";
import type { TransactionContext } from "./transaction-context.js";
import type { TransactionResult } from "./transaction-result.js";
import { type Left, work } from "./transaction-work.js";

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
  /** At this time of the store an unanswered commit may be forgotten, so nothing proves anything. */
  readonly forgottenAt: number;
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
      readonly revision: number;
      readonly cause: unknown;
    }
  /** The claim was refused by this. */
  | { readonly outcome: "refused"; readonly seen: Refused }
  | { readonly outcome: "settled"; readonly result: TransactionResult<T> }
  /** The claim came so late that an earlier commit may be forgotten. */
  | { readonly outcome: "late" }
  | { readonly outcome: "threw"; readonly error: unknown; readonly revision: number }
  /** Others won; before the claim was answered, or after it. */
  | { readonly outcome: "contended"; readonly claimed: boolean };

/** Plays one round. Rejects if the store could do nothing, with everything rolled back. */
export async function playRound<Tx, T>(
  call: TransactionCall<Tx, T>,
  claim: Claim,
): Promise<Round<T>> {
  // By the last run of the function: a store may run it several times.
  let left: Left<T> = {};
  let cause: unknown;
  const run = (tx: Tx): Promise<void> => {
    left = {};
    return work(call, claim, tx, left);
  };
  const code = await call.store.transaction(run).then(
    () => "committed",
    (error: unknown) => {
      cause = error;
      return codeOf(error);
    },
  );
  const { back, made, revision = 0 } = left;
  if (code === "contended") {
    return { outcome: code, claimed: revision > 0 };
  }
  if (back) {
    return back;
  }
  if (made && code === "committed") {
    return { outcome: code, result: made.result };
  }
  if (made && code === "indeterminate") {
    return { outcome: "unknown", made, revision, cause };
  }
  throw cause;
}
