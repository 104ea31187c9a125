// Several writes in one statement on Postgres: the snapshot decides whether it is worth it, the rows
// are locked in the order of their keys and judged again, and what has no row is inserted. A racer's
// insert of the same key fails the statement, which then has done nothing.

import type { Slot, WriteAll, WriteAllResult, WriteWithoutOpId } from "@onceproof/core/advanced";
import { isCreate, judgeAll } from "../shared/judge.js";
import { keyBytes } from "../shared/key-bytes.js";
import { micros } from "../shared/micros.js";
import { type Columns, integer, slotOf, valueBytes } from "../shared/row.js";
import type { Statement } from "../shared/session.js";
import { onlyRow } from "./answer.js";
import {
  BEFORE_WRITE,
  CLOCK,
  forgotten,
  type LockLimit,
  limitLocks,
  live,
  notifying,
  statement,
} from "./statements.js";

const PER_WRITE = 6;
const BEFORE_WRITES = 2;

type Kind = "create" | "replace" | "keep" | "touch" | "remove";

/** The parameters of one write: key, kind, revision and opId expected, value, ttl. */
function parametersOf(write: WriteWithoutOpId): readonly unknown[] {
  const key = keyBytes(write.key);
  if (isCreate(write)) {
    const { expect, next } = write;
    const since = expect === "absent" ? Number.MAX_SAFE_INTEGER : expect.absentSince;
    const value = valueBytes(next.value);
    return [key, "create" satisfies Kind, since, null, value, micros(next.ttlMs)];
  }
  const { expect, next } = write;
  const stamp = [expect.revision, expect.opId];
  if (next === "removed") {
    return [key, "remove" satisfies Kind, ...stamp, null, null];
  }
  if ("touch" in next) {
    return [key, "touch" satisfies Kind, ...stamp, null, micros(next.ttlMs)];
  }
  const value = valueBytes(next.value);
  return next.ttlMs === "keep"
    ? [key, "keep" satisfies Kind, ...stamp, value, null]
    : [key, "replace" satisfies Kind, ...stamp, value, micros(next.ttlMs)];
}

/** Whether a row, which may be missing, lets the write `i` apply. */
function permits(row: string, clock: string, tombstoneUs: number): string {
  return `CASE WHEN i.kind = 'create'
    THEN NOT coalesce(${live(row, clock)}, false)
      AND (coalesce(${row}.rev, 0) <= i.rev OR ${forgotten(row, clock, tombstoneUs)})
    ELSE coalesce(${live(row, clock)} AND ${row}.rev = i.rev AND ${row}.op = i.op, false) END`;
}

function inputs(writes: number): string {
  return Array.from({ length: writes }, (_, n) => {
    const at = (column: number): number => BEFORE_WRITES + 1 + n * PER_WRITE + column;
    return `(${n}, $${at(0)}::bytea, $${at(1)}::text, $${at(2)}::bigint, $${at(3)}::text, $${at(4)}::bytea, $${at(5)}::bigint)`;
  }).join(",\n  ");
}

function keys(writes: number): string {
  return Array.from({ length: writes }, (_, n) => `$${BEFORE_WRITES + 1 + n * PER_WRITE}`).join(
    ", ",
  );
}

/**
 * $1 opId, $2 lock timeout, then six for each write. Answers a row for each, with what else is to be `told`.
 *
 * Cost: 1 statement; refused or replayed, it takes no lock and writes no log. A second one only if
 * another write to one of the keys committed after the snapshot.
 */
