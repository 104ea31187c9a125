// The SQL of the store on SQLite. Writes run inside BEGIN IMMEDIATE … COMMIT, where core's own lines
// judge the row, so the statements only carry rows. The clock is the host's, bound as a number.
//
// The first parameter is never a Buffer alone: libsql takes a lone one for named parameters.

import type { Slot } from "@onceproof/core/advanced";
import type { SqliteDatabase, SqliteStatement } from "../drivers/sqlite.js";
import { keyBytes } from "../shared/key-bytes.js";
import { type Columns, columnsOf, slotOf } from "../shared/row.js";

/** One row that a sweep looked at. */
export interface Scanned {
  readonly id: number;
  readonly due: boolean;
}

/** The statements of one table. */
export interface Statements {
  /** How long they remember what is over. */
  readonly tombstoneUs: number;
  /** Cost: 1 statement. */
  read(key: string): Slot | undefined;
  /** Cost: 1 statement. */
  put(slot: Slot): void;
  /** Puts all but the value, which stays. Cost: 1 statement. */
  renew(slot: Slot): void;
  /** Rows beyond `after`, in the table's order, and whether they may be freed. Cost: 1 statement. */
  scan(after: number, count: number, nowUs: number): Scanned[];
  /** Cost: 1 statement. */
  free(id: number): void;
}

type Prepared = (sql: string) => SqliteStatement;

/** Prepares each statement when it is first needed, as the table may be made later. */
function preparedOn(database: SqliteDatabase): Prepared {
  const statements = new Map<string, SqliteStatement>();
  return (sql) => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
}

function call<T>(method: (...parameters: never[]) => T, on: unknown, ...parameters: unknown[]): T {
  return method.apply(on, parameters as never[]);
}

/** The texts of one table's statements. */
export interface Texts {
  readonly read: string;
  readonly put: string;
  readonly renew: string;
  readonly scan: string;
  readonly free: string;
  /** Takes the write lock and changes nothing. */
  readonly lock: string;
}

/** Builds the texts for a table that is quoted already. */
export function textsFor(table: string): Texts {
  const read = `SELECT v, rev, op, at, exp FROM ${table} WHERE k = ? LIMIT ?`;
  const put = `INSERT INTO ${table} (v, rev, op, at, exp, k) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (k) DO UPDATE SET v = excluded.v, rev = excluded.rev, op = excluded.op,
  at = excluded.at, exp = excluded.exp`;
  const renew = `UPDATE ${table} SET rev = ?, op = ?, at = ?, exp = ? WHERE k = ?`;
  const scan = `SELECT rowid AS id, (v IS NULL OR exp IS NOT NULL)
  AND max(coalesce(exp, 0), max(at, rev) + ?) < ? AS due
FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ?`;
  const free = `DELETE FROM ${table} WHERE rowid = ?`;
  const lock = `DELETE FROM ${table} WHERE 0`;
  return { read, put, renew, scan, free, lock };
}

/** Builds the statements of one table, which is quoted already. */
export function statementsFor(
  database: SqliteDatabase,
  table: string,
  tombstoneUs: number,
): Statements {
  const prepared = preparedOn(database);
  const { read, put, renew, scan, free } = textsFor(table);
  return {
    tombstoneUs,
    read(key) {
      const statement = prepared(read);
      const row = call(statement.get, statement, keyBytes(key), 1);
      return slotOf(key, row as Columns | undefined, tombstoneUs);
    },
    put(slot) {
      const statement = prepared(put);
      call(statement.run, statement, ...columnsOf(slot), keyBytes(slot.key));
    },
    renew(slot) {
      const [, ...head] = columnsOf(slot);
      const statement = prepared(renew);
      call(statement.run, statement, ...head, keyBytes(slot.key));
    },
    scan(after, count, nowUs) {
      const statement = prepared(scan);
      const rows = call(statement.all, statement, tombstoneUs, nowUs, after, count);
      return (rows as Columns[]).map(({ id, due }) => ({ id: Number(id), due: Number(due) === 1 }));
    },
    free(id) {
      const statement = prepared(free);
      call(statement.run, statement, id);
    },
  };
}
