// One process of several on a SQLite file. It prints a line for each thing that it was told, as soon
// as it was told, so that what it knew is known though it is killed.
//
//   append <file> <key> <times>    appends its opIds to a list: "applied <opId> <revision>"
//   dedup <file> <key> <sink>      runs one key; the effect is a line in the sink: "result <value>"
//   migrate <file>                 makes the table: "migrated"
import { appendFileSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createDedup } from "@onceproof/core";
import { createSqliteStore, migrate } from "@onceproof/sql-adapter";
import { newOpId } from "@onceproof/test-servers";
import { openDatabase } from "./sqlite-driver.js";

const [command = "", file = "", key = "", last = ""] = process.argv.slice(2);
const tell = (line: string): void => void writeSync(1, `${line}\n`);
const database = openDatabase(file);

if (command === "migrate") {
  await migrate(database);
  tell("migrated");
  process.exit(0);
}
const store = createSqliteStore({ database, operationTimeoutMs: 10_000 });

if (command === "dedup") {
  const dedup = createDedup({ store, name: "processes", onCrash: "park" });
  const results = await Promise.all(
    Array.from({ length: 8 }, () =>
      dedup.run(key, async () => {
        appendFileSync(last, "effect\n");
        await sleep(30);
        return process.pid;
      }),
    ),
  );
  for (const result of results) tell(`result ${result}`);
  process.exit(0);
}

for (let applied = 0; applied < Number(last); ) {
  const { entry, revision = 0 } = await store.read(key);
  const opId = newOpId();
  const next = { value: `${entry?.value ?? ""} ${opId}`, ttlMs: "never" } as const;
  const result = await store.write(
    entry === undefined
      ? { key, opId, expect: { absentSince: revision }, next }
      : { key, opId, expect: entry.stamp, next },
  );
  if (result.outcome === "applied") {
    applied += 1;
    tell(`applied ${opId} ${result.revision}`);
  }
}
