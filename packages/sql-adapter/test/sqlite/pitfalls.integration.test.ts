// What goes wrong in other libraries on SQLite, each as a law that holds here. The numbers are those
// of the list of pitfalls that the project keeps.
import type { AtomicStore, SweepableStore } from "@onceproof/core/advanced";
import {
  createSqliteStore,
  createTables,
  migrate,
  type SqliteDatabase,
  schema,
} from "@onceproof/sql-adapter";
import { newOpId } from "@onceproof/test-servers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Connection, isInTransaction, openDatabase } from "../support/sqlite-driver.js";
import { movableClock, newFile } from "../support/sqlite-files.js";

let file: string;
let remove: () => void;
let opened: Connection[] = [];
const connect = (): Connection => {
  const database = openDatabase(file);
  opened.push(database);
  return database;
};

beforeEach(() => {
  ({ file, remove } = newFile());
});
afterEach(() => {
  for (const database of opened) database.close();
  opened = [];
  remove();
});

async function makeStore(
  operationTimeoutMs = 20_000,
): Promise<{ database: Connection; store: AtomicStore & SweepableStore }> {
  const database = connect();
  await migrate(database);
  return { database, store: createSqliteStore({ database, operationTimeoutMs }) };
}

const create = (key: string, ttlMs: number | "never" = "never", opId = newOpId()) =>
  ({ key, opId, expect: "absent", next: { value: opId, ttlMs } }) as const;

test("34 a duplicate key leaves no transaction open", async () => {
  const { database, store } = await makeStore();
  await store.write(create("34"));
  expect(await store.write(create("34"))).toMatchObject({ outcome: "refused" });
  expect(isInTransaction(database)).toBe(false);
});

test("35 the clock is read under the lock: what expired while it was waited for is gone", async () => {
  const { runtime, move } = movableClock();
  const database = connect();
  await migrate(database);
  let waitMs = 0;
  const slow: SqliteDatabase = {
    exec(sql) {
      if (sql === "BEGIN IMMEDIATE") move(waitMs);
      return database.exec(sql);
    },
    prepare: (sql) => database.prepare(sql),
  };
  const store = createSqliteStore({ database: slow, runtime });
  const write = create("35", 60_000);
  const made = await store.write(write);
  const revision = made.outcome === "applied" ? made.revision : 0;
  waitMs = 60_001;
  const expected = { revision, opId: write.opId };
  const remove = { key: "35", opId: newOpId(), expect: expected, next: "removed" } as const;
  expect(await store.write(remove)).toMatchObject({ outcome: "refused", revision });
});

test("38 keys that a collation would make one are several", async () => {
  const { store } = await makeStore();
  const keys = ["38 a", "38 A", "38 á", "38 a ", "38 a\0", "38 ａ"];
  const results = await Promise.all(keys.map((key) => store.write(create(key))));
  expect(results.map(({ outcome }) => outcome)).toEqual(keys.map(() => "applied"));
});

test("42 a writer waits for another one, which it would not after reading first", async () => {
  const { store } = await makeStore();
  const holder = connect();
  holder.exec("BEGIN IMMEDIATE");
  holder.prepare("UPDATE onceproof SET at = 0").run();
  const write = create("42");
  const waiting = store.write(write);
  let turns = 0;
  const interval = setInterval(() => {
    turns += 1;
    // The event loop goes on while the store waits.
    if (turns === 5) holder.exec("COMMIT");
  }, 5);
  expect(await waiting).toMatchObject({ outcome: "applied" });
  clearInterval(interval);
  expect(turns).toBeGreaterThanOrEqual(5);
});

test("42 a file that is held for the whole time is a certain failure, and reads go on", async () => {
  const { store } = await makeStore(400);
  const holder = connect();
  holder.exec("BEGIN IMMEDIATE");
  await expect(store.write(create("held"))).rejects.toMatchObject({ code: "unavailable" });
  expect(await store.read("held")).not.toHaveProperty("entry");
  holder.exec("ROLLBACK");
  expect(await store.write(create("held"))).toMatchObject({ outcome: "applied", replayed: false });
});

test("42 without a WAL a commit waits for readers, and does not stop the event loop", async () => {
  const database = connect();
  await migrate(database);
  database.exec("PRAGMA journal_mode = DELETE; PRAGMA busy_timeout = 5000");
  const store = createSqliteStore({ database, operationTimeoutMs: 4000 });
  const reader = connect();
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM onceproof").get();
  const waiting = store.write(create("42 reader"));
  let turns = 0;
  const interval = setInterval(() => {
    turns += 1;
    if (turns === 5) reader.exec("COMMIT");
  }, 5);
  expect(await waiting).toMatchObject({ outcome: "applied" });
  clearInterval(interval);
  expect(turns).toBeGreaterThanOrEqual(5);
});

