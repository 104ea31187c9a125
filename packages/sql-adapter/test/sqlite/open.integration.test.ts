// `openSqlite`: one call gives a durable store in a file, with each driver that this Node has, and
// says what to do where it cannot.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type OpenedSqliteStore, openSqlite } from "@onceproof/sql-adapter";
import { newOpId } from "@onceproof/test-servers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { embeddedDriver } from "../../src/sqlite/embedded-driver.js";
import { openWith } from "../../src/sqlite/open-sqlite.js";
import { newFile } from "../support/sqlite-files.js";
import { buildWorkers, type Workers } from "../support/worker-process.js";

let file: string;
let remove: () => void;
let opened: OpenedSqliteStore[] = [];
let workers: Workers;

beforeAll(async () => {
  workers = await buildWorkers();
});
beforeEach(() => {
  ({ file, remove } = newFile());
});
afterEach(async () => {
  await Promise.all([workers.end(), ...opened.map((store) => store.close())]);
  opened = [];
  remove();
});
afterAll(() => workers.remove());

const write = (key: string, value: string) =>
  ({ key, opId: newOpId(), expect: "absent", next: { value, ttlMs: "never" } }) as const;

async function opening(store: Promise<OpenedSqliteStore>): Promise<OpenedSqliteStore> {
  opened.push(await store);
  return store;
}

const setting = (store: OpenedSqliteStore, name: string): unknown =>
  Object.values(store.database.prepare(`PRAGMA ${name}`).get() as object)[0];

const drivers = {
  libsql: { builtIn: () => undefined },
  "the best at hand (node:sqlite from Node 22.13 on)": {},
};

describe.each(Object.entries(drivers))("with %s", (_, only) => {
  test("what was written is there after closing and opening again, and the file waits for the disk", async () => {
    const first = await opening(openWith(only, file, {}));
    expect(first.capabilities.durability).toBe("durable");
    expect(setting(first, "journal_mode")).toBe("wal");
    expect(Number(setting(first, "synchronous"))).toBe(2);
    expect(Number(setting(first, "busy_timeout"))).toBeGreaterThan(0);
    expect(await first.write(write("a", "1"))).toMatchObject({ outcome: "applied" });
    await first.close();
    await first.close();
    await expect(first.read("a")).rejects.toMatchObject({ code: "closed" });
    const second = await opening(openWith(only, file, {}));
    expect((await second.read("a")).entry?.value).toBe("1");
  });

  test("memory is declared to survive nothing", async () => {
    const store = await opening(openWith(only, ":memory:", {}));
    expect(store.capabilities.durability).toBe("process");
    expect(await store.write(write("a", "1"))).toMatchObject({ outcome: "applied" });
  });

  test("a file that is no database, or damaged, is refused by a code and left alone", async () => {
    writeFileSync(file, "no database, but a long enough text to be looked at as one. ".repeat(20));
    await expect(openWith(only, file, {})).rejects.toMatchObject({
      code: "formatUnknown",
      message: expect.stringContaining("is no SQLite database"),
    });
  });

  test("a table of another version is refused by a code; another name is free", async () => {
    const other = await opening(openWith(only, file, { table: "free" }));
    other.database.exec("CREATE TABLE onceproof (k TEXT PRIMARY KEY, v TEXT, format INTEGER)");
    await expect(openWith(only, file, {})).rejects.toMatchObject({
      code: "formatUnknown",
      message: expect.stringContaining("column k is TEXT instead of BLOB"),
    });
    expect(await other.write(write("a", "1"))).toMatchObject({ outcome: "applied" });
  });

  test("the user's own tables live in the same file", async () => {
    const store = await opening(openWith(only, file, {}));
    store.database.exec("CREATE TABLE orders (id TEXT PRIMARY KEY) STRICT");
    store.database.prepare("INSERT INTO orders VALUES ('order-1')").run();
    expect(await store.write(write("a", "1"))).toMatchObject({ outcome: "applied" });
    expect(store.database.prepare("SELECT id FROM orders").all()).toHaveLength(1);
  });
});

test("a missing folder, a folder and what is no path are refused before anything is made", async () => {
  const missing = join(dirname(file), "missing", "store.db");
  const refusal = (message: string) => ({
    code: "optionInvalid",
    message: expect.stringContaining(message),
  });
  await expect(openSqlite(missing)).rejects.toMatchObject(refusal("make it first"));
  await expect(openSqlite(dirname(file))).rejects.toMatchObject(refusal("is a folder"));
  const paths = ["", "file:a.db", "libsql://host", "https://host", undefined];
  for (const path of paths) {
    await expect(openSqlite(path as string)).rejects.toMatchObject(refusal("must be a path"));
  }
  await expect(openSqlite(file, { table: "" })).rejects.toMatchObject({ code: "optionInvalid" });
  await expect(openSqlite(":memory:", { durability: "durable" })).rejects.toMatchObject({
    code: "optionInvalid",
  });
});

test("what cannot be opened or written is unavailable, and why is kept", async () => {
  mkdirSync(`${file}-wal`);
  await expect(openSqlite(file)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("may be written"),
    cause: expect.anything(),
  });
});

test("without any driver it says what to install, and tells Node's own from libsql", async () => {
  const bare = {
    builtIn: () => undefined,
    libsql: () => Promise.reject(Object.assign(new Error("gone"), { code: "X" })),
  };
  await expect(openWith(bare, file, {})).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("npm install libsql"),
    cause: { message: "gone" },
  });
  const asked: string[] = [];
  class DatabaseSync {
    constructor() {
      asked.push("built in");
    }
    prepare(): void {}
    exec(): void {}
  }
  const both = {
    builtIn: () => ({ DatabaseSync }),
    libsql: () => Promise.reject(new Error("must not be loaded")),
  };
  (await embeddedDriver(both))(file);
  expect(asked).toEqual(["built in"]);
});

test("processes that open one new file at once all get a store, and one key runs once", async () => {
  const sink = `${file}.sink`;
  const openers = Array.from({ length: 3 }, () => workers.start("sqlite-opener", [file, sink]));
  await Promise.all(openers.map(({ ended }) => ended));
  const told = openers.map(({ lines }) => lines);
  expect(told).toEqual(Array(3).fill(["opened durable", told[0]?.[1]]));
});
