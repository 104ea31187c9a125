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
import { type Connection, newFile, openLibsql } from "../support/sqlite-files.js";

const { file, remove } = newFile();
let database: Connection;
let store: SqliteStore;
let run: string[] = [];

beforeAll(async () => {
  database = openLibsql(file);
  await migrate(database);
  const counting: SqliteDatabase = {
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
  store = createSqliteStore({ database: counting });
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