test("42 the user's own transaction and busy timeout are left as they are", async () => {
  const database = connect();
  await migrate(database);
  database.exec("PRAGMA busy_timeout = 1234");
  const store = createSqliteStore({ database });
  database.exec("BEGIN");
  database.exec("CREATE TABLE mine (v TEXT)");
  const waiting = store.write(create("mine"));
  await new Promise((resolve) => setTimeout(resolve, 20));
  database.exec("ROLLBACK");
  expect(await waiting).toMatchObject({ outcome: "applied" });
  expect(database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'mine'").all()).toEqual([]);
  const timeout = database.prepare("PRAGMA busy_timeout").get() as { timeout: number };
  expect(timeout.timeout).toBe(1234);
});

test("45 the schema's text makes the same table, and names that need quoting are safe", async () => {
  const database = connect();
  for (const table of ['a"b', "A b", "x; DROP TABLE onceproof; --", "main.ünïcode"]) {
    database.exec(schema("sqlite", { table }));
    await migrate(database, { table });
    const store = createSqliteStore({ database, table });
    expect(await store.write(create("k"))).toMatchObject({ outcome: "applied" });
    await migrate(database, { table });
    expect((await store.read("k")).entry).toBeDefined();
  }
});

test("46 a commit that fails is unknown, and the same opId finds out", async () => {
  const { database } = await makeStore();
  let failing = true;
  const faulty: SqliteDatabase = {
    exec(sql) {
      const done = database.exec(sql);
      if (sql === "COMMIT" && failing) {
        throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR" });
      }
      return done;
    },
    get inTransaction() {
      return isInTransaction(database);
    },
    prepare: (sql) => database.prepare(sql),
  };
  const store = createSqliteStore({ database: faulty });
  const write = create("46");
  expect(await store.write(write)).toMatchObject({ outcome: "unknown" });
  failing = false;
  expect(await store.write(write)).toMatchObject({ outcome: "applied", replayed: true });
});

test("47 a sweep frees what is due in small batches, and no live row", async () => {
  const { runtime, move } = movableClock();
  const database = connect();
  await migrate(database);
  const store = createSqliteStore({ database, runtime, tombstoneMs: 1000 });
  for (let id = 0; id < 600; id += 1) await store.write(create(`due ${id}`, 1));
  await store.write(create("live", 60_000));
  await store.write(create("never"));
  move(2000);
  expect([await store.sweep({ limit: 400 }), await store.sweep({ limit: 400 })]).toEqual([
    400, 200,
  ]);
  expect(await store.sweep({ limit: 400 })).toBe(0);
  expect((await store.read("due 599")).revision).toBeUndefined();
  expect((await store.read("live")).entry).toBeDefined();
});

test("commits wait for the disk unless that is given up, and memory survives nothing", async () => {
  const database = connect();
  await migrate(database);
  database.exec("PRAGMA synchronous = NORMAL");
  const level = (): unknown =>
    (database.prepare("PRAGMA synchronous").get() as { synchronous: number }).synchronous;
  const weak = createSqliteStore({ database, durability: "asynchronous" });
  expect([weak.capabilities.durability, level()]).toEqual(["asynchronous", 1]);
  expect([createSqliteStore({ database }).capabilities.durability, level()]).toEqual([
    "durable",
    2,
  ]);
  const inMemory = openDatabase(":memory:");
  opened.push(inMemory);
  expect(createSqliteStore({ database: inMemory }).capabilities.durability).toBe("process");
  expect(() => createSqliteStore({ database: inMemory, durability: "durable" })).toThrow(
    expect.objectContaining({ code: "optionInvalid" }),
  );
});

test("a connection that its user has closed is unavailable, and neither empty nor the process' end", async () => {
  const database = openDatabase(":memory:");
  await migrate(database);
  database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY)");
  const store = createSqliteStore({ database });
  const tables = createTables({ client: database });
  await store.write(create("there"));
  await tables.insertOnce("t", { id: 1 }, { uniqueBy: ["id"] });
  // Closed by its own handler first, and then for good.
  const ended = store.transaction(async (tx) => void (tx as Connection).close());
  await expect(ended).rejects.toMatchObject({ code: expect.stringMatching(/^in|^un/) });
  // Some versions of node:sqlite speak of their statements.
  const message = expect.stringMatching(/not open|statement has been finalized/);
  const notOpen = { code: "unavailable", message };
  await expect(store.read("there")).rejects.toMatchObject(notOpen);
  await expect(store.write(create("new"))).rejects.toMatchObject(notOpen);
  await expect(store.transaction(async () => {})).rejects.toMatchObject({ code: "unavailable" });
  await expect(tables.insertOnce("t", { id: 2 }, { uniqueBy: ["id"] })).rejects.toMatchObject(
    notOpen,
  );
});
