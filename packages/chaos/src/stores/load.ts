// One kind of store by its name, without the drivers of all others, for processes that start often.
import type { StoreKind } from "./store-kind.js";

const KINDS: Readonly<Record<string, () => Promise<StoreKind>>> = {
  redis: async () => (await import("./redis.js")).redis,
  postgres: async () => (await import("./postgres.js")).postgres,
  mariadb: async () => (await import("./mariadb.js")).mariadb,
  sqlite: async () => (await import("./sqlite.js")).sqlite,
};

/** Fails: Error if there is none of this name. */
export async function loadStoreKind(name: string): Promise<StoreKind> {
  const load = KINDS[name];
  if (load === undefined) throw new Error(`there is no store "${name}"`);
  return load();
}
