// What operations cost a Postgres server, by its own account: the log that it writes, for which
// commits wait.

import type pg from "pg";
import { runBatch } from "../../compare/batch.js";
import type { Account, Contestant } from "../../compare/comparison.js";

const ACCOUNTED = 2_000;
const AT_ONCE = 16;

async function number(pool: pg.Pool, expression: string): Promise<number> {
  const { rows } = await pool.query(`SELECT ${expression} AS n`);
  return Number(rows[0].n);
}

const LOGGED = "pg_current_wal_insert_lsn() - '0/0'";

/** What one operation costs the server. */
export async function costsOf(pool: pg.Pool, contestant: Contestant): Promise<Account["costs"]> {
  // Other keys than those that were counted.
  const batch = (at: number): Promise<void> =>
    runBatch(contestant.operate, ACCOUNTED * at, ACCOUNTED, AT_ONCE);
  await batch(1);
  const logged = await number(pool, LOGGED);
  await batch(2);
  const logBytes = (await number(pool, LOGGED)) - logged;
  return { "bytes of log": logBytes / ACCOUNTED };
}
