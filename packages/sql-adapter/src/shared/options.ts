// What a caller may choose about a store on any dialect, and every default in one place.

import {
  ArgumentError,
  type Runtime,
  type StoreCapabilities,
  systemRuntime,
} from "@onceproof/core/advanced";

/** Options that the stores of all dialects share. */
export interface SqlStoreOptions {
  /** The table, `name` or `schema.name`; `migrate` makes it. @defaultValue "onceproof" */
  readonly table?: string;
  /** Every call settles within this time. @defaultValue 2000 */
  readonly operationTimeoutMs?: number;
  /** How long a key's last revision outlives its entry. @defaultValue 300000 (5 min) */
  readonly tombstoneMs?: number;
  /** Where the operation's timer comes from. @defaultValue systemRuntime */
  readonly runtime?: Runtime;
}

/** What an applied write survives. */
export type Durability = StoreCapabilities["durability"];

/** What a dialect declares of itself. */
export interface Declared {
  readonly durability: Durability;
  readonly failoverMayLoseWrites: boolean;
}

const MAX_VALUE_BYTES = 1024 * 1024;
const MAX_MS = 365 * 24 * 3_600_000;
const DURABILITIES: readonly unknown[] = ["process", "asynchronous", "durable"];

/** Throws unless it is a number of milliseconds that makes sense. */
export function duration(ms: number, what: string): number {
  if (typeof ms !== "number" || !(ms >= 1) || ms > MAX_MS) {
    throw new ArgumentError(
      "durationInvalid",
      `${what} must be a number of milliseconds from 1 to ${MAX_MS}, got ${String(ms)}`,
    );
  }
  return ms;
}

/** Throws unless it is one of the words of `StoreCapabilities.durability`. */
export function checkDurability(durability: unknown): void {
  if (!DURABILITIES.includes(durability)) {
    throw new ArgumentError(
      "optionInvalid",
      `durability must be one of ${DURABILITIES.join(", ")}`,
    );
  }
}

/** The limit of one sweep. */
export function checkLimit(limit: unknown): void {
  if (!Number.isSafeInteger(limit) || (limit as number) < 1) {
    throw new ArgumentError("optionInvalid", "limit must be a whole number of at least 1");
  }
}

/** The tombstone time in the tables' unit. */
export function tombstoneUsOf({ tombstoneMs }: StoreCapabilities): number {
  return Math.ceil(tombstoneMs * 1000);
}

/** The runtime and the capabilities of a store, every default filled in. */
export function resolveShared(
  options: SqlStoreOptions,
  { durability, failoverMayLoseWrites }: Declared,
): { readonly runtime: Runtime; readonly capabilities: StoreCapabilities } {
  checkDurability(durability);
  return {
    runtime: options.runtime ?? systemRuntime,
    capabilities: {
      clock: "store",
      durability,
      failoverMayLoseWrites,
      maxValueBytes: MAX_VALUE_BYTES,
      ttlGranularityMs: 0.001,
      tombstoneMs: duration(options.tombstoneMs ?? 300_000, "tombstoneMs"),
      operationTimeoutMs: duration(options.operationTimeoutMs ?? 2000, "operationTimeoutMs"),
    },
  };
}
