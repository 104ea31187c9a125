// Statements on a SQLite connection, prepared once each.

import type { SqliteDatabase, SqliteStatement } from "@onceproof/sql-adapter";

export type Value = string | number | null;
export type Columns = Readonly<Record<string, Value>>;

/** Runs one statement and returns its rows. */
export type Sql = (text: string, ...values: Value[]) => Columns[];

export function sqlOn(database: SqliteDatabase): Sql {
  const statements = new Map<string, SqliteStatement>();
  return (text, ...values) => {
    const statement = statements.get(text) ?? database.prepare(text);
    statements.set(text, statement);
    const all = statement.all as (...values: Value[]) => unknown[];
    return all.apply(statement, values) as Columns[];
  };
}
