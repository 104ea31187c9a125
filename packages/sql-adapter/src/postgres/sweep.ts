// One stretch of a sweep on Postgres: some pages of the table in the order in which they lie on the
// disk, so that it reads what it looks at once and no value at all.

import type { Deadline } from "@onceproof/core/advanced";
import type { Exchange } from "../shared/exchange.js";
import { unavailable } from "../shared/rounds.js";
import { integer } from "../shared/row.js";
import type { Statement } from "../shared/session.js";
import type { Stretch } from "../shared/sweep.js";
import { noRow } from "./answer.js";
import { BEFORE_WRITE, forgotten, statement } from "./statements.js";

const PAGES_PER_STRETCH = 64;

/**
 * $1 first row, $2 row after the last, $3 tombstone time, $4 limit.
 *
 * Rows that somebody holds are passed over; the others are judged and deleted under their locks.
 * Cost: 1 statement.
 */
export function sweepStatement(table: string): Statement {
  return statement(
    "sweep",
    `WITH d AS (
  DELETE FROM ${table} WHERE k = ANY (ARRAY(
    SELECT x.k FROM ${table} x
    WHERE x.ctid >= $1::tid AND x.ctid < $2::tid
      AND ${forgotten("x", BEFORE_WRITE, "$3::bigint")}
    LIMIT $4::int FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT (SELECT count(*) FROM d) AS freed,
  pg_relation_size('${table.replaceAll("'", "''")}'::regclass)
    / current_setting('block_size')::int AS pages`,
  );
}

/** Frees what is due on the pages from `from` on. */
export async function sweepStretch(
  from: number | undefined,
  limit: number,
  deadline: Deadline,
  { sweep, tombstoneUs }: { readonly sweep: Statement; readonly tombstoneUs: number },
  exchange: Exchange,
): Promise<Stretch<number>> {
  const first = from ?? 0;
  const end = first + PAGES_PER_STRETCH;
  const values = [`(${first},0)`, `(${end},0)`, tombstoneUs, Math.min(limit, 2 ** 31 - 1)];
  const attempt = await exchange.statement(sweep, values, deadline);
  if (attempt.kind !== "answer") {
    // A row that somebody changed meanwhile is for the next pass.
    if (attempt.kind === "nothing" && attempt.again) {
      return { freed: 0, next: first };
    }
    throw unavailable(attempt.cause);
  }
  const [row] = attempt.value.rows;
  if (row === undefined) {
    throw unavailable(noRow());
  }
  const { freed, pages } = row;
  return integer(pages) <= end ? { freed: integer(freed) } : { freed: integer(freed), next: end };
}
