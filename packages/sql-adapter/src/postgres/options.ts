// What a caller may choose about a Postgres store, and every default in one place.

import { ArgumentError, type Runtime, type StoreCapabilities } from "@onceproof/core/advanced";
import type { Listen } from "../drivers/listen.js";
import { isInMemory } from "../drivers/pglite.js";
import {
  isPglite,
  isPostgresClient,
  isPostgresJs,
  type PostgresClient,
  postgresListen,
  postgresSessions,
} from "../drivers/postgres.js";
import { checkTransform } from "../drivers/postgres-js.js";
import { checkOptions, SHARED_OPTIONS, type Taken } from "../shared/check-options.js";
import { type Exchange, exchangeOver } from "../shared/exchange.js";
import { createGuesses, type Guesses, UNLIKELY } from "../shared/guesses.js";
import {
  type Durability,
  duration,
  resolveShared,
  type SqlStoreOptions,
  tombstoneUsOf,
} from "../shared/options.js";
import type { Sessions, Statement } from "../shared/session.js";
import { quoteTable } from "../shared/table-name.js";
import { meaning } from "./sqlstate.js";
import { ASKED, limitLocks, type Statements, statement, statementsFor } from "./statements.js";
import { channelOf } from "./watch.js";

/** Options of `createPostgresStore`. */
export interface PostgresStoreOptions<Client extends PostgresClient = PostgresClient>
  extends SqlStoreOptions {
  /**
   * Your own pg Pool, `sql` of postgres.js or PGlite, or a connected pg Client that is not inside a
   * transaction. Prefer a pool: a Client whose server hangs holds up every later call. Closing the
   * store does not close it.
   */
  readonly client: Client;
  /**
   * Whether statements are prepared once per connection, which about halves their cost. Turned
   * off by itself where a pooler loses them: a transaction in which that is noticed is `contended`,
   * so say false where you know of one. postgres.js prepares none behind any pooler.
   * @defaultValue true
   */
  readonly prepare?: boolean;
  /**
   * Whether each write notifies, so that the store can `watch`. Commits that notify go one after
   * another in the whole server, and a pool lends one connection for listening.
   * @defaultValue false
   */
  readonly notify?: boolean;
  /**
   * What an applied write survives; `asynchronous` if `synchronous_commit` or `fsync` is off.
   * PGlite never waits for the disk, so it cannot be `durable`.
   * @defaultValue "durable"; on PGlite "asynchronous" in a folder, "process" in memory
   */
  readonly durability?: StoreCapabilities["durability"];
  /**
   * Whether a promoted standby may lack what was answered as applied; say false only without a
   * standby or with a synchronous one.
   * @defaultValue true; on PGlite false
   */
  readonly failoverMayLoseWrites?: boolean;
  /**
   * How long the server lets a transaction wait for your function's next statement before it ends
   * the session and rolls back, in milliseconds. PGlite has no such limit.
   * @defaultValue 60000
   */
  readonly idleTransactionMs?: number;
}

/** What the server is told of a transaction: how long to wait for locks, and for us. */
export interface ServerLimits {
  readonly lockTimeoutMs: number;
  readonly idleTransactionMs: number;
}

/** The options with every default filled in. */
export interface ResolvedOptions {
  readonly table: string;
  readonly exchange: Exchange;
  readonly client: PostgresClient;
  readonly prepare: boolean;
  readonly sessions: Sessions;
  readonly limits: ServerLimits;
  readonly statements: Statements;
  /**
   * Whether answers say whose they are. On postgres.js (3.4) an answer may be another query's: after
   * yours was canceled, or found to hold `undefined`, behind another one of its connection.
   */
  readonly echoes: boolean;
  readonly guesses: Guesses;
  /** Where to notify and how to listen, if the store does. */
  readonly notifications: { readonly channel: string; readonly listen: Listen } | undefined;
  readonly runtime: Runtime;
  readonly capabilities: StoreCapabilities;
}

const TAKEN: Taken<keyof PostgresStoreOptions> = {
  who: "createPostgresStore",
  client: "client",
  names: {
    client: true,
    prepare: true,
    notify: true,
    durability: true,
    failoverMayLoseWrites: true,
    idleTransactionMs: true,
    ...SHARED_OPTIONS,
  },
};

const BEGIN: readonly Statement[] = [
  statement("begin", "BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED READ WRITE"),
];

/** Some of what the statements answer with. */
const COLUMNS = ["v", "rev", "op", "at", "exp", "now", "wrev", "wat", "wexp", "xid", "asked"];

function durabilityOf({ client, durability }: PostgresStoreOptions): Durability {
  if (!isPglite(client)) {
    return durability ?? "durable";
  }
  const most = isInMemory(client) ? "process" : "asynchronous";
  if (durability === "durable" || (durability === "asynchronous" && most === "process")) {
    throw new ArgumentError("optionInvalid", `durability of this PGlite is at most "${most}"`);
  }
  return durability ?? most;
}

/** Checks the options and fills in the defaults. */
export function resolveOptions(options: PostgresStoreOptions): ResolvedOptions {
  checkOptions(options, isPostgresClient, TAKEN);
  const { client, prepare = true, notify = false, idleTransactionMs = 60_000 } = options;
  if (!isPostgresClient(client)) {
    throw new ArgumentError(
      "optionInvalid",
      "client must be a pg Pool or Client, the sql of postgres.js, or a PGlite",
    );
  }
  const echoes = isPostgresJs(client);
  if (echoes) {
    checkTransform(client, COLUMNS);
  }
  const table = quoteTable("postgres", options.table);
  const channel = notify ? channelOf(table) : undefined;
  const sessions = postgresSessions(client, prepare);
  const shared = resolveShared(options, {
    durability: durabilityOf(options),
    failoverMayLoseWrites: options.failoverMayLoseWrites ?? !isPglite(client),
  });
  const limits: ServerLimits = {
    lockTimeoutMs: Math.ceil(shared.capabilities.operationTimeoutMs * 0.8),
    idleTransactionMs: Math.ceil(duration(idleTransactionMs, "idleTransactionMs")),
  };
  return {
    table,
    exchange: exchangeOver(sessions, meaning, BEGIN),
    ...{ client, prepare, sessions, limits },
    echoes,
    statements: statementsFor(
      ...([table, tombstoneUsOf(shared.capabilities), channel, limitLocks] as const),
      ...(echoes ? [ASKED.write, ASKED.read] : []),
    ),
    // An answer without a row says not whose it is, and a short statement may give one.
    guesses: echoes ? UNLIKELY : createGuesses(),
    notifications: channel === undefined ? undefined : { channel, listen: postgresListen(client) },
    ...shared,
  };
}
