// Makes the table over the user's own client, by as many processes at once as like to.

import { systemRuntime, TIMED_OUT } from "@onceproof/core/advanced";
import { isMysqlClient, type MysqlClient, mysqlSessions } from "../drivers/mysql.js";
import { isSqliteDatabase, pragma, type SqliteDatabase } from "../drivers/sqlite.js";
import { unavailable, withDeadline } from "../shared/rounds.js";
import type { Statement } from "../shared/session.js";
import { quoteTable } from "../shared/table-name.js";
import { type SchemaOptions, schemaStatements } from "./schema.js";

/** What `migrate` needs of a Postgres client: a pg Pool or Client. */
export interface MigrationClient {
  query(text: string): Promise<unknown>;
}

// "once" in ASCII: the key of the advisory lock that lets one process migrate at a time.
const MIGRATION_LOCK = 0x6f6e6365;

/** Cost: 1 statement. */
async function migratePostgres(client: MigrationClient, options: SchemaOptions): Promise<void> {
  const table = quoteTable("postgres", options.table);
  // CREATE TABLE IF NOT EXISTS alone fails for one of two that race. One DO block is one
  // transaction in any mode, so the lock is held until the table is committed.
  await client.query(`DO $onceproof$
BEGIN
  IF to_regclass('${table.replaceAll("'", "''")}') IS NULL THEN
    PERFORM pg_advisory_xact_lock(${MIGRATION_LOCK});
    ${schemaStatements("postgres", options).join(";\n")};
  END IF;
END
$onceproof$`);
}

const PATIENCE_MS = 30_000;

/**
 * CREATE TABLE IF NOT EXISTS may be raced there: the server's own lock on the name serialises it.
 * It is sent only where the table is missing, so that no right to create is needed otherwise.
 */
async function migrateMysql(client: MysqlClient, options: SchemaOptions): Promise<void> {
  const table = quoteTable("mysql", options.table);
  const statements = schemaStatements("mysql", options);
  await withDeadline(systemRuntime, PATIENCE_MS, async (deadline) => {
    const lent = await mysqlSessions(client, false).borrow(deadline);
    if (lent === TIMED_OUT) {
      throw unavailable(new Error(`no connection within ${PATIENCE_MS} ms`));
    }
    const { session, giveBack } = lent;
    try {
      const there = await session.send(probe(table), []).then(
        () => true,
        () => false,
      );
      for (const text of there ? [] : statements) {
        await session.send({ name: "onceproof_migrate", text }, []);
      }
    } finally {
      giveBack(true);
    }
  });
}

function probe(table: string): Statement {
  return { name: "onceproof_probe", text: `SELECT 1 FROM ${table} LIMIT 0` };
}

/**
 * The write-ahead log lets others read while one writes, and is a property of the file. Both
 * statements wait for other processes inside SQLite, for as long as they may.
 */
function migrateSqlite(database: SqliteDatabase, options: SchemaOptions): void {
  const statements = schemaStatements("sqlite", options);
  const before = Number(pragma(database, "busy_timeout"));
  database.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
  try {
    if (pragma(database, "journal_mode") !== "wal") {
      pragma(database, "journal_mode = WAL");
    }
    for (const statement of statements) {
      database.exec(statement);
    }
  } finally {
    database.exec(`PRAGMA busy_timeout = ${before}`);
  }
}

/**
 * Makes the table unless it is there.
 *
 * Guarantee: idempotent, and safe when many processes start at once. It needs no right to create
 * tables where the table is there already. A SQLite file is switched to its write-ahead log.
 */
export async function migrate(
  client: MigrationClient | MysqlClient | SqliteDatabase,
  options: SchemaOptions = {},
): Promise<void> {
  if (isSqliteDatabase(client)) {
    migrateSqlite(client, options);
  } else if (isMysqlClient(client)) {
    await migrateMysql(client, options);
  } else {
    await migratePostgres(client, options);
  }
}
