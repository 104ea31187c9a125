// What is particular to transactions on SQLite, where a connection has one at a time and a file one
// writer.
import { createTransactionalDedup } from "@onceproof/core";
import { createSqliteStore, createTables, type SqliteDatabase } from "@onceproof/sql-adapter";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isInTransaction, openDatabase } from "../support/sqlite-driver.js";
import { type Place, sqlite, sqlitePlace } from "../support/transaction-arms.js";

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const opIdOf = (letter: string): string => letter.repeat(22);
const forever = (value: string) => ({ value, ttlMs: "never" }) as const;

let place: Place;
beforeAll(async () => {
  place = await sqlitePlace();
  await place.admin("CREATE TABLE accounts (id integer PRIMARY KEY, balance integer)");
  await place.admin("INSERT INTO accounts VALUES (3, 1000)");
});
afterAll(() => place.stop());

test("PITFALLS 42: a transaction that looks before it writes is not refused the lock", async () => {
  const both = [await sqlite.open(place), await sqlite.open(place)] as const;
  const counts = await Promise.all(
    both.flatMap(({ store }) =>
      [...Array(6).keys()].map(() =>
        store.transaction(async (tx) => {
          const on = sqlite.on(tx);
          const [row] = await on("SELECT balance FROM accounts WHERE id = 3");
          await sleep(2);
          await on("UPDATE accounts SET balance = ? WHERE id = 3", [Number(row?.balance) + 1]);
          return Number(row?.balance);
        }),
      ),
    ),
  );
  expect(counts.sort()).toEqual([...Array(12).keys()].map((n) => 1000 + n));
  await Promise.all(both.map(({ end }) => end()));
});

test("the store within its own transaction is refused at once, not joined nor waited for", async () => {
  const database = openDatabase(place.file as string);
  const store = createSqliteStore({ database, operationTimeoutMs: 60_000 });
  const said = { code: "unavailable", message: expect.stringContaining("store.bind(tx)") };
  await store.transaction(async (tx) => {
    await expect(store.read("k")).rejects.toMatchObject(said);
    const write = { key: "k", opId: opIdOf("A"), expect: "absent", next: forever("1") } as const;
    await expect(store.write(write)).rejects.toMatchObject(said);
    await expect(store.transaction(async () => {})).rejects.toMatchObject(said);
    expect((await store.bind(tx).write(write)).outcome).toBe("applied");
  });
  expect((await store.read("k")).entry?.value).toBe("1");
  database.close();
});

test("what its function has left behind uses the store once it is over", async () => {
  const { store, end } = await sqlite.open(place);
  let over = (): void => {};
  const ended = new Promise<void>((resolve) => {
    over = resolve;
  });
  let left: Promise<unknown> = Promise.resolve();
  await store.transaction(async () => {
    left = ended.then(() => store.read("left"));
  });
  over();
  expect(await left).toHaveProperty("now");
  await end();
});

test("a constraint that is checked at COMMIT has certainly undone everything", async () => {
  const database = openDatabase(place.file as string);
  database.exec(`PRAGMA foreign_keys = ON; CREATE TABLE parents (id INTEGER PRIMARY KEY);
    CREATE TABLE children (id INTEGER PRIMARY KEY,
      parent INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED)`);
  const store = createSqliteStore({ database });
  const dedup = createTransactionalDedup({ store, name: "pay", onCrash: "park" });
  let runs = 0;
  const orphan = dedup.runInTransaction("orphan", async () => {
    runs += 1;
    database.exec("INSERT INTO children VALUES (1, 7)");
  });
  await expect(orphan).rejects.toMatchObject({ code: "unavailable" });
  expect(runs).toBe(1);
  const child = { id: 1, parent: 7 };
  const inserted = createTables({ client: database }).insertOnce("children", child, {
    uniqueBy: ["id"],
  });
  await expect(inserted).rejects.toMatchObject({ code: "unavailable" });
  expect(database.prepare("SELECT * FROM children").all()).toEqual([]);
  expect(isInTransaction(database)).toBe(false);
  database.close();
});

