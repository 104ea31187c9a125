// Locking a row of the user's until the user's transaction ends, with a bound to the wait, and
// without an error that would leave the transaction aborted.

import { ArgumentError } from "@onceproof/core/advanced";
import { isBusy } from "../drivers/sqlite.js";
import { errorNumber } from "../mysql/error-code.js";
import { sqlstate } from "../postgres/sqlstate.js";
import type { Reply } from "../shared/session.js";
import { type Database, type Steps, send } from "./database.js";
import { quoteName, quoteTableName } from "./names.js";
import { type Fragment, joined, NONE, raw, sql } from "./sql.js";
import { assignmentsOf, type Row, type Values } from "./values.js";

/** Options of `lockRow`. */
export interface LockRowOptions {
  /** The row: values that its columns hold, `{ id: 7 }`, or `{ status: "new" }` for any of them. */
  readonly where: Values;
  /** Which one of several comes first, by this column. */
  readonly orderBy?: string;
  /**
   * How long to wait for others: milliseconds (on MySQL and MariaDB whole seconds, rounded up), not
   * at all (`nowait`), or for the first row that is free (`skip`).
   * @defaultValue 2000
   */
  readonly wait?: number | "nowait" | "skip";
}

/** What became of a lock. */
export type LockRowResult<R extends Row = Row> =
  /** It is this transaction's until it ends. */
  | { readonly outcome: "locked"; readonly row: R }
  /** Others held it for the whole wait. The transaction goes on. */
  | { readonly outcome: "busy" }
  /** There is no such row; with `skip`, none that is free. */
  | { readonly outcome: "notFound" };

const SAVEPOINT = raw("SAVEPOINT onceproof_lock");
const RELEASE = raw("RELEASE SAVEPOINT onceproof_lock");
const ROLL_BACK = raw("ROLLBACK TO SAVEPOINT onceproof_lock");

const NO_TRANSACTION = "25P01";
const NO_SAVEPOINT = 1305;
const LOCK_NOT_AVAILABLE = "55P03";
// A lock timeout, NOWAIT on MySQL.
const LOCK_WAITS = new Set([1205, 3572]);

function outside(cause: unknown): ArgumentError {
  const message = "lockRow needs a transaction that has begun: its end is the lock's end";
  return new ArgumentError("optionInvalid", message, { cause });
}

function isHeld(error: unknown): boolean {
  return sqlstate(error) === LOCK_NOT_AVAILABLE || LOCK_WAITS.has(errorNumber(error) ?? 0);
}

/** The statements that limit the wait, and put the user's own limit back. */
function limits(dialect: string, wait: number): { readonly before: Fragment; after: Fragment } {
  if (dialect === "postgres") {
    const own = sql`set_config('onceproof.lock_timeout', current_setting('lock_timeout'), true)`;
    const limit = `${Math.max(1, Math.ceil(wait))}ms`;
    const back = sql`set_config('lock_timeout', current_setting('onceproof.lock_timeout'), true)`;
    return {
      before: sql`SELECT ${own}, set_config('lock_timeout', ${limit}, true)`,
      after: sql`SELECT ${back}`,
    };
  }
  const name = "SESSION innodb_lock_wait_timeout";
  return {
    before: raw(
      `SET @onceproof_wait = @@${name.replace(" ", ".")}, ${name} = ${Math.max(1, Math.ceil(wait / 1000))}`,
    ),
    after: raw(`SET ${name} = @onceproof_wait`),
  };
}

/** The row, or that others hold it; the savepoint is released, so the transaction goes on. */
function* onServer(
  database: Database,
  select: Fragment,
  wait: number | undefined,
): Steps<Reply | "busy"> {
  const { dialect } = database;
  try {
    yield* send(database, SAVEPOINT);
  } catch (error) {
    throw sqlstate(error) === NO_TRANSACTION ? outside(error) : error;
  }
  const limit = wait === undefined ? undefined : limits(dialect, wait);
  let reply: Reply | "busy" = "busy";
  if (limit !== undefined) {
    yield* send(database, limit.before);
  }
  try {
    reply = yield* send(database, select);
  } catch (error) {
    if (!isHeld(error)) {
      throw error;
    }
    if (dialect === "postgres") {
      yield* send(database, ROLL_BACK);
    }
  }
  // Postgres has put it back already if it went back to the savepoint.
  if (limit !== undefined && (dialect !== "postgres" || reply !== "busy")) {
    yield* send(database, limit.after);
  }
  try {
    yield* send(database, RELEASE);
  } catch (error) {
    throw errorNumber(error) === NO_SAVEPOINT ? outside(error) : error;
  }
  return reply;
}

/** The file's write lock, which is all that SQLite has: whoever holds it holds every row. */
function* onSqlite(database: Database, table: Fragment, select: Fragment): Steps<Reply | "busy"> {
  try {
    yield* send(database, sql`DELETE FROM ${table} WHERE false RETURNING 1`);
  } catch (error) {
    if (isBusy(error)) {
      return "busy";
    }
    throw error;
  }
  return yield* send(database, select);
}

/** Locks a row; see `TablesInTransaction.lockRow`. */
export function lockRow(
  database: Database,
  table: string,
  { where, orderBy, wait = 2000 }: LockRowOptions,
): Promise<LockRowResult> {
  const { dialect } = database;
  if (wait !== "nowait" && wait !== "skip" && !(typeof wait === "number" && wait >= 0)) {
    throw new ArgumentError(
      "durationInvalid",
      'wait must be a number of milliseconds, "nowait" or "skip"',
    );
  }
  const name = raw(quoteTableName(dialect, table, "table"));
  const conditions = assignmentsOf(dialect, where, "where").map(
    ([column, value]) => sql`${raw(quoteName(dialect, column, "a column"))} = ${value}`,
  );
  if (conditions.length === 0) {
    throw new ArgumentError("optionInvalid", "where must name at least one column");
  }
  const order =
    orderBy === undefined ? NONE : sql` ORDER BY ${raw(quoteName(dialect, orderBy, "orderBy"))}`;
  const words = wait === "nowait" ? " NOWAIT" : wait === "skip" ? " SKIP LOCKED" : "";
  const locking = raw(dialect === "sqlite" ? "" : ` FOR UPDATE${words}`);
  const select = sql`SELECT * FROM ${name} WHERE ${joined(conditions, " AND ")}${order}
LIMIT 1${locking}`;
  return database.run<LockRowResult>("together", function* () {
    const reply =
      dialect === "sqlite"
        ? yield* onSqlite(database, name, select)
        : yield* onServer(database, select, typeof wait === "number" ? wait : undefined);
    if (reply === "busy") {
      return { outcome: "busy" };
    }
    const [row] = reply.rows;
    return row === undefined ? { outcome: "notFound" } : { outcome: "locked", row };
  }) as Promise<LockRowResult>;
}
