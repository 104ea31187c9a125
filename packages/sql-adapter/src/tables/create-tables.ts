// `createTables`: the helpers for the user's own tables, over the user's own client or inside the
// user's own transaction.

import { ArgumentError, type Runtime, systemRuntime } from "@onceproof/core/advanced";
import { type BridgedTransaction, bridgedRows, isBridged } from "../bridges/bridged.js";
import type { MariadbConnection } from "../drivers/mariadb.js";
import { isMysqlClient, mysqlSessions } from "../drivers/mysql.js";
import type { Mysql2Callbacks, Mysql2Connection } from "../drivers/mysql2.js";
import { type PgClient, type PgNaming, pgSession } from "../drivers/pg.js";
import { type PgliteDatabase, pgliteSessions } from "../drivers/pglite.js";
import { isPglite, isPostgresClient, isPostgresJs, postgresSessions } from "../drivers/postgres.js";
import {
  checkTransform,
  type Naming,
  namingOn,
  type PostgresJsSession,
  sendOn,
} from "../drivers/postgres-js.js";
import { inTransaction, isSqliteDatabase, type SqliteDatabase } from "../drivers/sqlite.js";
import { meaning as mysqlMeaning } from "../mysql/error-code.js";
import { limitedSessions } from "../mysql/server-facts.js";
import { BEGIN as MYSQL_BEGIN } from "../mysql/write-all.js";
import { meaning as postgresMeaning } from "../postgres/sqlstate.js";
import type { DatabaseClient } from "../schema/migrate.js";
import { checkOptions, notAClient, type Taken } from "../shared/check-options.js";
import type { Dialect } from "../shared/dialect.js";
import { exchangeOver } from "../shared/exchange.js";
import { inTurn, type Sessions, UNCHAINED } from "../shared/session.js";
import type { Database } from "./database.js";
import {
  type FencedUpdateOptions,
  type FencedUpdateResult,
  fencedUpdate,
} from "./fenced-update.js";
import { type InsertOnceOptions, type InsertOnceResult, insertOnce } from "./insert-once.js";
import { type LockRowOptions, type LockRowResult, lockRow } from "./lock-row.js";
import { type LoggedRequest, type RequestsOptions, requests } from "./request-log.js";
import { boundDatabase, type Shared, serverDatabase } from "./server-database.js";
import { boundSqliteDatabase, sqliteDatabase } from "./sqlite-database.js";
import type { TransitionRowOptions, TransitionRowResult } from "./transition.js";
import { transitionRow } from "./transition-row.js";
import type { UpdateVersionedOptions, UpdateVersionedResult } from "./update.js";
import { updateVersioned } from "./update-versioned.js";
import type { Row, Value } from "./values.js";

/** Options of `createTables`. */
export interface TablesOptions {
  /** Your own client, of any driver that the stores take, outside a transaction. */
  readonly client: DatabaseClient;
  /** Every call outside your transactions settles within this time. @defaultValue 2000 */
  readonly operationTimeoutMs?: number;
  /** Whether statements are prepared once per connection. @defaultValue true */
  readonly prepare?: boolean;
  /** Where timers and randomness come from. @defaultValue systemRuntime */
  readonly runtime?: Runtime;
}

const TAKEN: Taken<keyof TablesOptions> = {
  who: "createTables",
  client: "client",
  names: { client: true, operationTimeoutMs: true, prepare: true, runtime: true },
};

/**
 * A transaction that you have begun: a connection of pg, mysql2 or mariadb, the `sql` of
 * postgres.js' `begin`, the `tx` of PGlite's `transaction`, a SQLite connection, or a bridge.
 */
export type TransactionHandle =
  | PgClient
  | PostgresJsSession
  | Pick<PgliteDatabase, "query">
  | Mysql2Connection
  | Mysql2Callbacks<Mysql2Connection>
  | MariadbConnection
  | SqliteDatabase
  | BridgedTransaction;

/**
 * Helpers for your own tables.
 *
 * Outside a transaction a statement that did not run for others' sake is sent again within
 * `operationTimeoutMs`; what certainly did nothing is a StoreError `unavailable` whose `cause` has
 * the database's code, and no answer is the outcome *indeterminate*. Inside your transaction the
 * driver's own error is thrown: roll back, and run the whole transaction again if it was a deadlock
 * or a serialization failure. Bad names and values are an ArgumentError before anything is sent.
 */
