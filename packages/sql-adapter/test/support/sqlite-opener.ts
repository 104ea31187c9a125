// One process of several that open one file by `openSqlite` as they start, and then run one key:
//   <file> <sink>     prints "opened <durability>" and "result <value>"
import { appendFileSync, readFileSync, writeSync } from "node:fs";
import { createDedup } from "@onceproof/core";
import { openSqlite } from "@onceproof/sql-adapter";

const [file = "", sink = ""] = process.argv.slice(2);
const store = await openSqlite(file, { operationTimeoutMs: 10_000 });
writeSync(1, `opened ${store.capabilities.durability}\n`);
const dedup = createDedup({ store, name: "opener", onCrash: "park" });
const result = await dedup.run("key", async () => {
  appendFileSync(sink, "effect\n");
  return { pid: process.pid, effects: readFileSync(sink, "utf8") };
});
writeSync(1, `result ${JSON.stringify(result)}\n`);
await store.close();
