// What a store declares about itself: whose clock it judges by, and what its writes survive.

/** What a store promises beyond the clauses that hold for all. */
export interface StoreCapabilities {
  /** Whose clock judges expiry: the store's, or that of each client (which skew then affects). */
  readonly clock: "store" | "client";
  /** What an applied write survives: `process` nothing, `asynchronous` most crashes, `durable` all. */
  readonly durability: "process" | "asynchronous" | "durable";
  /** Whether a failover may lose writes that were answered *applied*. */
  readonly failoverMayLoseWrites: boolean;
  /** The largest value in UTF-8 bytes; at least 1 MiB. */
  readonly maxValueBytes: number;
  /** Times to live are honoured to this granularity and never rounded down. */
  readonly ttlGranularityMs: number;
  /** How long a key's last revision outlives its entry, in milliseconds. */
  readonly tombstoneMs: number;
  /** Every call settles within this time, in milliseconds. */
  readonly operationTimeoutMs: number;
}
