// What a caller may choose about a Redis store, and every default in one place.

import {
  ArgumentError,
  type Runtime,
  type StoreCapabilities,
  systemRuntime,
} from "@onceproof/core/advanced";
import { type Connection, connectionOf, type RedisClient } from "./client.js";

/** Options of `createRedisStore`. */
export interface RedisStoreOptions {
  /** Your own connected ioredis or node-redis client; closing the store does not close it. */
  readonly client: RedisClient;
  /**
   * Stands before `|` in every Redis key; it may hold a hash tag but no `|`, so that stores with
   * different prefixes never meet.
   * @defaultValue "onceproof"
   */
  readonly keyPrefix?: string;
  /** Every call settles within this time. @defaultValue 2000 */
  readonly operationTimeoutMs?: number;
  /** How long a key's last revision outlives its entry. @defaultValue 300000 (5 min) */
  readonly tombstoneMs?: number;
  /**
   * What an applied write survives; say `durable` only for `appendonly yes` with `appendfsync
   * always`.
   * @defaultValue "asynchronous"
   */
  readonly durability?: StoreCapabilities["durability"];
  /** Where the operation's timer comes from. @defaultValue systemRuntime */
  readonly runtime?: Runtime;
}

/** The options with every default filled in. */
export interface ResolvedOptions {
  readonly connection: Connection;
  readonly keyPrefix: string;
  readonly runtime: Runtime;
  readonly capabilities: StoreCapabilities;
}

const MAX_VALUE_BYTES = 1024 * 1024;
const MAX_MS = 365 * 24 * 3_600_000;

function duration(ms: number, what: string): number {
  if (typeof ms !== "number" || !(ms >= 1) || ms > MAX_MS) {
    throw new ArgumentError(
      "durationInvalid",
      `${what} must be a number of milliseconds from 1 to ${MAX_MS}, got ${String(ms)}`,
    );
  }
  return ms;
}

/** Checks the options and fills in the defaults. */
export function resolveOptions(options: RedisStoreOptions): ResolvedOptions {
  const keyPrefix = options.keyPrefix ?? "onceproof";
  if (typeof keyPrefix !== "string" || /[|\p{Surrogate}]/u.test(keyPrefix)) {
    throw new ArgumentError("optionInvalid", "keyPrefix must be a well-formed string without |");
  }
  return {
    connection: connectionOf(options.client),
    keyPrefix,
    runtime: options.runtime ?? systemRuntime,
    capabilities: {
      clock: "store",
      durability: options.durability ?? "asynchronous",
      // A replica that is promoted may lack what its master had answered.
      failoverMayLoseWrites: true,
      maxValueBytes: MAX_VALUE_BYTES,
      // Expiry is judged in microseconds by the scripts, not by Redis' own key expiry.
      ttlGranularityMs: 0.001,
      tombstoneMs: duration(options.tombstoneMs ?? 300_000, "tombstoneMs"),
      operationTimeoutMs: duration(options.operationTimeoutMs ?? 2000, "operationTimeoutMs"),
    },
  };
}
