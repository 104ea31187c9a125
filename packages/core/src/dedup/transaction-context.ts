// What a handler is given within the store's transaction, beside the transaction itself.

/** The handler's view of its attempt. There is no lease: the database's own lock is one. */
export interface TransactionContext {
  readonly key: string;
  /** 1 for the first attempt of this key. Rounds that were rolled back do not count. */
  readonly attempt: number;
  /** True if an earlier attempt of `run` ended without a known outcome. */
  readonly takeover: boolean;
  /**
   * A key for an effect at another system, the same in every attempt and every round.
   *
   * Guarantee: that of `DedupContext.childKey`. Cost: no store call.
   */
  childKey(name: string): string;
}