export interface Tables {
  /**
   * Inserts a row once.
   *
   * Guarantee: of any number of calls that meet in one unique key, one is told *created*; the
   * creator is recognised by `requestId`. A refusal leaves a transaction usable.
   * On MySQL it is read back in a statement of its own; if that fails, the answer is *indeterminate*.
   * Cost in statements: 1 created, else 2; on MySQL 2, and 1 the first time.
   * Fails: `optionInvalid` also if a unique key refuses that `uniqueBy` does not name, and on MySQL
   * if the mode is not strict.
   */
  insertOnce<R extends { readonly [Column in keyof R]: Value }>(
    table: string,
    row: R,
    options: InsertOnceOptions,
  ): Promise<InsertOnceResult>;
  /**
   * Moves a row from one of some states to another.
   *
   * Guarantee: each (row, requestId) moves it at most once and gets the same answer again, refusals
   * included, as long as the log has it; without a requestId a call moves it at most once. A move that
   * may not be changes nothing.
   * Cost in statements: Postgres 1, replayed 2. MySQL 2, refused 1, with a log 3, refused 2, replayed
   * 3, between BEGIN (2) and COMMIT. SQLite the same, between BEGIN and COMMIT.
   */
  transitionRow(table: string, options: TransitionRowOptions): Promise<TransitionRowResult>;
  /**
   * Changes a row by a function of what it holds.
   *
   * Guarantee: the function takes effect on exactly the row that it was given, and with a requestId
   * at most once; it may be called several times. Starvation is bounded: *contended*.
   * Cost in statements: 2 per round, replayed 1. On MySQL 2, with a log 3, between BEGIN (2) and
   * COMMIT, under the row's lock, so in one round.
   * Fails: what the function throws; nothing changed.
   */
  updateVersioned<R extends object = Row>(
    table: string,
    options: UpdateVersionedOptions<R>,
  ): Promise<UpdateVersionedResult>;
  /**
   * Sets columns of a row unless it has seen a newer fencing token.
   *
   * Guarantee: the tokens of the updates that a row takes never decrease; an equal one is taken.
   * Cost in statements: 1, stale 2; on MySQL 2, stale 1, between BEGIN (2) and COMMIT.
   */
  fencedUpdate(table: string, options: FencedUpdateOptions): Promise<FencedUpdateResult>;
  /**
   * Tells what the named requests that the log has did to a row, by the versions that they made.
   *
   * Cost in statements: 1. Fails: also `unavailable` without an answer.
   */
  requests(table: string, options: RequestsOptions): Promise<readonly LoggedRequest[]>;
}

/** The helpers inside a transaction. */
export interface TablesInTransaction extends Tables {
  /**
   * Locks a row until the transaction ends.
   *
   * Guarantee: the wait is bounded, and whatever comes of it the transaction goes on. On SQLite it
   * takes the file's write lock, so every row is locked, and waits as the connection is set to.
   * Cost in statements: 3, busy 4 and 2 for each further try; on SQLite 2.
   * Fails: `optionInvalid` outside a transaction.
   */
  lockRow<R extends object = Row>(
    table: string,
    options: LockRowOptions,
  ): Promise<LockRowResult<R>>;
}

/** The helpers over a client. */
export interface ClientTables extends Tables {
  /** The dialect of the client. */
  readonly dialect: Dialect;
  /**
   * The helpers inside a transaction that you have begun on a connection of this client.
   *
   * Cost: no statement. Fails: `optionInvalid` for a pool, or a SQLite connection without a
   * transaction.
   */
  within(tx: TransactionHandle): TablesInTransaction;
}

function invalid(message: string): never {
  throw new ArgumentError("optionInvalid", message);
}

function isAnyClient(value: unknown): value is DatabaseClient {
  return isSqliteDatabase(value) || isMysqlClient(value) || isPostgresClient(value);
}

function dialectOf(client: unknown): Dialect {
  if (isSqliteDatabase(client)) {
    return "sqlite";
  }
  if (isMysqlClient(client)) {
    return "mysql";
  }
  return isPostgresClient(client) ? "postgres" : notAClient();
}

function ownDatabase(client: DatabaseClient, shared: Shared, prepare: boolean): Database {
  if (isSqliteDatabase(client)) {
    return sqliteDatabase(client, shared);
  }
  if (isMysqlClient(client)) {
    const sessions = limitedSessions(mysqlSessions(client, prepare), shared.timeoutMs, prepare);
    return serverDatabase(exchangeOver(sessions, mysqlMeaning, MYSQL_BEGIN, UNCHAINED), shared);
  }
  if (isPostgresJs(client)) {
    checkTransform(client);
  }
  const begin = [
    {
      name: "onceproof_tables_begin",
      text: "BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED READ WRITE",
    },
  ];
  const sessions = postgresSessions(client, prepare);
  return serverDatabase(exchangeOver(sessions, postgresMeaning, begin), shared);
}