test("other calls of the store wait for the end, and see nothing of what is rolled back", async () => {
  const { store, end } = await sqlite.open(place);
  const write = { key: "seen", opId: opIdOf("A"), expect: "absent", next: forever("1") } as const;
  let open = (): void => {};
  const begun = new Promise<void>((resolve) => {
    open = resolve;
  });
  const failing = store.transaction(async (tx) => {
    await store.bind(tx).write(write);
    open();
    await sleep(100);
    throw new Error("rolled back");
  });
  await begun;
  const [read, written] = await Promise.all([
    store.read("seen"),
    store.write({ ...write, opId: opIdOf("B") }),
    expect(failing).rejects.toThrow("rolled back"),
  ]);
  expect(read.entry?.stamp.opId).not.toBe(opIdOf("A"));
  expect(written).toMatchObject({ outcome: "applied", replayed: false });
  await end();
});

test("another process' writer is waited for, and not for ever", async () => {
  const hasty = await sqlite.open(place, { operationTimeoutMs: 200 });
  const patient = await sqlite.open(place, { operationTimeoutMs: 20_000 });
  // Not through a store, so not in the queue of this process.
  const other = openDatabase(place.file as string);
  other.exec("BEGIN IMMEDIATE");
  const vain = hasty.store.transaction(async () => 1);
  await expect(vain).rejects.toMatchObject({ code: "contended" });
  const waiting = patient.store.transaction(async () => 2);
  await sleep(50);
  other.exec("COMMIT");
  expect(await waiting).toBe(2);
  other.close();
  await Promise.all([hasty.end(), patient.end()]);
});

test("bind without a transaction is refused", async () => {
  const database = openDatabase(place.file as string);
  const store = createSqliteStore({ database });
  await expect(store.bind(database).read("k")).rejects.toMatchObject({ code: "optionInvalid" });
  expect(() => store.bind({} as never)).toThrow(expect.objectContaining({ code: "optionInvalid" }));
  database.close();
});

// As of node:sqlite before Node 22.16.
test("a driver that tells nothing of its transactions is asked by a BEGIN", async () => {
  const database = openDatabase(place.file as string);
  const silent: SqliteDatabase = {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => database.prepare(sql),
  };
  const store = createSqliteStore({ database: silent, operationTimeoutMs: 20_000 });
  const write = { key: "silent", expect: "absent", next: forever("1") } as const;
  let other: Promise<unknown> = Promise.resolve();
  let run = (): void => {};
  const outside = new Promise<void>((resolve) => {
    run = resolve;
  }).then(() => {
    other = store.write({ ...write, opId: opIdOf("B") });
  });
  await store.transaction(async (tx) => {
    const bound = store.bind(tx);
    expect(await bound.write({ ...write, opId: opIdOf("A") })).toMatchObject({
      outcome: "applied",
    });
    run();
    await outside;
    await sleep(0);
    expect((await bound.read("silent")).entry?.stamp.opId).toBe(opIdOf("A"));
  });
  expect(await other).toMatchObject({ outcome: "refused", entry: { value: "1" } });
  expect(isInTransaction(database)).toBe(false);
  await expect(store.bind(silent).read("silent")).rejects.toMatchObject({ code: "optionInvalid" });
  database.close();
});

// As of node:sqlite, which throws where libsql ends the process.
test("a closed connection is not asked for its transactions", async () => {
  const database = openDatabase(place.file as string);
  let isOpen = true;
  const asking: SqliteDatabase = {
    get isOpen() {
      return isOpen;
    },
    get isTransaction() {
      if (!isOpen) throw new Error("database is not open");
      return isInTransaction(database);
    },
    exec: (sql) => database.exec(sql),
    prepare: (sql) => database.prepare(sql),
  };
  const store = createSqliteStore({ database: asking });
  const closing = store.transaction(async () => {
    database.close();
    isOpen = false;
  });
  await expect(closing).rejects.toMatchObject({ code: "indeterminate" });
  const notOpen = { code: "unavailable", message: expect.stringContaining("not open") };
  await expect(store.read("closed")).rejects.toMatchObject(notOpen);
  await expect(store.transaction(async () => {})).rejects.toMatchObject({ code: "unavailable" });
});
