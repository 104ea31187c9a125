// One round of a dedup in the store's transaction: carried out by the store, and what became of it.

import { codeOf } from "../errors/errors.js";
import type { Claim, Round, TransactionCall } from "./transaction-call.js";
import { type Left, work } from "./transaction-work.js";

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
  const { back, made, claimed } = left;
  if (code === "contended") {
    return { outcome: code, claimed: claimed !== undefined };
  }
  if (back) {
    return back;
  }
  if (made && code === "committed") {
    return { outcome: code, result: made.result };
  }
  if (claimed && code === "indeterminate") {
    return made
      ? { outcome: "unknown", made, claimed, cause }
      : {
          outcome: "settled",
          result: { outcome: "indeterminate", reason: "transactionEnded", cause },
        };
  }
  throw cause;
}
