// A SQLite file in a folder of its own, and who is compared on it. All are on one connection, in
// process and synchronous, so at most one operation is under way however many are asked for.

import { createSqliteStore, migrate } from "@onceproof/sql-adapter";
import { makeTestFolder } from "@onceproof/test-servers";
import Database from "libsql";
import { LEASE_MS, RETENTION_MS } from "../../compare/users.js";
import { versionOf } from "../../compare/version.js";
import { SQLITE_NAMES } from "../names.js";
import { type SqlArena, sqlArena } from "../sql-arena.js";
import type { BareStatements, SqlSubject } from "../subject.js";
import type { Sender } from "../watch-calls.js";

type Connection = InstanceType<typeof Database>;

const TABLE = "onceproof";
const SCHEMA = `
CREATE TABLE bare_requests (k TEXT PRIMARY KEY, result TEXT, expires_at INTEGER NOT NULL) STRICT;
CREATE TABLE bare_locks (k TEXT PRIMARY KEY, owner TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT;
CREATE TABLE payments (id INTEGER PRIMARY KEY, k TEXT NOT NULL, cents INTEGER NOT NULL) STRICT`;
const TABLES = [TABLE, "bare_requests", "bare_locks", "payments"];

function statementsOn(database: Connection): BareStatements {
  const claim = database.prepare(
    "INSERT INTO bare_requests (k, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
  );
  const finish = database.prepare("UPDATE bare_requests SET result = ? WHERE k = ?");
  const find = database.prepare("SELECT result FROM bare_requests WHERE k = ?");
  const take = database.prepare(
    `INSERT INTO bare_locks AS l (k, owner, expires_at) VALUES (?, ?, ?)
ON CONFLICT (k) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
WHERE l.expires_at <= ?`,
  );
  const drop = database.prepare("DELETE FROM bare_locks WHERE k = ? AND owner = ?");
  const pay = database.prepare("INSERT INTO payments (k, cents) VALUES (?, 995)");
  return {
    claim: async (key) => claim.run(key, Date.now() + RETENTION_MS).changes === 1,
    finish: async (key, result) => finish.run(result, key),
    find: async (key) => (find.get(key) as { readonly result: string | null } | undefined)?.result,
    take: async (key, owner) =>
      take.run(key, owner, Date.now() + LEASE_MS, Date.now()).changes === 1,
    drop: async (key, owner) => drop.run(key, owner),
    pay: async (key) => pay.run(key),
  };
}

function subjectOn(database: Connection): SqlSubject<Connection> {
  const bare = statementsOn(database);
  // A connection has one transaction at a time.
  let turn: Promise<unknown> = Promise.resolve();
  return {
    client: "libsql",
    store: createSqliteStore({ database, table: TABLE }),
    bare,
    on: () => bare,
    transaction(work) {
      const result = turn.then(async () => {
        database.exec("BEGIN IMMEDIATE");
        try {
          const value = await work(database);
          database.exec("COMMIT");
          return value;
        } catch (error) {
          database.exec("ROLLBACK");
          throw error;
        }
      });
      turn = result.catch(() => {});
      return result;
    },
  };
}

const texts = new WeakMap<object, string>();

/** A connection whose statements can be told by their texts, which libsql does not keep. */
function openConnection(file: string): Connection {
  const database = new Database(file);
  const prepare = database.prepare.bind(database);
  const told = (sql: string): object => {
    const statement = prepare(sql);
    texts.set(statement, sql);
    return statement;
  };
  database.prepare = told as typeof database.prepare;
  return database;
}

function sendersOf(database: Connection): readonly Sender[] {
  return [
    {
      of: Object.getPrototypeOf(database.prepare("SELECT 1")) as object,
      methods: ["run", "get", "all"],
      textOf: (statement) => texts.get(statement),
    },
    { of: Database.prototype, methods: ["exec"] },
  ];
}

/** Opens a file as one would for data that matters. */
export async function openSqliteArena(): Promise<SqlArena> {
  const folder = makeTestFolder("sqlite");
  const database = openConnection(`${folder.path}/bench.db`);
  const close = async (): Promise<void> => {
    database.close();
    folder.remove();
  };
  try {
    await migrate(database, { table: TABLE });
    // The store sets it for itself; bare statements get the same.
    database.exec("PRAGMA synchronous = FULL");
    database.exec(SCHEMA);
    const row = database.prepare("SELECT sqlite_version() AS version").get() as { version: string };
    const clear = async (): Promise<void> => {
      for (const table of TABLES) {
        database.exec(`DELETE FROM ${table}`);
      }
    };
    return sqlArena(subjectOn(database), {
      names: SQLITE_NAMES,
      setting: `SQLite ${row.version} in process (libsql ${versionOf("libsql")}), journal_mode WAL, synchronous FULL; all on the same connection`,
      async payments() {
        const counted = database.prepare("SELECT count(*) AS n FROM payments").get();
        return Number((counted as { readonly n: unknown }).n);
      },
      keepsRows: true,
      clear,
      // What the database does is the client's time.
      serverCpuUs: async () => Number.NaN,
      senders: sendersOf(database),
      costs: async () => ({}),
      [Symbol.asyncDispose]: close,
    });
  } catch (error) {
    await close();
    throw error;
  }
}
