// What preflight says of a SQLite file: nothing of a sound one, and each weakness by name.
import {
  createSqliteStore,
  migrate,
  type PreflightOptions,
  preflight,
} from "@onceproof/sql-adapter";
import { expect, test } from "vitest";
import { type Connection, openDatabase } from "../support/sqlite-driver.js";
import { newFile } from "../support/sqlite-files.js";

async function ids(client: Connection, options: PreflightOptions = {}): Promise<string[]> {
  return (await preflight(client, options)).findings.map(({ id }) => id);
}

test("a file as migrate makes it is sound, and each weakness is named", async () => {
  const { file, remove } = newFile();
  const database = openDatabase(file);
  expect(await ids(database)).toEqual(["journalNotWal", "tableMissing"].sort().reverse());
  await expect(createSqliteStore({ database }).read("k")).rejects.toThrow(/migrate makes it/);
  await migrate(database);
  expect(await preflight(database)).toMatchObject({
    fit: true,
    findings: process.platform === "darwin" ? [{ id: "diskCacheNotFlushed" }] : [],
    durability: { found: "durable" },
  });
  database.exec("PRAGMA journal_mode = DELETE");
  expect(await ids(database)).toContain("journalNotWal");
  database.exec("CREATE TABLE own (k TEXT, v TEXT, rev INTEGER, op TEXT, at INTEGER, exp INTEGER)");
  const own = (await ids(database, { table: "own" })).filter((id) => id === "columnUnfit");
  expect(own).toHaveLength(3);
  database.close();
  remove();
  const inMemory = openDatabase(":memory:");
  expect(await ids(inMemory, { durability: "durable" })).toContain("durabilityOverstated");
  inMemory.close();
});