function has(handle: unknown, member: string): boolean {
  return member in (Object(handle) as object);
}

/** Whether statements in the users' transactions are prepared; given up where a pooler loses them. */
interface Preparing {
  readonly prepare: boolean;
  readonly pg: PgNaming;
  readonly postgresJs: Naming | undefined;
}

function preparingOn(client: DatabaseClient, prepare: boolean): Preparing {
  const postgresJs = isPostgresJs(client) ? namingOn(client, prepare) : undefined;
  return { prepare, pg: { prepare }, postgresJs };
}

/** The sessions of a transaction, of which there is one. */
function sessionsWithin(
  client: DatabaseClient,
  tx: TransactionHandle,
  { prepare, pg, postgresJs }: Preparing,
): Sessions {
  if (isBridged(tx)) {
    return inTurn({
      send: async ({ text }, values) => ({
        rows: await bridgedRows(tx, text, values),
        insertId: 0,
      }),
    });
  }
  if (["totalCount", "getConnection", "reserve", "waitReady"].some((member) => has(tx, member))) {
    return invalid("within takes the connection that began the transaction, not a pool or client");
  }
  if (postgresJs !== undefined && has(tx, "unsafe")) {
    return inTurn({
      send: (sent, values) => sendOn(tx as PostgresJsSession, postgresJs, sent, values).reply,
    });
  }
  if (isMysqlClient(client) && isMysqlClient(tx)) {
    return mysqlSessions(tx, prepare);
  }
  if (!has(tx, "query")) {
    return invalid("within takes a transaction of the client's own driver, or a bridge");
  }
  return isPglite(client)
    ? pgliteSessions(tx as PgliteDatabase)
    : inTurn(pgSession(tx as PgClient, pg));
}

function helpersOn(database: Database): Tables {
  return {
    insertOnce: async (table, row, options) => insertOnce(database, table, row, options),
    transitionRow: async (table, options) => transitionRow(database, table, options),
    updateVersioned: async (table, options) => updateVersioned(database, table, options),
    fencedUpdate: async (table, options) => fencedUpdate(database, table, options),
    requests: async (table, options) => requests(database, table, options),
  };
}

function boundDatabaseOf(
  client: DatabaseClient,
  tx: TransactionHandle,
  shared: Shared,
  preparing: Preparing,
): Database {
  if (!isSqliteDatabase(client)) {
    return boundDatabase(sessionsWithin(client, tx, preparing), shared);
  }
  if (!isSqliteDatabase(tx)) {
    // A bridge answers later, and SQLite's statements must not wait for each other.
    return isBridged(tx)
      ? boundDatabase(sessionsWithin(client, tx, preparing), shared)
      : invalid("within takes the SQLite connection that is inside a transaction, or a bridge");
  }
  if (!inTransaction(tx)) {
    invalid("the SQLite connection is not inside a transaction: BEGIN IMMEDIATE first");
  }
  return boundSqliteDatabase(tx, shared);
}

/**
 * Creates the helpers for your own tables; no table of ours is needed, a request log only for request
 * ids (`requestLogSchema`).
 *
 * Guarantee: see `Tables`. Cost: no statement. Fails: ArgumentError for bad options.
 */
export function createTables(options: TablesOptions): ClientTables {
  checkOptions(options, isAnyClient, TAKEN);
  const { client, operationTimeoutMs: timeoutMs = 2000, prepare = true } = options;
  const dialect = dialectOf(client);
  if (!(timeoutMs >= 1)) {
    throw new ArgumentError("durationInvalid", "operationTimeoutMs must be at least 1");
  }
  const runtime = options.runtime ?? systemRuntime;
  const shared: Shared = { dialect, runtime, timeoutMs, facts: {} };
  const preparing = preparingOn(client, prepare);
  return {
    dialect,
    ...helpersOn(ownDatabase(client, shared, prepare)),
    within(tx) {
      const database = boundDatabaseOf(client, tx, shared, preparing);
      return {
        lockRow: async <R extends object>(table: string, lock: LockRowOptions) =>
          (await lockRow(database, table, lock)) as LockRowResult<R>,
        ...helpersOn(database),
      };
    },
  };
}
