// What a caller may choose about a Postgres store, and every default in one place.

import {
  ArgumentError,
  type Runtime,
  type StoreCapabilities,
  systemRuntime,
} from "@onceproof/core/advanced";
import { quoteTable } from "../shared/table-name.js";
import { type PgClient, type PgPool, type Run, statementRunner } from "./client.js";
import { type Statements, statementsFor } from "./statements.js";

/** Options of `createPostgresStore`. */
export interface PostgresStoreOptions {
  /**
   * Your own pg Pool, or a connected Client that is not inside a transaction. Prefer a Pool: a
   * Client whose server hangs holds up every later call. Closing the store does not close it.
   */
  readonly client: PgPool | PgClient;
  /** The table, `name` or `schema.name`; `migrate` makes it. @defaultValue "onceproof" */
  readonly table?: string;
  /** Every call settles within this time. @defaultValue 2000 */
  readonly operationTimeoutMs?: number;
  /** How long a key's last revision outlives its entry, at least. @defaultValue 300000 (5 min) */
  readonly tombstoneMs?: number;
  /**
   * Whether statements are prepared once per connection, which about halves their cost. Turned
   * off by itself where a pooler loses them.
   * @defaultValue true
   */
  readonly prepare?: boolean;
  /**
   * What an applied write survives; `asynchronous` if `synchronous_commit` or `fsync` is off.
   * @defaultValue "durable"
   */
  readonly durability?: StoreCapabilities["durability"];
  /**
   * Whether a promoted standby may lack what was answered as applied; say false only without a
   * standby or with a synchronous one.
   * @defaultValue true
   */
  readonly failoverMayLoseWrites?: boolean;
  /** Where the operation's timer comes from. @defaultValue systemRuntime */
  readonly runtime?: Runtime;
}

/** The options with every default filled in. */
export interface ResolvedOptions {
  readonly run: Run;
  readonly statements: Statements;
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

function isClient(client: unknown): boolean {
  return typeof (client as Partial<PgClient> | null | undefined)?.query === "function";
}

/** Checks the options and fills in the defaults. */
export function resolveOptions(options: PostgresStoreOptions): ResolvedOptions {
  if (!isClient(options.client)) {
    throw new ArgumentError("optionInvalid", "client must be a pg Pool or Client");
  }
  return {
    run: statementRunner(options.client, options.prepare ?? true),
    statements: statementsFor(quoteTable("postgres", options.table)),
    runtime: options.runtime ?? systemRuntime,
    capabilities: {
      clock: "store",
      durability: options.durability ?? "durable",
      failoverMayLoseWrites: options.failoverMayLoseWrites ?? true,
      maxValueBytes: MAX_VALUE_BYTES,
      ttlGranularityMs: 0.001,
      tombstoneMs: duration(options.tombstoneMs ?? 300_000, "tombstoneMs"),
      operationTimeoutMs: duration(options.operationTimeoutMs ?? 2000, "operationTimeoutMs"),
    },
  };
}
