// What is measured on the SQL databases, by name.

function compared<Store extends string>(store: Store) {
  return {
    lock: `${store}: lock, acquire and release`,
    firstRun: `${store}: dedup, first run`,
    replay: `${store}: dedup, replay`,
    transaction: `${store}: record and effect in one transaction`,
  } as const;
}

export const POSTGRES_NAMES = {
  ...compared("postgres"),
  enqueue: "postgres: enqueue once, first",
  enqueueAgain: "postgres: enqueue once, duplicate",
  growth: "postgres: growth of the table",
  sweep: "postgres: sweep",
} as const;

export const MARIADB_NAMES = compared("mariadb");

export const SQLITE_NAMES = compared("sqlite");

/** The rows that the small table begins with, and the fewest of the large one. */
export const SMALL_ROWS = 10_000;
export const FEWEST_LARGE_ROWS = 100_000;
