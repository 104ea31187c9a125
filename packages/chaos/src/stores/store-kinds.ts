// Every kind of store there is to choose from.
import { mariadb } from "./mariadb.js";
import { postgres } from "./postgres.js";
import { redis } from "./redis.js";
import { sqlite } from "./sqlite.js";
import type { StoreKind } from "./store-kind.js";

export const storeKinds: readonly StoreKind[] = [redis, postgres, mariadb, sqlite];

/** The kind of this name. Fails: Error if there is none. */
export function storeKind(name: string): StoreKind {
  const found = storeKinds.find((kind) => kind.name === name);
  if (found === undefined) throw new Error(`there is no store "${name}"`);
  return found;
}
