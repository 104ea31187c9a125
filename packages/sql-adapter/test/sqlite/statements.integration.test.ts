// What each primitive costs on a SQLite file, in statements.
import type { Stamp } from "@onceproof/core/advanced";
import {
  createSqliteStore,
  migrate,
  type SqliteDatabase,
  type SqliteStore,
} from "@onceproof/sql-adapter";
import { newOpId } from "@onceproof/test-servers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Connection, isInTransaction, openDatabase } from "../support/sqlite-driver.js";
import { newFile } from "../support/sqlite-files.js";

const { file, remove } = newFile();
let database: Connection;
let store: SqliteStore;
let run: string[] = [];

/** The connection, which notes the first word of each statement. */
function counting(): SqliteDatabase {
  return {
    get inTransaction() {
      return isInTransaction(database);
    },
    exec(sql) {
      run.push(sql.split(" ", 1)[0] ?? "");
      return database.exec(sql);
    },
    prepare(sql) {
      const statement = database.prepare(sql);
      const counted =
        <P extends never[], R>(method: (...parameters: P) => R) =>
        (...parameters: P): R => {
          run.push(sql.split(" ", 1)[0] ?? "");
          return method.apply(statement, parameters);
        };
      return {
        run: counted(statement.run),
        get: counted(statement.get),
        all: counted(statement.all),
      };
    },
  };
}

beforeAll(async () => {
  database = openDatabase(file);
  await migrate(database);
  // Drivers begin with timeouts of their own.
  database.exec("PRAGMA busy_timeout = 0");
  store = createSqliteStore({ database: counting() });
});
afterAll(() => {
  database.close();
  remove();
});

const next = { value: "v", ttlMs: 60_000 } as const;
async function create(key: string): Promise<Stamp> {
  const opId = newOpId();
  const result = await store.write({ key, opId, expect: "absent", next });
  return { revision: result.outcome === "applied" ? result.revision : 0, opId };
}

async function took(call: () => Promise<unknown>): Promise<string> {
  run = [];
  await call();
  return run.join(" ");
}

test("a read and a refused create are 1; applied it is 5, any other write 4, refused 3", async () => {
  let stamp = { revision: 0, opId: "" };
  expect(await took(() => store.read("k"))).toBe("SELECT");
  const made = async () => {
    stamp = await create("k");
  };
  expect(await took(made)).toBe("SELECT BEGIN SELECT INSERT COMMIT");
  expect(await took(() => create("k"))).toBe("SELECT");
  const other = { value: "w", ttlMs: 60_000 } as const;
  const change = () => store.write({ key: "k", opId: newOpId(), expect: stamp, next: other });
  expect(await took(change)).toBe("BEGIN SELECT INSERT COMMIT");
  expect(await took(change)).toBe("BEGIN SELECT ROLLBACK");
});

test("a touch does not write the value again", async () => {
  const stamp = await create("touched");
  const touch = { touch: true, ttlMs: 1000 } as const;
  const call = () => store.write({ key: "touched", opId: newOpId(), expect: stamp, next: touch });
  expect(await took(call)).toBe("BEGIN SELECT UPDATE COMMIT");
});

test("writeAll is BEGIN, a look and a put for each key, and COMMIT", async () => {
  const writes = ["a", "b"].map((key) => ({ key, expect: "absent", next }) as const);
  const call = () => store.writeAll({ opId: newOpId(), writes });
  expect(await took(call)).toBe("BEGIN SELECT SELECT INSERT INSERT COMMIT");
  expect(await took(call)).toBe("BEGIN SELECT SELECT ROLLBACK");
});

test("a busy timeout is set aside for each step that writes, and for no other: 2 more", async () => {
  database.exec("PRAGMA busy_timeout = 1000");
  store = createSqliteStore({ database: counting() });
  expect(await took(() => create("timed"))).toBe("SELECT PRAGMA BEGIN SELECT INSERT COMMIT PRAGMA");
  expect(await took(() => store.read("timed"))).toBe("SELECT");
  const { timeout } = database.prepare("PRAGMA busy_timeout").get() as { timeout: number };
  expect(timeout).toBe(1000);
});
