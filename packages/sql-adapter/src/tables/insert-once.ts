// Inserting a row of the user's once, whatever number of unique keys it has, and telling whose row
// is in the way: found by reading, as a message names one key only, in words that change.

import { ArgumentError } from "@onceproof/core/advanced";
import type { Dialect } from "../shared/dialect.js";
import type { Columns } from "../shared/row.js";
import { type Database, type Indeterminate, lockLimit, type Steps, send } from "./database.js";
import { quoteName, quoteTableName } from "./names.js";
import { afterCommit, isDuplicate } from "./server-database.js";
import { type Fragment, joined, raw, sql } from "./sql.js";
import { requireStrict } from "./strict-mode.js";
import { assignmentsOf, isTrue, type Row } from "./values.js";

/** The columns of one unique key. */
export type KeyColumns = string | readonly string[];

/** Options of `insertOnce`. */
export interface InsertOnceOptions {
  /**
   * Every unique key that the row can meet: its columns, or by the names of the constraints,
   * `{ orders_number_key: "number", orders_payment_key: ["provider", "payment"] }`.
   */
  readonly uniqueBy: readonly KeyColumns[] | Readonly<Record<string, KeyColumns>>;
  /**
   * The column that holds the request's id: by it the creator is recognised, even after the row has
   * changed. Put it in `uniqueBy` too if a retry may come with other keys.
   */
  readonly requestId?: string;
  /**
   * The columns that make a row the same one; not those that change later, nor JSON.
   * @defaultValue all columns of the row but the request's id
   */
  readonly content?: readonly string[];
}

/** What became of an insert. */
export type InsertOnceResult =
  /** This call inserted it. */
  | { readonly outcome: "created"; readonly row: Row }
  /** This request had inserted it already; the row as it stands now. */
  | { readonly outcome: "replayed"; readonly row: Row }
  /** The same content stands under all its keys already; who inserted it is not known. */
  | { readonly outcome: "exists"; readonly row: Row }
  /** Another row stands under this key. Nothing was inserted. */
  | {
      readonly outcome: "conflict";
      /** The constraint's name as given, or else its columns with commas between. */
      readonly constraint: string;
      readonly columns: readonly string[];
      /** The row that stands there. */
      readonly row: Row;
    }
  | Indeterminate;

/** The row in the way may be deleted before it is read, but hardly so often. */
const MOST_ROUNDS = 10;

interface Key {
  readonly constraint: string;
  readonly columns: readonly string[];
}

interface Insertion {
  readonly table: Fragment;
  readonly values: ReadonlyMap<string, unknown>;
  readonly keys: readonly Key[];
  readonly content: readonly string[];
  readonly requestId: string | undefined;
}

function invalid(message: string): never {
  throw new ArgumentError("optionInvalid", message);
}

function keysOf(uniqueBy: InsertOnceOptions["uniqueBy"] | undefined): Key[] {
  const given = Object.entries(Object(uniqueBy) as Record<string, unknown>);
  return given.map(([name, of]) => {
    const columns: readonly string[] = Array.isArray(of) ? of : [of as string];
    return { constraint: Array.isArray(uniqueBy) ? columns.join(",") : name, columns };
  });
}

function insertionOf(
  dialect: Dialect,
  table: string,
  row: object,
  options: InsertOnceOptions,
): Insertion {
  const values = new Map<string, unknown>(assignmentsOf(dialect, row, "row"));
  const keys = keysOf(options?.uniqueBy);
  const { requestId } = options ?? {};
  const content = options?.content ?? [...values.keys()].filter((name) => name !== requestId);
  if (keys.length === 0 || keys.some(({ columns }) => columns.length === 0)) {
    invalid("uniqueBy must name the columns of each unique key");
  }
  const needed = [...keys.flatMap(({ columns }) => columns), ...content];
  for (const column of requestId === undefined ? needed : [...needed, requestId]) {
    quoteName(dialect, column, "a column");
    if (!values.has(column)) {
      invalid(`the row has no ${column}`);
    }
  }
  if (requestId !== undefined && typeof values.get(requestId) !== "string") {
    invalid(`${requestId} must hold the request's id, a string`);
  }
  return {
    table: raw(quoteTableName(dialect, table, "table")),
    values,
    keys,
    content,
    requestId,
  };
}

/** Whether a column holds a value, null included; MySQL's collations make different texts equal. */
function same(dialect: Dialect, column: Fragment, value: unknown): Fragment {
  switch (dialect) {
    case "postgres":
      return sql`${column} IS NOT DISTINCT FROM ${value}`;
    case "sqlite":
      return sql`${column} IS ${value}`;
    case "mysql": {
      if (typeof value !== "string") {
        return sql`${column} <=> ${value}`;
      }
      const bytes = (of: Fragment): Fragment => sql`CAST(CONVERT(${of} USING utf8mb4) AS BINARY)`;
      const binary = sql`COLLATION(${column}) = 'binary'`;
      return sql`(${column} <=> ${value} AND (${binary} OR ${bytes(column)} = ${bytes(sql`${value}`)}))`;
    }
  }
}

