// A connection that could not write, because another one held the file, goes on seeing what others
// write: its reads are linearizable all the same.
import { createSqliteStore, migrate } from "@onceproof/sql-adapter";
import { newOpId } from "@onceproof/test-servers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Connection, openDatabase } from "../support/sqlite-driver.js";
import { newFile } from "../support/sqlite-files.js";

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

const create = (key: string) =>
  ({ key, opId: newOpId(), expect: "absent", next: { value: key, ttlMs: "never" } }) as const;

test.each([
  {
    what: "a write",
    busy: (store: ReturnType<typeof createSqliteStore>) => store.write(create("b")),
  },
  {
    what: "a transaction",
    busy: (store: ReturnType<typeof createSqliteStore>) => store.transaction(async () => {}),
  },
])("S1 $what that found the file busy leaves no old snapshot behind", async ({ busy }) => {
  const other = connect();
  await migrate(other);
  const writer = createSqliteStore({ database: other });
  const store = createSqliteStore({ database: connect(), operationTimeoutMs: 50 });
  other.exec("BEGIN IMMEDIATE");
  await expect(busy(store)).rejects.toThrow();
  expect((await store.read("a")).entry).toBeUndefined();
  other.exec("ROLLBACK");

  expect(await writer.write(create("a"))).toMatchObject({ outcome: "applied" });
  expect((await store.read("a")).entry?.value).toBe("a");
});
