// What a server of MySQL's protocol says of the session with each answer.

const IN_TRANSACTION = 1;

/** Whether a transaction is open, by the status that came with an answer. */
export function inTransactionBy(status: unknown): { readonly inTransaction?: boolean } {
  return typeof status === "number" ? { inTransaction: (status & IN_TRANSACTION) !== 0 } : {};
}