/** The rows under any of the keys: which keys each holds, and whether it is the same. */
function lookStatement(
  { dialect }: Database,
  { table, values, keys, content, requestId }: Insertion,
): Fragment {
  const columnOf = (name: string): Fragment => sql`t.${raw(quoteName(dialect, name, "a column"))}`;
  // As the unique key itself compares: null is equal to nothing.
  const holds = ({ columns }: Key): Fragment =>
    sql`(${joined(
      columns.map((name) => sql`${columnOf(name)} = ${values.get(name)}`),
      " AND ",
    )})`;
  const alike = (names: readonly string[]): Fragment =>
    names.length === 0
      ? raw("TRUE")
      : joined(
          names.map((name) => same(dialect, columnOf(name), values.get(name))),
          " AND ",
        );
  const hits = keys.map((key, at) => sql`${holds(key)} AS ${raw(`onceproof_key_${at}`)}`);
  const mine = requestId === undefined ? raw("NULL") : sql`(${alike([requestId])})`;
  // The locks are shared: the insert that met the row has left one on it.
  const locking = raw(dialect === "mysql" ? " LOCK IN SHARE MODE" : "");
  return sql`SELECT ${joined(hits, ", ")}, (${alike(content)}) AS onceproof_same,
  ${mine} AS onceproof_mine, t.*
FROM ${table} t WHERE ${joined(keys.map(holds), " OR ")}${locking}`;
}

function withoutMarks(columns: Columns): Row {
  return Object.fromEntries(
    Object.entries(columns).filter(([name]) => !name.startsWith("onceproof_")),
  );
}

/** What the rows that are there make of the insert; undefined if none is any more. */
function judge(
  { keys, values, requestId }: Insertion,
  rows: readonly Columns[],
): InsertOnceResult | undefined {
  const mine = rows.find((row) => isTrue(row.onceproof_mine));
  if (mine !== undefined) {
    return { outcome: "replayed", row: withoutMarks(mine) };
  }
  const holds = (row: Columns, key: Key): boolean =>
    isTrue(row[`onceproof_key_${keys.indexOf(key)}`]);
  // A key that holds a null is no key, and one of request ids says nothing of the content.
  const needed = keys.filter(({ columns }) =>
    columns.every((name) => name !== requestId && values.get(name) !== null),
  );
  const [row] = rows;
  if (row === undefined) {
    return undefined;
  }
  if (rows.length === 1 && isTrue(row.onceproof_same) && needed.every((key) => holds(row, key))) {
    return { outcome: "exists", row: withoutMarks(row) };
  }
  for (const key of needed) {
    const other = rows.find((each) => holds(each, key));
    if (other !== undefined) {
      return { outcome: "conflict", ...key, row: withoutMarks(other) };
    }
  }
  return undefined;
}

function* insert(database: Database, insertion: Insertion): Steps<Row | undefined> {
  const { dialect } = database;
  const { table, values } = insertion;
  const names = [...values.keys()].map((name) => raw(quoteName(dialect, name, "a column")));
  const given = [...values.values()].map((value) => sql`${value}`);
  const into = sql`INSERT INTO ${table} (${joined(names, ", ")})`;
  if (dialect !== "mysql") {
    const from = lockLimit(database, " FROM ");
    // SQLite takes ON CONFLICT after a SELECT for a join, unless there is a WHERE.
    const { rows } = yield* send(
      database,
      sql`${into} SELECT ${joined(given, ", ")}${from} WHERE true
ON CONFLICT DO NOTHING RETURNING *`,
    );
    return rows[0];
  }
  yield* requireStrict(database);
  try {
    yield* send(database, sql`${into} VALUES (${joined(given, ", ")})`);
  } catch (error) {
    if (isDuplicate(error)) {
      return undefined;
    }
    throw error;
  }
  try {
    const { rows } = yield* send(database, lookStatement(database, insertion));
    const [row] = rows;
    return row === undefined ? {} : withoutMarks(row);
  } catch (error) {
    throw afterCommit(database, error);
  }
}

/** Cost: 1 statement created (on MySQL 2, to read it back), else 2. */
export function insertOnce(
  database: Database,
  table: string,
  row: object,
  options: InsertOnceOptions,
): Promise<InsertOnceResult> {
  const insertion = insertionOf(database.dialect, table, row, options);
  let rounds = 0;
  return database.run<InsertOnceResult>("apart", function* () {
    rounds += 1;
    if (rounds > MOST_ROUNDS) {
      invalid(`${table} refuses the row by a unique key that uniqueBy does not name`);
    }
    const created = yield* insert(database, insertion);
    if (created !== undefined) {
      return { outcome: "created", row: created };
    }
    const { rows } = yield* send(database, lookStatement(database, insertion));
    return judge(insertion, rows);
  });
}
