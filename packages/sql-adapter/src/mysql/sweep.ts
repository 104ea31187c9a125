// One stretch of a sweep on MySQL and MariaDB, in the order of the keys, which is the order in which
// InnoDB keeps the rows.

import { unavailable } from "../shared/rounds.js";
import { integer } from "../shared/row.js";
import type { Stretch } from "../shared/sweep.js";
import type { Ask } from "./look.js";
import { ROWS_PER_STRETCH, type Statements } from "./statements.js";

/**
 * Frees what is due beyond `from`. It is judged again under the rows' locks, so a row that was
 * written in between stays, and counts as freed although it is not.
 *
 * Cost: 1 statement that locks nothing, and another if anything is due.
 */
export async function sweepStretch(
  from: Buffer | undefined,
  limit: number,
  statements: Statements,
  ask: Ask,
): Promise<Stretch<Buffer>> {
  const after = from ?? Buffer.alloc(0);
  const seen = await ask(statements.scan, [statements.tombstoneUs, after]);
  if (seen.kind !== "answer") {
    throw unavailable(seen.cause);
  }
  const { rows } = seen.value;
  const due = rows.filter((row) => integer(row.due) === 1).slice(0, limit);
  if (due.length > 0) {
    const keys = due.map(({ k }) => k);
    const freed = await ask(statements.free(due.length), [...keys, statements.tombstoneUs]);
    if (freed.kind !== "answer") {
      throw unavailable(freed.cause);
    }
  }
  const last = rows.at(-1)?.k as Buffer | undefined;
  return last === undefined || rows.length < ROWS_PER_STRETCH
    ? { freed: due.length }
    : { freed: due.length, next: last };
}
