// Locking a row of the user's until the user's transaction ends, with a bound to the wait. A lock that
// cannot be had is never met as an error: it would abort a transaction on Postgres, and some drivers
// fail the whole transaction for it. So a bounded wait asks again and again, and passes over what is
// locked.

import { ArgumentError, pause } from "@onceproof/core/advanced";
import { isBusy } from "../drivers/sqlite.js";
import { errorNumber } from "../mysql/error-code.js";
import { sqlstate } from "../postgres/sqlstate.js";
import type { Columns } from "../shared/row.js";
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
   * How long to wait for others: milliseconds, in which it asks again and again, without a place in
   * the queue; not at all (`nowait`); not at all, and rather another row that fits (`skip`); or in
   * the server's queue, for as long as the server is set to, whose error then is thrown (`server`).
   * @defaultValue 2000
   */
  readonly wait?: number | "nowait" | "skip" | "server";
}

/** What became of a lock. */
export type LockRowResult<R extends object = Row> =
  /** It is this transaction's until it ends. */
  | { readonly outcome: "locked"; readonly row: R }
  /** Others held it for the whole wait. The transaction goes on. */
  | { readonly outcome: "busy" }
  /** There is no such row; with `skip`, none that is free. */
  | { readonly outcome: "notFound" };

const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;

const SAVEPOINT = raw("SAVEPOINT onceproof_lock");
const RELEASE = raw("RELEASE SAVEPOINT onceproof_lock");
const NO_TRANSACTION = "25P01";
const NO_SAVEPOINT = 1305;

/** Takes a savepoint or gives it up again: outside a transaction one of the two fails. */
function* inside(database: Database, statement: Fragment): Steps<void> {
  try {
    yield* send(database, statement);
  } catch (error) {
    if (sqlstate(error) !== NO_TRANSACTION && errorNumber(error) !== NO_SAVEPOINT) {
      throw error;
    }
    const message = "lockRow needs a transaction that has begun: its end is the lock's end";
    throw new ArgumentError("optionInvalid", message, { cause: error });
  }
}

/** The rows that are asked for. */
interface Wanted {
  readonly table: Fragment;
  /** WHERE, ORDER BY and LIMIT. */
  readonly which: Fragment;
}

function wantedOf({ dialect }: Database, table: string, options: LockRowOptions): Wanted {
  const { where, orderBy } = options;
  const conditions = assignmentsOf(dialect, where, "where").map(
    ([column, value]) => sql`${raw(quoteName(dialect, column, "a column"))} = ${value}`,
  );
  if (conditions.length === 0) {
    throw new ArgumentError("optionInvalid", "where must name at least one column");
  }
  const order =
    orderBy === undefined ? NONE : sql` ORDER BY ${raw(quoteName(dialect, orderBy, "orderBy"))}`;
  return {
    table: raw(quoteTableName(dialect, table, "table")),
    which: sql`WHERE ${joined(conditions, " AND ")}${order} LIMIT 1`,
  };
}

function answered(row: Columns | undefined): LockRowResult {
  return row === undefined ? { outcome: "notFound" } : { outcome: "locked", row };
}

/** The file's write lock, which is all that SQLite has: whoever holds it holds every row. */
function* onSqlite(database: Database, { table, which }: Wanted): Steps<LockRowResult> {
  try {
    yield* send(database, sql`DELETE FROM ${table} WHERE false RETURNING 1`);
  } catch (error) {
    if (isBusy(error)) {
      return { outcome: "busy" };
    }
    throw error;
  }
  const { rows } = yield* send(database, sql`SELECT * FROM ${table} ${which}`);
  return answered(rows[0]);
}

/** One attempt. Others that hold the row are told from no row by a look without a lock. */
function* attempt(
  database: Database,
  { table, which }: Wanted,
  wait: LockRowOptions["wait"],
): Steps<LockRowResult> {
  const words = raw(wait === "server" ? " FOR UPDATE" : " FOR UPDATE SKIP LOCKED");
  const { rows } = yield* send(database, sql`SELECT * FROM ${table} ${which}${words}`);
  if (rows[0] !== undefined || wait === "skip" || wait === "server") {
    return answered(rows[0]);
  }
  const there = yield* send(database, sql`SELECT 1 AS there FROM ${table} ${which}`);
  return there.rows.length === 0 ? { outcome: "notFound" } : { outcome: "busy" };
}

/** Locks a row; see `TablesInTransaction.lockRow`. */
export async function lockRow(
  database: Database,
  table: string,
  options: LockRowOptions,
): Promise<LockRowResult> {
  const { dialect, runtime } = database;
  const { wait = 2000 } = options;
  if (typeof wait === "number" ? !(wait >= 0) : !["nowait", "skip", "server"].includes(wait)) {
    const message = 'wait must be a number of milliseconds, "nowait", "skip" or "server"';
    throw new ArgumentError("durationInvalid", message);
  }
  const wanted = wantedOf(database, table, options);
  const run = (steps: () => Steps<LockRowResult>): Promise<LockRowResult> =>
    database.run("together", steps) as Promise<LockRowResult>;
  if (dialect === "sqlite") {
    return run(() => onSqlite(database, wanted));
  }
  const endsAt = runtime.monotonicNow() + (typeof wait === "number" ? wait : 0);
  let result = await run(function* () {
    yield* inside(database, SAVEPOINT);
    const first = yield* attempt(database, wanted, wait);
    yield* inside(database, RELEASE);
    return first;
  });
  for (let tries = 1; result.outcome === "busy"; tries += 1) {
    const left = endsAt - runtime.monotonicNow();
    if (left <= 0) {
      break;
    }
    const [byte = 0] = runtime.randomBytes(1);
    const longest = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS);
    await pause(runtime, Math.min(left, (longest * (byte + 1)) / 256));
    result = await run(() => attempt(database, wanted, wait));
  }
  return result;
}
