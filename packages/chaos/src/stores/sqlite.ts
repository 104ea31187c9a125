// A SQLite file that all client processes open: by a connection of the user's, and by `openSqlite`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  createSqliteStore,
  migrate,
  openSqlite,
  type SqliteDatabase,
  type SqliteStore,
} from "@onceproof/sql-adapter";
import Database from "libsql";
import { fileOf, type OpenStore, type Row, type Statements, type StoreKind } from "./store-kind.js";

const PATIENCE_MS = 5_000;
const HELD_MS = 800;

interface Connection extends SqliteDatabase {
  close(): unknown;
}

const on =
  (database: unknown): Statements =>
  async (text, values = []) => {
    const statement = (database as SqliteDatabase).prepare(text);
    if (/^\s*SELECT/i.test(text)) return statement.all(...(values as never[])) as Row[];
    statement.run(...(values as never[]));
    return [];
  };

/** A SQLite file, as durable as the store makes it. */
export const sqlite: StoreKind = {
  name: "sqlite",
  clients: ["libsql", "open-sqlite"],
  faults: {
    occupy: "another program holds the file's write lock for a while",
    checkpoint: "the log is written back into the file and emptied",
  },
  // There is no server and no network.
  without: ["cut", "lose", "commit", "delay", "hold", "stall", "kill", "kill-commit", "jump"],
  missing: () => undefined,

  async start() {
    const folder = mkdtempSync(join(tmpdir(), `onceproof-chaossqlite-${process.pid}-`));
    const remove = (): void => rmSync(folder, { recursive: true, force: true });
    process.once("exit", remove);
    const file = join(folder, "chaos.db");
    const admin: Connection = new Database(file);
    admin.exec("PRAGMA journal_mode = WAL");
    admin.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
    return {
      place: { file },
      server: undefined,
      clock: undefined,
      tables: {
        on: on(admin),
        // Nobody can begin to write who finds another's transaction open.
        async openTransactions() {
          try {
            admin.exec("BEGIN IMMEDIATE");
            admin.exec("ROLLBACK");
            return 0;
          } catch {
            return 1;
          }
        },
      },
      prepare: (space) => migrate(admin, { table: space }),
      async strike(fault) {
        // Of its own, so that nothing waits within it: that would stop the proxies' process.
        const other: Connection = new Database(file);
        try {
          if (fault === "checkpoint") {
            other.exec("PRAGMA wal_checkpoint(TRUNCATE)");
            return;
          }
          other.exec("BEGIN IMMEDIATE");
          await sleep(HELD_MS);
          other.exec("ROLLBACK");
        } finally {
          other.close();
        }
      },
      async stop() {
        admin.close();
        process.removeListener("exit", remove);
        remove();
      },
    };
  },

  async open(client, { place, space, operationTimeoutMs, tombstoneMs }) {
    const file = fileOf(place);
    const options = { table: space, operationTimeoutMs, tombstoneMs };
    if (client === "open-sqlite") {
      const store = await openSqlite(file, options);
      return opened(store, () => store.close());
    }
    const database: Connection = new Database(file);
    const store = createSqliteStore({ database, ...options });
    return opened(store, async () => void database.close());
  },
};

function opened(store: SqliteStore, close: () => Promise<void>): OpenStore {
  return {
    store,
    transactions: {
      store: store as typeof store & { bind(tx: unknown): typeof store },
      on,
      failure: () => undefined,
    },
    resends: undefined,
    close,
  };
}
