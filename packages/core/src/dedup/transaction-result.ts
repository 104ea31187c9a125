// What a dedup in the store's transaction answers, and the errors that `runInTransaction` makes of
// it.

import { ContendedError, IndeterminateError } from "../errors/errors.js";
import { type IndeterminateReason, type Settled, unwrap } from "./outcome.js";

/** This call ran the handler, and what it did through `tx` was committed with its outcome. */
export interface ExecutedInTransaction<T> {
  readonly outcome: "executed";
  readonly value: T;
  readonly attempt: number;
  /**
   * Whether the effect took place exactly once: false only under `onCrash: "rerun"`, after an
   * attempt of `run` of which nobody knows what it did.
   */
  readonly exactlyOnce: boolean;
}

/** The outcome was recorded before; `exactlyOnce` as its owner was told, false if `run` made it. */
export interface ReplayedInTransaction<T> {
  readonly outcome: "replayed";
  readonly value: T;
  readonly exactlyOnce: boolean;
}

/** What `attemptInTransaction` answers. */
export type TransactionResult<T> =
  | ExecutedInTransaction<T>
  | ReplayedInTransaction<T>
  | Exclude<Settled<T>, { readonly outcome: "replayed" | "indeterminate" }>
  /** The handler threw, and all was rolled back: the key is free again. */
  | { readonly outcome: "threw"; readonly error: unknown }
  /** Others won every round within the wait; all was rolled back. */
  | { readonly outcome: "contended"; readonly rounds: number }
  | {
      readonly outcome: "indeterminate";
      readonly reason: IndeterminateReason | keyof typeof REASONS;
      readonly cause?: unknown;
    };

const REASONS = {
  commitUnknown: "the commit got no answer, and may have taken place: ask again with this key",
  /** It was no longer there when the outcome was to be recorded: its handler must not do that. */
  transactionEnded: "the handler ended its transaction, and may have committed",
} as const;

/** The value of a result, or the coded error that it stands for. */
export function unwrapTransaction<T>(result: TransactionResult<T>): T {
  switch (result.outcome) {
    case "executed":
      return result.value;
    case "threw":
      throw result.error;
    case "contended":
      throw new ContendedError(
        result.outcome,
        `others won each of ${result.rounds} rounds: all was rolled back, ask again`,
      );
    case "indeterminate": {
      const what = REASONS[result.reason as keyof typeof REASONS] as string | undefined;
      if (what) {
        throw new IndeterminateError(result.outcome, what, result);
      }
      return unwrap(result as Settled<T>);
    }
    default:
      return unwrap(result);
  }
}