export function writeAllStatement(
  table: string,
  tombstoneUs: number,
  writes: number,
  channel?: string,
  limit: LockLimit = limitLocks,
  told = "",
): Statement {
  const notify = told + notifying(channel, "i.k", "coalesce(u.rev, a.rev)");
  return statement(
    "all",
    `WITH i$ (n, k, kind, rev, op, v, ttl) AS (VALUES
  ${inputs(writes)}
),
c$ AS MATERIALIZED (
  SELECT i.n, x.v, x.rev, x.op, x.at, x.exp FROM i$ i LEFT JOIN ${table} x ON x.k = i.k
),
go$ AS MATERIALIZED (
  SELECT ${limit("$2")}
  WHERE NOT EXISTS (
    SELECT FROM i$ i JOIN c$ c USING (n)
    WHERE (c.op = $1 AND NOT ${forgotten("c", BEFORE_WRITE, tombstoneUs)})
      OR NOT ${permits("c", BEFORE_WRITE, tombstoneUs)}
  )
),
l AS MATERIALIZED (
  SELECT x.k, x.v, x.rev, x.op, x.at, x.exp FROM go$, ${table} x
  WHERE x.k IN (${keys(writes)}) ORDER BY x.k FOR UPDATE OF x
),
q AS MATERIALIZED (SELECT ${CLOCK} AS n FROM (SELECT count(*) FROM l) locked, go$),
w AS MATERIALIZED (
  SELECT q.n AS now FROM q WHERE NOT EXISTS (
    SELECT FROM i$ i LEFT JOIN l USING (k)
    WHERE coalesce(l.op = $1 AND NOT ${forgotten("l", "q.n", tombstoneUs)}, false)
      OR NOT ${permits("l", "q.n", tombstoneUs)}
  )
),
u AS (
  UPDATE ${table} AS x
  SET v = CASE i.kind WHEN 'touch' THEN x.v WHEN 'remove' THEN NULL ELSE i.v END,
    rev = greatest(x.rev + 1, w.now), op = $1, at = w.now,
    exp = CASE i.kind WHEN 'keep' THEN x.exp WHEN 'remove' THEN NULL ELSE w.now + i.ttl END
  FROM w, i$ i WHERE x.k = i.k
  RETURNING i.n, x.rev
),
a AS (
  INSERT INTO ${table} (k, v, rev, op, at, exp)
  SELECT i.k, i.v, w.now, $1, w.now, w.now + i.ttl FROM w, i$ i
  WHERE NOT EXISTS (SELECT FROM l WHERE l.k = i.k) ORDER BY i.k
  RETURNING k, rev
)
SELECT c.v, c.rev, c.op, c.at, c.exp, ${BEFORE_WRITE} AS now, ${CLOCK} AS clock,
  coalesce(u.rev, a.rev) AS wrev, (SELECT w.now FROM w) AS wat${notify}
FROM i$ i JOIN c$ c USING (n) LEFT JOIN u USING (n) LEFT JOIN a ON a.k = i.k ORDER BY i.n`,
  );
}

/** The parameters of `writeAllStatement`. */
export function writeAllParameters({ opId, writes }: WriteAll, lockTimeout: string): unknown[] {
  return [opId, lockTimeout, ...writes.flatMap(parametersOf)];
}

/**
 * The answer to a writeAll, or undefined if the snapshot does not refuse what was not written
 * either: another write came between.
 */
export function writeAllAnswer(
  rows: readonly Columns[],
  all: WriteAll,
  tombstoneUs: number,
): WriteAllResult | undefined {
  const first = onlyRow(rows);
  if (first.wat !== null) {
    const revisions = rows.map(({ wrev }) => integer(wrev));
    return { outcome: "applied", revisions, now: integer(first.wat), replayed: false };
  }
  const slots = new Map<string, Slot | undefined>();
  let latest = 0;
  for (const [index, { key }] of all.writes.entries()) {
    const slot = slotOf(key, rows[index], tombstoneUs);
    slots.set(key, slot);
    latest = Math.max(latest, slot?.writtenAt ?? 0);
  }
  // What a racer wrote between the statement's start and its snapshot was so at its own time.
  const now = Math.max(integer(first.now), Math.min(latest, integer(first.clock)));
  const { result, puts } = judgeAll({ now, slots }, all);
  return puts.length === 0 ? result : undefined;
}
