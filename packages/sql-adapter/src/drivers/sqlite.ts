// What is used of a SQLite connection: better-sqlite3, libsql and node:sqlite share these members,
// all of them synchronous. One connection is one transaction at a time, so what concerns the
// connection itself (its wait for locks, its durability) is kept here, once per connection.

import { ArgumentError } from "@onceproof/core/advanced";

/** What is used of a prepared statement. */
export interface SqliteStatement {
  run(...parameters: never[]): unknown;
  get(...parameters: never[]): unknown;
  all(...parameters: never[]): unknown[];
}

/** What is used of a `Database` of better-sqlite3 or libsql, or a `DatabaseSync` of node:sqlite. */
export interface SqliteDatabase {
  prepare(sql: string): SqliteStatement;
  exec(sql: string): unknown;
  /** Tells in better-sqlite3 and libsql whether it was closed. */
  readonly open?: boolean;
  /** Tells the same in node:sqlite, from Node 22.15 on. */
  readonly isOpen?: boolean;
  /** Tells of a transaction in better-sqlite3 and libsql. */
  readonly inTransaction?: boolean;
  /** Tells of a transaction in node:sqlite, from Node 22.16 on. */
  readonly isTransaction?: boolean;
}

/** Whether a client is a SQLite connection. */
export function isSqliteDatabase(client: unknown): client is SqliteDatabase {
  const { prepare, exec } = Object(client) as Partial<SqliteDatabase>;
  return typeof prepare === "function" && typeof exec === "function";
}

const BUSY = 5;
const LOCKED = 6;

/** Whether another connection holds a lock, so that the same may succeed a moment later. */
export function isBusy(error: unknown): boolean {
  const { code, errcode, message } = Object(error) as Partial<Record<string, unknown>>;
  const primary = typeof errcode === "number" ? errcode & 0xff : undefined;
  return (
    primary === BUSY ||
    primary === LOCKED ||
    /^SQLITE_(BUSY|LOCKED)/.test(String(code)) ||
    // A transaction of the user's, which will end.
    isWithinTransaction(message)
  );
}

/** Whether BEGIN was refused because the connection is inside a transaction. */
function isWithinTransaction(message: unknown): boolean {
  return /within a transaction/.test(String(message));
}

const CONSTRAINT = 19;

/** Whether a constraint was violated; of COMMIT, one that was deferred: then it did not commit. */
export function isConstraint(error: unknown): boolean {
  const { code, errcode } = Object(error) as Partial<Record<string, unknown>>;
  const primary = typeof errcode === "number" ? errcode & 0xff : undefined;
  return primary === CONSTRAINT || /^SQLITE_CONSTRAINT/.test(String(code));
}

/**
 * Throws for a connection that was closed: libsql would read no rows from it, without an error.
 */
export function checkOpen(database: SqliteDatabase): void {
  if (isClosed(database)) {
    throw new Error("the database connection is not open");
  }
}

function isClosed({ open, isOpen }: SqliteDatabase): boolean {
  return open === false || isOpen === false;
}

/**
 * Whether the connection is inside a transaction. Cost: none, or 2 statements where the driver does
 * not tell.
 */
export function inTransaction(database: SqliteDatabase): boolean {
  // Asked about a connection that was closed, libsql ends the whole process, and node:sqlite throws.
  if (isClosed(database)) {
    return false;
  }
  return database.inTransaction ?? database.isTransaction ?? refusesBegin(database);
}

/** A BEGIN that is deferred takes no lock, so it waits for nobody and disturbs nobody. */
function refusesBegin(database: SqliteDatabase): boolean {
  try {
    database.exec("BEGIN");
  } catch (error) {
    return isWithinTransaction(Object(error).message);
  }
  database.exec("ROLLBACK");
  return false;
}

/** Runs a statement once and returns its first row's first column. */
export function pragma(database: SqliteDatabase, name: string): unknown {
  const row = database.prepare(`PRAGMA ${name}`).get() as Record<string, unknown> | undefined;
  return row === undefined ? undefined : Object.values(row)[0];
}

/** Where the main database lives; empty for one in memory. */
export function fileOf(database: SqliteDatabase): string {
  const rows = database.prepare("PRAGMA database_list").all() as Record<string, unknown>[];
  return String(rows.find(({ name }) => name === "main")?.file ?? "");
}

/** Begins and ends transactions on one connection. */
export interface SqliteTransactions {
  /** Takes the write lock or throws at once if another connection holds it. */
  begin(): void;
  commit(): void;
  /** Ends whatever transaction is left; never throws. */
  rollBack(): void;
  /** Runs what fails at once, and does not wait, if another connection is in its way. */
  atOnce<T>(step: () => T): T;
}

const known = new WeakMap<SqliteDatabase, SqliteTransactions>();

/**
 * The transactions of a connection, the same for every store on it.
 *
 * BEGIN IMMEDIATE, because a transaction that reads first and writes later is refused, whatever the
 * busy timeout. Neither it nor COMMIT, which without a WAL has to wait for readers, waits inside
 * SQLite: that would stop the event loop, and for ever if the lock is held by a connection of the
 * same thread. The caller waits and tries again. The user's own busy timeout is put back at once.
 */
export function transactionsOn(database: SqliteDatabase): SqliteTransactions {
  const made = known.get(database) ?? makeTransactions(database);
  known.set(database, made);
  return made;
}

// By exec, and never prepared: libsql does not reset a statement that was refused because the file is
// busy, and while it is pending every read of the connection goes on seeing what the first one saw.
const BEGIN = "BEGIN IMMEDIATE";

function makeTransactions(database: SqliteDatabase): SqliteTransactions {
  if (inTransaction(database)) {
    throw new ArgumentError("optionInvalid", "database must not be inside a transaction");
  }
  const timeout = Number(pragma(database, "busy_timeout"));
  let waits = timeout > 0;
  function atOnce<T>(step: () => T): T {
    if (!waits) {
      return step();
    }
    database.exec("PRAGMA busy_timeout = 0");
    waits = false;
    try {
      return step();
    } finally {
      waits = true;
      database.exec(`PRAGMA busy_timeout = ${timeout}`);
    }
  }
  return {
    atOnce,
    begin: () => atOnce(() => void database.exec(BEGIN)),
    commit: () => atOnce(() => void database.exec("COMMIT")),
    rollBack() {
      try {
        database.exec("ROLLBACK");
      } catch {
        // SQLite had rolled back by itself.
      }
    },
  };
}

/** Makes commits reach the disk before they are answered: better-sqlite3's default does not. */
export function makeDurable(database: SqliteDatabase): void {
  if (Number(pragma(database, "synchronous")) < 2) {
    database.exec("PRAGMA synchronous = FULL");
  }
}
