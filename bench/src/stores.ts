// The stores that are measured, by name.

import type { MeasuredStore } from "./compare/measure-store.js";
import type { Options, StoreName } from "./options.js";
import { openRedisArena } from "./redis/arena.js";
import { openMariadbArena } from "./sql/mariadb/arena.js";
import { POSTGRES_NAMES } from "./sql/names.js";
import { openPostgresArena } from "./sql/postgres/arena.js";
import { openSqliteArena } from "./sql/sqlite/arena.js";

/** All but the memory, whose cases compare with nothing. */
export type ServedName = Exclude<StoreName, "memory">;

/** What is measured on a store, as the command asked. */
export function measuredStore(name: ServedName, { aof, rows, only }: Options): MeasuredStore {
  switch (name) {
    case "redis":
      return {
        section: aof === "off" ? "redis" : "redis, AOF always",
        concurrency: [1, 64],
        open: () => openRedisArena(aof),
      };
    case "postgres":
      return {
        section: "postgres",
        concurrency: [1, 16],
        open: (concurrency) =>
          openPostgresArena({
            concurrency,
            rows: POSTGRES_NAMES.growth.includes(only) ? rows : 0,
          }),
      };
    case "mariadb":
      return { section: "mariadb", concurrency: [1, 16], open: openMariadbArena };
    case "sqlite":
      return { section: "sqlite", concurrency: [1, 16], open: openSqliteArena };
  }
}
