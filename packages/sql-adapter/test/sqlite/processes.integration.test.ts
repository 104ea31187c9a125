// Several real processes on one SQLite file: nothing that one was told is lost or doubled, whoever
// is killed, and a key runs once among all of them.
import { readFileSync } from "node:fs";
import { createSqliteStore, migrate } from "@onceproof/sql-adapter";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../support/sqlite-driver.js";
import { newFile } from "../support/sqlite-files.js";
import { buildWorkers, type Worker, type Workers } from "../support/worker-process.js";

let workers: Workers;
let file: string;
let remove: () => void;
const start = (...args: string[]): Worker => workers.start("sqlite-worker", args);

beforeAll(async () => {
  workers = await buildWorkers();
});
beforeEach(() => {
  ({ file, remove } = newFile());
});
afterEach(async () => {
  await workers.end();
  remove();
});
afterAll(() => workers.remove());

/** What each worker was told, in the list exactly once, with revisions that increase. */
async function judge(key: string, told: readonly string[]): Promise<void> {
  const database = openDatabase(file);
  const store = createSqliteStore({ database });
  const list = (await store.read(key)).entry?.value.trim().split(" ") ?? [];
  database.close();
  expect(new Set(list).size).toBe(list.length);
  const revisions = new Map(
    told.map((line) => line.split(" ")).map(([, opId = "", revision]) => [opId, Number(revision)]),
  );
  const seen = list.filter((opId) => revisions.has(opId));
  expect(seen).toHaveLength(told.length);
  const inOrder = seen.map((opId) => revisions.get(opId) ?? 0);
  expect(inOrder).toEqual([...new Set(inOrder)].sort((a, b) => a - b));
}

test("what a process was told survives kill -9, and the others go on", async () => {
  const database = openDatabase(file);
  await migrate(database);
  database.close();
  const killed = start("append", file, "list", "100000");
  const others = [start("append", file, "list", "40"), start("append", file, "list", "40")];
  await killed.told(15);
  killed.process.kill("SIGKILL");
  await Promise.all([killed, ...others].map(({ ended }) => ended));
  expect(others.map(({ lines }) => lines.length)).toEqual([40, 40]);
  expect(killed.lines.length).toBeGreaterThanOrEqual(15);
  await judge("list", [...killed.lines, ...others.flatMap(({ lines }) => lines)]);
});

// PITFALLS 45
test("processes that create the schema at once all succeed, and one key runs once", async () => {
  const makers = Array.from({ length: 4 }, () => start("migrate", file));
  await Promise.all(makers.map(({ ended }) => ended));
  expect(makers.map(({ lines }) => lines)).toEqual(Array(4).fill(["migrated"]));
  const sink = `${file}.sink`;
  const callers = Array.from({ length: 3 }, () => start("dedup", file, "key", sink));
  await Promise.all(callers.map(({ ended }) => ended));
  const results = callers.flatMap(({ lines }) => lines);
  expect(results).toHaveLength(24);
  expect(new Set(results).size).toBe(1);
  expect(readFileSync(sink, "utf8")).toBe("effect\n");
});
