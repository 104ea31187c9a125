// The file that a run lives in: Onceproof's records, the books, and what is done. The program may be
// killed at any moment; who opens the file next goes on with the run that was not finished. Several
// may do that at once, as every effect takes place once anyway.

import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { createSqliteStore, openSqlite } from "@onceproof/sql-adapter";
import type { Row } from "./run.js";
import type { RunState } from "./run-state.js";
import { makeBooks, openBooks } from "./world/books.js";
import { withRoundTrips } from "./world/round-trips.js";
import { type Sql, sqlOn } from "./world/sql.js";
import { type Ground, newRun, passingGround } from "./world/stage.js";

export interface RunFileOptions {
  /** @defaultValue a file in this example's folder */
  readonly file?: string | undefined;
  /** Begins anew though a run was not finished. */
  readonly fresh: boolean;
  /** The seed of a new run; an interrupted one with another seed is not gone on with. */
  readonly seed: number | undefined;
  /** What a run does: only one that does the same is gone on with. */
  readonly asked: string;
  readonly drawSeed: () => number;
}

const DEFAULT_FILE = fileURLToPath(new URL("../.state/disasters.db", import.meta.url));
/** Tokens last an hour, records a day: an older run could not be gone on with as if it were new. */
const LONGEST_PAUSE_MS = 30 * 60_000;
const KEPT_MS = 24 * 3_600_000;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS disasters_run (
  id TEXT PRIMARY KEY, asked TEXT NOT NULL, seed INTEGER NOT NULL, begun INTEGER NOT NULL,
  starts INTEGER NOT NULL, finished INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS disasters_row (
  run TEXT NOT NULL, name TEXT NOT NULL, row TEXT NOT NULL, PRIMARY KEY (run, name)
) STRICT;`;

export async function openRunFile(options: RunFileOptions): Promise<RunState> {
  const { file = DEFAULT_FILE } = options;
  if (file === DEFAULT_FILE) {
    await mkdir(dirname(file), { recursive: true });
  }
  // #region recipe
  const store = await openSqlite(file); // or a store on Redis, Postgres, MySQL
  // #endregion
  const { database } = store;
  makeBooks(database);
  database.exec(SCHEMA);
  const sql = sqlOn(database);
  await store.sweep({ limit: 10_000 });
  // In one transaction: of two that start at once, one begins a run and the other joins it.
  database.exec("BEGIN IMMEDIATE");
  const { id, seed } = begin(sql, options);
  database.exec("COMMIT");
  const done = sql("SELECT name, row FROM disasters_row WHERE run = ?", id).map(
    ({ name, row }) => [String(name), JSON.parse(String(row)) as Row] as const,
  );

  async function open(disaster: string, half: "without" | "with"): Promise<Ground> {
    if (half === "without") {
      return passingGround(async () => withRoundTrips(await openSqlite(":memory:")));
    }
    return {
      // Its own for each half: closing it leaves the file open.
      store: withRoundTrips(createSqliteStore({ database })),
      books: openBooks(database, `${id} ${disaster}`),
      async close() {},
    };
  }

  return {
    seed,
    stage: {
      run: id,
      // Asked each time: others may join.
      get starts() {
        return Number(sql("SELECT starts FROM disasters_run WHERE id = ?", id)[0]?.starts);
      },
      open,
    },
    done: new Map(done),
    record(row) {
      const text = JSON.stringify(row);
      sql("INSERT OR IGNORE INTO disasters_row VALUES (?, ?, ?)", id, row.name, text);
    },
    finish() {
      sql("UPDATE disasters_run SET finished = 1 WHERE id = ?", id);
    },
    close: () => store.close(),
  };
}

/** Goes on with the latest run that was not finished, or begins one. */
function begin(
  sql: Sql,
  { fresh, seed, asked, drawSeed }: RunFileOptions,
): { readonly id: string; readonly seed: number } {
  const now = Date.now();
  forget(sql, now - KEPT_MS);
  if (!fresh) {
    const [interrupted] = sql(
      `UPDATE disasters_run SET starts = starts + 1 WHERE id = (
         SELECT id FROM disasters_run
         WHERE finished = 0 AND asked = ?1 AND begun > ?2 AND seed = coalesce(?3, seed)
         ORDER BY begun DESC LIMIT 1
       ) RETURNING id, seed`,
      ...[asked, now - LONGEST_PAUSE_MS, seed ?? null],
    );
    if (interrupted !== undefined) {
      return { id: String(interrupted.id), seed: Number(interrupted.seed) };
    }
  }
  const run = { id: newRun(), seed: seed ?? drawSeed() };
  sql("INSERT INTO disasters_run VALUES (?, ?, ?, ?, 1, 0)", run.id, asked, run.seed, now);
  return run;
}

/** Runs of other days, and what was written in them. */
function forget(sql: Sql, before: number): void {
  const old = sql("DELETE FROM disasters_run WHERE begun < ? RETURNING id", before);
  for (const { id } of old) {
    sql("DELETE FROM disasters_row WHERE run = ?", String(id));
    sql("DELETE FROM disasters_entry WHERE scope >= ?1 || ' ' AND scope < ?1 || '!'", String(id));
    sql("DELETE FROM disasters_table WHERE scope >= ?1 || ' ' AND scope < ?1 || '!'", String(id));
  }
}
