// What there is to measure, by name, known before anything is started: `--only` is checked against it.

import { cases } from "./memory/cases.js";
import type { StoreName } from "./options.js";
import { REDIS_NAMES } from "./redis/names.js";
import { MARIADB_NAMES, POSTGRES_NAMES, SQLITE_NAMES } from "./sql/names.js";

const NAMES: Readonly<Record<StoreName, readonly string[]>> = {
  memory: cases.map(({ name }) => name),
  redis: Object.values(REDIS_NAMES),
  postgres: Object.values(POSTGRES_NAMES),
  mariadb: Object.values(MARIADB_NAMES),
  sqlite: Object.values(SQLITE_NAMES),
};

/** Whether there is anything of this name on a store. */
export function chooses(only: string, store: StoreName): boolean {
  return NAMES[store].some((name) => name.includes(only));
}

/** What is wrong with an `only` that chooses nothing on these stores. */
export function choosesNothing(only: string, stores: readonly StoreName[]): string | undefined {
  if (stores.some((store) => chooses(only, store))) {
    return undefined;
  }
  const names = stores.flatMap((store) => NAMES[store]);
  return [`--only "${only}" chooses nothing. There is:`, ...names.map((name) => `  ${name}`)].join(
    "\n",
  );
}
