// The SQLite store as the database of a simulated world, with a table of the user's own: what ships is
// what is tried. Also the module of `npm run verify -- --store`, for which it exports `world`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type DatabaseHost,
  type MakeDatabase,
  type Row,
  type ServedDatabase,
  type StandingRow,
  type StandingRows,
  serveStore,
  type WorldOptions,
} from "@onceproof/simulator";
import {
  createSqliteStore,
  type SqliteDatabase,
  type SqliteStore,
  schema,
} from "@onceproof/sql-adapter";
import { type Connection, isInTransaction, openDatabase } from "../support/sqlite-driver.js";

/** What a broken variant changes. */
export interface Alterations {
  /** Each statement's text. */
  readonly sql?: (text: string) => string;
  /** Nobody sweeps. */
  readonly unswept?: true;
  readonly store?: (store: SqliteStore<SqliteDatabase>) => SqliteStore<SqliteDatabase>;
  /** How the row is added; `add` is the right way. */
  readonly insert?: (tx: SqliteDatabase, add: () => void) => void;
}

const CHARGES =
  "CREATE TABLE charges (k TEXT NOT NULL, value TEXT NOT NULL, operation INTEGER, at INTEGER NOT NULL)";

interface Opened {
  readonly connections: readonly Connection[];
  close(): void;
}

function openInMemory(): Opened {
  const connection = openDatabase(":memory:");
  return { connections: [connection], close: () => void connection.close() };
}

/** Two connections to one file, as two processes have them. */
function openFile(): Opened {
  const folder = mkdtempSync(join(tmpdir(), "onceproof-simulated-"));
  const file = join(folder, "test.db");
  const connections = [1, 2].map(() => openDatabase(file));
  return {
    connections,
    close() {
      for (const connection of connections) connection.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/**
 * While a transaction is open, SQLite has no other writer: one that was left behind must be rolled back
 * before others give up, and no handler of the scenarios takes so long.
 */
export const SQLITE_WORLD: Partial<WorldOptions> = { idleInTransactionMs: 300 };

const SWEEP_MS = 1_000;

let last: Opened | undefined;

/** A world outlives its run, and says nothing when it is given up: the next one closes what is left. */
function openNext(open: () => Opened): Opened {
  last?.close();
  last = undefined;
  last = open();
  return last;
}

process.on("exit", () => last?.close());

const tables = (connection: SqliteDatabase): readonly StandingRow[] => {
  const rows = connection
    .prepare("SELECT k, value, operation, at FROM charges ORDER BY rowid")
    .all();
  return (rows as { k: string; value: string; operation: number | null; at: number }[]).map(
    ({ k, value, operation, at }) => ({
      key: k,
      value: JSON.parse(value) as unknown,
      ...(operation !== null && { operation }),
      atUs: at,
    }),
  );
};

function serve(opened: Opened, host: DatabaseHost, alterations: Alterations): ServedDatabase {
  const { runtime, tombstoneMs, lockWaitMs } = host;
  const { sql, store: alterStore = (store) => store, insert = (_, add) => add() } = alterations;
  const [first] = opened.connections as [Connection];
  // A file in memory, or one that need not survive this process.
  for (const connection of opened.connections) connection.exec("PRAGMA synchronous = OFF");
  first.exec(schema("sqlite"));
  first.exec(CHARGES);

  const add = (tx: SqliteDatabase, { key, value, operation }: Row): void => {
    const statement = tx.prepare("INSERT INTO charges VALUES (?, ?, ?, ?)");
    const atUs = Math.round(runtime.monotonicNow() * 1000);
    const values: unknown[] = [key, JSON.stringify(value), operation ?? null, atUs];
    statement.run(...(values as never[]));
  };
  /** As a service does that lives on: what the store may forget is forgotten, now or later. */
  const sweepOften = (store: SqliteStore<SqliteDatabase>): void => {
    const again = (): void => sweepOften(store);
    runtime.setTimer(
      () =>
        void store
          .sweep({ limit: 100 })
          .catch(() => {})
          .then(again),
      SWEEP_MS,
    );
  };
  const served = opened.connections.map((connection, at) => {
    const database = sql === undefined ? connection : rewriting(connection, sql);
    const store = createSqliteStore({
      database,
      runtime,
      tombstoneMs,
      // A statement that waits fails before its client gives up.
      operationTimeoutMs: lockWaitMs,
      durability: opened.connections.length > 1 ? "asynchronous" : "process",
    });
    if (at === 0 && !alterations.unswept) sweepOften(store);
    return serveStore(alterStore(store), (tx, row) => insert(tx, () => add(tx, row)));
  });
  let calls = 0;
  const next = (): ServedDatabase => served[calls++ % served.length] as ServedDatabase;
  return {
    read: (key) => next().read(key),
    write: (write) => next().write(write),
    writeAll: (all) => (next() as Required<ServedDatabase>).writeAll(all),
    begin: () => next().begin(),
    rows(): StandingRows {
      for (const connection of opened.connections) {
        if (isInTransaction(connection)) connection.exec("ROLLBACK");
      }
      return { charges: tables(first) };
    },
  };
}

/** The connection with other texts. */
function rewriting(connection: SqliteDatabase, sql: (text: string) => string): SqliteDatabase {
  return {
    prepare: (text) => connection.prepare(sql(text)),
    exec: (text) => connection.exec(sql(text)),
    get inTransaction() {
      return isInTransaction(connection);
    },
  };
}

/** One connection, in memory: what one process does. */
export function inMemory(alterations: Alterations = {}): MakeDatabase {
  return (host) => serve(openNext(openInMemory), host, alterations);
}

/** Calls go by turns to two connections on one file. */
export function onFile(alterations: Alterations = {}): MakeDatabase {
  return (host) => serve(openNext(openFile), host, alterations);
}

/** What `npm run verify -- --store` loads. */
export const world: Partial<WorldOptions> = { database: inMemory(), ...SQLITE_WORLD };
