// A database whose commits fail if what a transaction saw has changed: core's own store in memory,
// served message by message. Also an example of a store that is plugged into a world.

import { createMemoryStore } from "@onceproof/core";
import { type DatabaseHost, type ServedDatabase, serveStore } from "./served-store.js";

/** The optimistic database of a world; its data are apart from those of the world's server. */
export function createOptimisticDatabase({ runtime, tombstoneMs }: DatabaseHost): ServedDatabase {
  const store = createMemoryStore({ runtime, tombstoneMs });
  let writes = 0;
  return serveStore(store, async (tx, { table, locks }) => {
    if (locks === undefined) {
      return;
    }
    const bound = store.bind(tx);
    const key = `row of ${table}: ${locks}`;
    const { entry } = await bound.read(key);
    writes += 1;
    const opId = `row${String(writes).padStart(18, "0")}A`;
    const next = { value: "changed", ttlMs: "never" } as const;
    await bound.write(
      entry === undefined
        ? { key, opId, expect: "absent", next }
        : { key, opId, expect: entry.stamp, next },
    );
  });
}
