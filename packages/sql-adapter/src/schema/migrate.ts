// Makes the table over the user's own client, by as many processes at once as like to.

import { systemRuntime, TIMED_OUT } from "@onceproof/core/advanced";
import { isMysqlClient, type MysqlClient, mysqlSessions } from "../drivers/mysql.js";
import { isPostgresClient, type PostgresClient, postgresSessions } from "../drivers/postgres.js";
import { isSqliteDatabase, pragma, type SqliteDatabase } from "../drivers/sqlite.js";
import { notAClient } from "../shared/check-options.js";
import { unavailable, withDeadline } from "../shared/rounds.js";
import type { Sessions } from "../shared/session.js";
import { quoteTable } from "../shared/table-name.js";
import { type SchemaOptions, schemaStatements } from "./schema.js";

/** A client of any driver of any dialect. */
export type DatabaseClient = PostgresClient | MysqlClient | SqliteDatabase;

// "once" in ASCII: the key of the advisory lock that lets one process migrate at a time.
const MIGRATION_LOCK = 0x6f6e6365;

const PATIENCE_MS = 30_000;

/** Runs `work` on one connection. */
async function onSession(
  sessions: Sessions,
  work: (send: (text: string) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  await withDeadline(systemRuntime, PATIENCE_MS, async (deadline) => {
    const lent = await sessions.borrow(deadline);
    if (lent === TIMED_OUT) {
      throw unavailable(new Error(`no connection within ${PATIENCE_MS} ms`));
    }
    const { session, giveBack } = lent;
    await work((text) => session.send({ name: "onceproof_migrate", text }, [])).finally(() =>
      giveBack(true),
    );
  });
}

/** Cost: 1 statement. */
async function migratePostgres(client: PostgresClient, options: SchemaOptions): Promise<void> {
  const table = quoteTable("postgres", options.table);
  // CREATE TABLE IF NOT EXISTS alone fails for one of two that race. One DO block is one
  // transaction in any mode, so the lock is held until the table is committed.
  const migration = `DO $onceproof$
BEGIN
  IF to_regclass('${table.replaceAll("'", "''")}') IS NULL THEN
    PERFORM pg_advisory_xact_lock(${MIGRATION_LOCK});
    ${schemaStatements("postgres", options).join(";\n")};
  END IF;
END
$onceproof$`;
  await onSession(postgresSessions(client, false), async (send) => void (await send(migration)));
}

/**
 * CREATE TABLE IF NOT EXISTS may be raced there: the server's own lock on the name serialises it.
 * It is sent only where the table is missing, so that no right to create is needed otherwise.
 */
async function migrateMysql(client: MysqlClient, options: SchemaOptions): Promise<void> {
  const table = quoteTable("mysql", options.table);
  await onSession(mysqlSessions(client, false), async (send) => {
    const there = await send(`SELECT 1 FROM ${table} LIMIT 0`).then(
      () => true,
      () => false,
    );
    for (const text of there ? [] : schemaStatements("mysql", options)) {
      await send(text);
    }
  });
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
export async function migrate(client: DatabaseClient, options: SchemaOptions = {}): Promise<void> {
  if (isSqliteDatabase(client)) {
    migrateSqlite(client, options);
  } else if (isMysqlClient(client)) {
    await migrateMysql(client, options);
  } else if (isPostgresClient(client)) {
    await migratePostgres(client, options);
  } else {
    notAClient();
  }
}
