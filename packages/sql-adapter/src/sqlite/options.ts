// What a caller may choose about a SQLite store, and every default in one place.

import { ArgumentError, type Runtime, type StoreCapabilities } from "@onceproof/core/advanced";
import {
  fileOf,
  isSqliteDatabase,
  makeDurable,
  type SqliteDatabase,
  type SqliteTransactions,
  transactionsOn,
} from "../drivers/sqlite.js";
import { checkOptions, SHARED_OPTIONS, type Taken } from "../shared/check-options.js";
import { resolveShared, type SqlStoreOptions, tombstoneUsOf } from "../shared/options.js";
import { quoteTable } from "../shared/table-name.js";
import { type Statements, statementsFor } from "./statements.js";

/** Options of `createSqliteStore`. */
export interface SqliteStoreOptions<Database extends SqliteDatabase = SqliteDatabase>
  extends SqlStoreOptions {
  /**
   * Your own connection of libsql, better-sqlite3 or node:sqlite. Closing the store does not close
   * it. Give a file one connection per process: SQLite lets only one of them write.
   */
  readonly database: Database;
  /**
   * What an applied write survives. `durable` sets `PRAGMA synchronous = FULL` on your connection;
   * say `asynchronous` to keep a weaker setting, with which a power cut may lose the last writes.
   * @defaultValue "durable" in a file, "process" in memory
   */
  readonly durability?: StoreCapabilities["durability"];
}

/** The options with every default filled in. */
export interface ResolvedOptions {
  readonly table: string;
  readonly database: SqliteDatabase;
  readonly transactions: SqliteTransactions;
  readonly statements: Statements;
  readonly runtime: Runtime;
  readonly capabilities: StoreCapabilities;
}

const TAKEN: Taken<keyof SqliteStoreOptions> = {
  who: "createSqliteStore",
  client: "database",
  names: { database: true, durability: true, ...SHARED_OPTIONS },
};

/** Checks the options, fills in the defaults and makes the connection durable. */
export function resolveOptions(options: SqliteStoreOptions): ResolvedOptions {
  checkOptions(options, isSqliteDatabase, TAKEN);
  const { database } = options;
  if (!isSqliteDatabase(database)) {
    throw new ArgumentError(
      "optionInvalid",
      "database must be a connection of libsql, better-sqlite3 or node:sqlite",
    );
  }
  const table = quoteTable("sqlite", options.table);
  const inMemory = fileOf(database) === "";
  const durability = options.durability ?? (inMemory ? "process" : "durable");
  if (inMemory && durability !== "process") {
    throw new ArgumentError("optionInvalid", "a database in memory survives no process");
  }
  const shared = resolveShared(options, { durability, failoverMayLoseWrites: false });
  const transactions = transactionsOn(database);
  if (durability === "durable") {
    makeDurable(database);
  }
  const statements = statementsFor(database, table, tombstoneUsOf(shared.capabilities));
  return { table, database, transactions, statements, ...shared };
}
