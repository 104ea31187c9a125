// The business row as the sink that a fencing token is for: it takes the effect and checks the token
// in one step, so that a holder that was paused cannot act after a newer one.

import { ArgumentError } from "@onceproof/core/advanced";
import { commas, setList, type TableColumns, type Target, targetOf } from "./columns.js";
import { type Database, type Indeterminate, lockLimit, type Steps, send } from "./database.js";
import { type Fragment, raw, sql } from "./sql.js";
import { requireStrict } from "./strict-mode.js";
import { assignmentsOf, type Value, type Values, wholeNumber } from "./values.js";

/** Options of `fencedUpdate`. */
export interface FencedUpdateOptions {
  /** The row's id. */
  readonly id: Value;
  /** The holder's fencing token. */
  readonly token: number;
  /** What to set. */
  readonly set: Values;
  readonly columns?: Pick<TableColumns, "id" | "token">;
}

/** What became of a fenced update. */
export type FencedUpdateResult =
  /** The row was set and bears this token; so it is when the same token comes again. */
  | { readonly outcome: "applied" }
  /** A newer token was there: do not act. */
  | { readonly outcome: "stale"; readonly newest: number }
  | { readonly outcome: "notFound" }
  | Indeterminate;

function* update(database: Database, target: Target, token: number, set: Fragment): Steps<boolean> {
  const { dialect } = database;
  const { table, idColumn, id, tokenColumn } = target;
  const admits = sql`(t.${tokenColumn} IS NULL OR t.${tokenColumn} <= ${token})`;
  if (dialect === "mysql") {
    yield* requireStrict(database);
    const list = commas([set, sql`t.${tokenColumn} = ${token}`]);
    yield* send(
      database,
      sql`UPDATE ${table} t SET ${list} WHERE t.${idColumn} = ${id} AND ${admits}`,
    );
    return true;
  }
  const { rows } = yield* send(
    database,
    sql`UPDATE ${table} AS t SET ${commas([set, sql`${tokenColumn} = ${token}`])}${lockLimit(database, " FROM ")}
WHERE t.${idColumn} = ${id} AND ${admits} RETURNING 1`,
  );
  return rows.length > 0;
}

/** The newest token: null if there is none yet, undefined if there is no row. */
function* newest(
  database: Database,
  { table, idColumn, id, tokenColumn }: Target,
  locking: string,
): Steps<number | null | undefined> {
  const { rows } = yield* send(
    database,
    sql`SELECT ${tokenColumn} AS token FROM ${table} WHERE ${idColumn} = ${id}${raw(locking)}`,
  );
  const [row] = rows;
  if (row === undefined || row.token === null) {
    return row && null;
  }
  return wholeNumber(row.token, "a fencing token");
}

/** Sets what a fencing token guards; see `Tables.fencedUpdate`. */
export function fencedUpdate(
  database: Database,
  table: string,
  { id, token, set, columns }: FencedUpdateOptions,
): Promise<FencedUpdateResult> {
  const { dialect } = database;
  if (!Number.isSafeInteger(token) || token < 1) {
    throw new ArgumentError("optionInvalid", "token must be a whole number of at least 1");
  }
  const target = targetOf(dialect, table, id, columns);
  const { names } = target;
  const list = setList(dialect, assignmentsOf(dialect, set, "set", [names.id, names.token]));
  // No answer to an UPDATE on MySQL tells reliably whether it applied, so there the lock comes first.
  const locked = dialect === "mysql";
  return database.run<FencedUpdateResult>(locked ? "together" : "apart", function* () {
    let seen = locked ? yield* newest(database, target, " FOR UPDATE") : null;
    const admitted = seen !== undefined && (seen === null || seen <= token);
    if (admitted && (yield* update(database, target, token, list))) {
      return { outcome: "applied" };
    }
    if (!locked) {
      seen = yield* newest(database, target, "");
    }
    if (seen === undefined) {
      return { outcome: "notFound" };
    }
    // It was inserted, or its token set back, after it had refused.
    return seen === null || seen <= token ? undefined : { outcome: "stale", newest: seen };
  });
}
