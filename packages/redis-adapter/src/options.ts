// What a caller may choose about a Redis store, and every default in one place.

import {
  ArgumentError,
  type Runtime,
  type StoreCapabilities,
  systemRuntime,
} from "@onceproof/core/advanced";
import { checkKeyPrefix, checkOptions } from "./check-options.js";
import type { RedisClient } from "./client.js";
import type { Connection } from "./connection.js";
import { connectionOf } from "./connection-of.js";
import { type EvictionGuard, evictionGuard } from "./eviction-guard.js";
import type { Finding } from "./finding.js";
import { redisKey } from "./redis-key.js";
import { taggedRedisKey } from "./tagged-key.js";
import { createWatch, type Watch } from "./watch.js";
import { watchUnavailable } from "./watch-finding.js";

/** Options of `createRedisStore`. */
export interface RedisStoreOptions {
  /**
   * Your own connected client of ioredis or node-redis: a single one, a Cluster, one that asks
   * Sentinel, a pool. Closing the store does not close it. It must not read from replicas.
   */
  readonly client: RedisClient;
  /**
   * Stands before `|` in every Redis key; it may hold a hash tag but no `|`, so that stores with
   * different prefixes never meet.
   * @defaultValue "onceproof"
   */
  readonly keyPrefix?: string;
  /**
   * Whether keys bear hash tags, as Cluster needs them. Key names differ with and without, so all
   * stores of the same data must agree: set it before a move to Cluster, or where a single client
   * speaks to a cluster through a proxy.
   * @defaultValue true for a client of a cluster, else false
   */
  readonly hashTags?: boolean;
  /**
   * An applied write is answered so only once this many replicas have it too, else *unknown*: it
   * stands on the master, and a failover may lose it. What a failover may lose becomes less; it does
   * not become nothing. One more call for each applied write.
   * @defaultValue 0
   * @see https://redis.io/docs/latest/commands/wait/
   */
  readonly waitReplicas?: number;
  /** How long to wait for them; must be below `operationTimeoutMs`. @defaultValue half of it */
  readonly waitReplicasMs?: number;
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
  /**
   * Whether writes tell those who wait, and waiters listen, on one more connection per client that
   * opens with the first watch. False saves both; waiters then poll.
   * @defaultValue true
   */
  readonly watch?: boolean;
  /**
   * Whether to work with a server that may evict records to make room. A request whose record was
   * evicted runs again, and a lock whose record was evicted is free.
   * @defaultValue false: every call then fails with StoreError *evicting*
   */
  readonly evictionAllowed?: boolean;
  /** Hears what the store can do without, such as watches that cannot wake. @defaultValue nobody */
  readonly onWarning?: (finding: Finding) => void;
  /** Where the operation's timer comes from. @defaultValue systemRuntime */
  readonly runtime?: Runtime;
}

/** The options with every default filled in. */
export interface ResolvedOptions {
  readonly connection: Connection;
  readonly keyPrefix: string;
  /** The Redis key of a store key. */
  readonly keyOf: (key: string) => string;
  readonly hashTags: boolean;
  readonly waitReplicas: number;
  readonly waitReplicasMs: number;
  readonly runtime: Runtime;
  readonly capabilities: StoreCapabilities;
  /** Refuses a server that may evict records; absent if the caller accepts one. */
  readonly guard?: EvictionGuard;
  /** The extra connection; absent if the caller does without. */
  readonly watch?: Watch;
}

// As a record, so that a new option can't be forgotten here.
const NAMES: Readonly<Record<keyof RedisStoreOptions, true>> = {
  client: true,
  keyPrefix: true,
  hashTags: true,
  waitReplicas: true,
  waitReplicasMs: true,
  operationTimeoutMs: true,
  tombstoneMs: true,
  durability: true,
  watch: true,
  evictionAllowed: true,
  onWarning: true,
  runtime: true,
};

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

function watchOf(options: RedisStoreOptions, runtime: Runtime): { readonly watch?: Watch } {
  const { client, onWarning, watch = true } = options;
  if (!watch) {
    return {};
  }
  const failed = (cause: unknown): void => {
    try {
      onWarning?.(watchUnavailable(cause));
    } catch {
      // What hears of a warning must not stop what it warns of.
    }
  };
  return { watch: createWatch(client, runtime, failed) };
}

function count(value: number, what: string): number {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new ArgumentError(
      "optionInvalid",
      `${what} must be a whole number, got ${String(value)}`,
    );
  }
  return value;
}

/** Checks the options and fills in the defaults. */
export function resolveOptions(options: RedisStoreOptions): ResolvedOptions {
  checkOptions(options, NAMES);
  const connection = connectionOf(options.client);
  const runtime = options.runtime ?? systemRuntime;
  const hashTags = options.hashTags ?? connection.cluster;
  const keyPrefix = options.keyPrefix ?? "onceproof";
  checkKeyPrefix(keyPrefix, connection.keyPrefix, hashTags || connection.cluster);
  const operationTimeoutMs = duration(options.operationTimeoutMs ?? 2000, "operationTimeoutMs");
  const waitReplicasMs = options.waitReplicasMs ?? Math.max(1, operationTimeoutMs / 2);
  if (duration(waitReplicasMs, "waitReplicasMs") >= operationTimeoutMs && operationTimeoutMs > 1) {
    throw new ArgumentError(
      "durationInvalid",
      `waitReplicasMs must be below operationTimeoutMs (${operationTimeoutMs}), got ${waitReplicasMs}`,
    );
  }
  return {
    connection,
    keyPrefix,
    keyOf: hashTags ? (key) => taggedRedisKey(keyPrefix, key) : (key) => redisKey(keyPrefix, key),
    hashTags,
    waitReplicas: count(options.waitReplicas ?? 0, "waitReplicas"),
    waitReplicasMs,
    runtime,
    ...(options.evictionAllowed === true ? {} : { guard: evictionGuard(options.client, runtime) }),
    ...watchOf(options, runtime),
    capabilities: {
      clock: "store",
      durability: options.durability ?? "asynchronous",
      // A replica that is promoted may lack what its master had answered, also with waitReplicas:
      // the one that is promoted need not be one that had acknowledged.
      failoverMayLoseWrites: true,
      maxValueBytes: MAX_VALUE_BYTES,
      // Expiry is judged in microseconds by the scripts, not by Redis' own key expiry.
      ttlGranularityMs: 0.001,
      tombstoneMs: duration(options.tombstoneMs ?? 300_000, "tombstoneMs"),
      operationTimeoutMs,
    },
  };
}
