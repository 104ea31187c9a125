// What the service and the sinks write down, in a SQLite database: on a disk, what must still be
// known after kill -9; in memory, the rest. Each call is one statement, so a kill leaves no half of it.

import type { SqliteDatabase } from "@onceproof/sql-adapter";
import { type Columns, sqlOn } from "./sql.js";

export type Entry = Readonly<Record<string, unknown>>;
export type Ledger = "charges" | "parcels" | "points" | "messages";

export interface Books {
  /** Writes an effect down, unless its key is there already; tells what stands there. */
  enter(ledger: Ledger, entry: Entry, key: string | undefined): Entry;
  entries(ledger: Ledger): Entry[];
  /** How many effects came again under a key, since these books were opened. */
  readonly repeats: number;
  get(table: string, id: string): unknown;
  put(table: string, id: string, row: unknown): void;
  /** Puts unless the row has seen a newer token; looking and putting are one step. */
  putFenced(table: string, id: string, row: unknown, token: number): boolean;
  /** Puts unless there is a row. */
  putFirst(table: string, id: string, row: unknown): void;
  size(table: string): number;
  /** From now on nothing that was written before is seen, and nothing new is counted with it. */
  turnPage(): void;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS disasters_entry (
  scope TEXT NOT NULL, ledger TEXT NOT NULL, number INTEGER NOT NULL, key TEXT, entry TEXT NOT NULL,
  PRIMARY KEY (scope, ledger, number), UNIQUE (scope, ledger, key)
) STRICT;
CREATE TABLE IF NOT EXISTS disasters_table (
  scope TEXT NOT NULL, name TEXT NOT NULL, id TEXT NOT NULL, row TEXT NOT NULL, token INTEGER NOT NULL,
  PRIMARY KEY (scope, name, id)
) STRICT;`;

export function makeBooks(database: SqliteDatabase): void {
  database.exec(SCHEMA);
}

/** Opens the books of one half; other halves and runs have other scopes. */
export function openBooks(database: SqliteDatabase, scope: string): Books {
  const sql = sqlOn(database);
  let page = scope;
  let repeats = 0;

  const entryOf = ({ number, entry }: Columns): Entry => ({ number, ...JSON.parse(String(entry)) });

  function put(table: string, id: string, row: unknown, token: number, unless: string): boolean {
    const rows = sql(
      `INSERT INTO disasters_table AS old (scope, name, id, row, token) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (scope, name, id) DO ${unless} RETURNING id`,
      ...[page, table, id, JSON.stringify(row), token],
    );
    return rows.length > 0;
  }

  return {
    enter(ledger, entry, key) {
      const [made] = sql(
        `INSERT INTO disasters_entry (scope, ledger, number, key, entry)
         SELECT ?1, ?2, 1 + coalesce(max(number), 0), ?3, ?4
         FROM disasters_entry WHERE scope = ?1 AND ledger = ?2
         ON CONFLICT (scope, ledger, key) DO NOTHING RETURNING number, entry`,
        ...[page, ledger, key ?? null, JSON.stringify(entry)],
      );
      if (made !== undefined) {
        return entryOf(made);
      }
      repeats += page === scope ? 1 : 0;
      const where = "scope = ? AND ledger = ? AND key = ?";
      const [known] = sql(
        `SELECT number, entry FROM disasters_entry WHERE ${where}`,
        ...[page, ledger, key ?? null],
      );
      return entryOf(known as Columns);
    },
    entries: (ledger) =>
      sql(
        "SELECT number, entry FROM disasters_entry WHERE scope = ? AND ledger = ? ORDER BY number",
        ...[page, ledger],
      ).map(entryOf),
    get repeats() {
      return repeats;
    },
    get(table, id) {
      const where = "scope = ? AND name = ? AND id = ?";
      const [found] = sql(`SELECT row FROM disasters_table WHERE ${where}`, page, table, id);
      return found === undefined ? undefined : JSON.parse(String(found.row));
    },
    put(table, id, row) {
      put(table, id, row, 0, "UPDATE SET row = excluded.row");
    },
    putFenced: (table, id, row, token) =>
      put(
        ...([table, id, row, token] as const),
        "UPDATE SET row = excluded.row, token = excluded.token WHERE excluded.token >= old.token",
      ),
    putFirst(table, id, row) {
      put(table, id, row, 0, "NOTHING");
    },
    size(table) {
      const where = "scope = ? AND name = ?";
      const [row] = sql(`SELECT count(*) AS size FROM disasters_table WHERE ${where}`, page, table);
      return Number(row?.size);
    },
    turnPage() {
      page = `${scope}, after the count ${crypto.randomUUID()}`;
    },
  };
}
