// The SQL of each primitive, with its cost. Each is one statement in a transaction of its own.
//
// Each write has a short statement beside the whole one. The short one applies the write where nothing is
// in its way, for about half of what the whole one takes of the server, and answers without a row
// where it does nothing: then the whole one follows, which tells why, or applies it after all.
//
// Clocks: what a snapshot shows may only be judged by a time that lies before the snapshot, else a
// row renewed in between counts as expired. That is now() in a plain SELECT, whose snapshot is
// taken before its execution starts, and statement_timestamp() beside a write. What is judged under
// a row lock is judged by clock_timestamp().

import { createHash } from "node:crypto";
import type { Statement } from "../shared/session.js";

/** The statements of one kind of write. */
export interface WriteStatements {
  readonly short: Statement;
  readonly whole: Statement;
}

/** The statements of one table. */
export interface Statements {
  /** How long they remember what is over. */
  readonly tombstoneUs: number;
  readonly read: Statement;
  readonly create: WriteStatements;
  readonly replace: WriteStatements;
  readonly replaceKeep: WriteStatements;
  readonly touch: WriteStatements;
  readonly remove: WriteStatements;
}

/** Limits the wait for row locks to parameter `place`, until the transaction ends. */
export function limitLocks(place: string): string {
  return `set_config('lock_timeout', ${place}, true)`;
}

/** What stands for the limit in a statement. */
export type LockLimit = (place: string) => string;

function micros(clock: string): string {
  return `(extract(epoch from ${clock}) * 1000000)::bigint`;
}
const BEFORE_READ = micros("now()");
export const BEFORE_WRITE: string = micros("statement_timestamp()");
export const CLOCK: string = micros("clock_timestamp()");

export function live(row: string, clock: string): string {
  return `(${row}.v IS NOT NULL AND (${row}.exp IS NULL OR ${row}.exp > ${clock}))`;
}

/** Whether a row, which may be missing, tells nothing any more. A sweep may free it then. */
export function forgotten(row: string, clock: string, tombstoneUs: number | string): string {
  return `((${row}.v IS NULL OR ${row}.exp IS NOT NULL)
      AND greatest(coalesce(${row}.exp, 0), greatest(${row}.at, ${row}.rev) + ${tombstoneUs}) < ${clock})`;
}

/** Names a text, so that it is planned once per connection. */
export function statement(kind: string, text: string): Statement {
  const digest = createHash("sha256").update(text).digest("base64url").slice(0, 16);
  return { name: `onceproof_${kind}_${digest}`, text };
}

// What the snapshot held of the key (c), and the instant it was so: the time taken before the
// snapshot (t) or, for what a racer wrote between the two, the racer's own time.
export const HELD: string = `c.v, c.rev, c.op, c.at, c.exp,
  greatest(t.now, CASE WHEN c.at > t.now THEN least(c.at, ${CLOCK}) END) AS now`;

// Every whole write answers with one row: what the snapshot held, and what was written (w), if it was.
function answer(more: string): string {
  return `SELECT ${HELD}, w.rev AS wrev, w.at AS wat, w.exp AS wexp${more}
FROM (SELECT ${BEFORE_WRITE} AS now) t LEFT JOIN c$ c ON true LEFT JOIN w ON true`;
}

// A short one tells only what its caller cannot know: each column costs both sides.
const WRITTEN = "x.rev AS wrev, x.at AS wat";

// The $ keeps it apart from a table of the user's, which has none in its name: see quoteTable.
function snapshot(table: string): string {
  return `c$ AS MATERIALIZED (SELECT v, rev, op, at, exp FROM ${table} WHERE k = $1)`;
}

/**
 * $1 key, $2 opId, $3 lock timeout, $4 expected revision, $5 expected opId, and `set`'s own.
 *
 * Cost: 1 statement; refused, it takes no lock and writes no log. A second one only if another
 * write committed between snapshot and lock, or the entry expired there.
 *
 * The row is locked before its expiry is judged: an UPDATE that waited for a lock whose holder
 * rolled back does not judge again. Only a row that bears the stamp in the snapshot is locked.
 */
function underStamp(table: string, set: string, notify: string, limit: LockLimit): string {
  return `WITH ${snapshot(table)},
l AS MATERIALIZED (
  SELECT x.v, x.exp
  FROM (SELECT ${limit("$3")}) s, ${table} x
  WHERE x.k = $1 AND x.rev = $4::bigint AND x.op = $5 AND x.op <> $2 FOR UPDATE OF x
),
q AS MATERIALIZED (SELECT v, exp, ${CLOCK} AS n FROM l),
w AS (
  UPDATE ${table} AS x
  SET rev = greatest(x.rev + 1, q.n), op = $2, at = q.n, ${set}
  FROM q WHERE x.k = $1 AND ${live("q", "q.n")}
  RETURNING x.rev, x.at, x.exp
)
${answer(notify)}`;
}

/**
 * The same parameters.
 *
 * The row that was locked is found again by its place, at which it stays while it is locked.
 */
function underStampShort(table: string, set: string, told: string, limit: LockLimit): string {
  return `UPDATE ${table} AS x
SET rev = greatest(x.rev + 1, q.n), op = $2, at = q.n, ${set}
FROM (
  SELECT l.place, l.v, l.exp, ${CLOCK} AS n
  FROM (
    SELECT x.ctid AS place, x.v, x.exp FROM ${table} x
    WHERE x.k = $1 AND x.rev = $4::bigint AND x.op = $5 AND x.op <> $2
      AND ${limit("$3")} IS NOT NULL
    FOR UPDATE
  ) l
) q
WHERE x.k = $1 AND x.ctid = q.place AND ${live("q", "q.n")}
RETURNING ${WRITTEN}${told}`;
}

/** The expression that tells listeners of a key that was written; empty without a channel. */
export function notifying(channel: string | undefined, key: string, written: string): string {
  return channel === undefined
    ? ""
    : `, CASE WHEN ${written} IS NOT NULL THEN pg_notify('${channel}', encode(sha256(${key}), 'hex')) END`;
}

/** What lets an answer say whose it is: the opId of a write, the key of a read. */
export const ASKED = {
  write: ", $2::text AS asked",
  writeAll: ", $1::text AS asked",
  read: ", $1::bytea AS asked",
} as const;

/**
 * Builds the statements of one table, which is quoted already; those of writes may notify, and answer
 * with what else is to be `told`, as reads with `toldOfRead`.
 */
export function statementsFor(
  table: string,
  tombstoneUs: number,
  channel?: string,
  limit: LockLimit = limitLocks,
  told = "",
  toldOfRead = "",
): Statements {
  const notify = told + notifying(channel, "$1::bytea", "w.rev");
  const notifyShort = told + notifying(channel, "$1::bytea", "x.rev");

  function update(kind: string, set: string, more = ""): WriteStatements {
    const toldShort = more + notifyShort;
    return {
      short: statement(`${kind}_short`, underStampShort(table, set, toldShort, limit)),
      whole: statement(kind, underStamp(table, set, notify, limit)),
    };
  }

  return {
    tombstoneUs,
    /** $1 key. Cost: 1 statement. */
    read: statement(
      "read",
      `SELECT ${HELD}${toldOfRead}
FROM (SELECT ${BEFORE_READ} AS now) t LEFT JOIN ${table} c ON c.k = $1`,
    ),
    /**
     * $1 key, $2 opId, $3 lock timeout, $4 value, $5 ttl, $6 highest revision allowed.
     *
     * Cost: 1 statement; refused or replayed, it takes no lock and writes no log. A second one only
     * if another write committed after the snapshot.
     */
    create: {
      /**
       * Where the key has no row, with the first five.
       *
       * It looks first: an insert alone would wait for whoever is changing the row that is there, if
       * only to do nothing, fail where a transaction's snapshot is older than it, and fire triggers.
       */
      short: statement(
        "create_short",
        `INSERT INTO ${table} AS x (k, v, rev, op, at, exp)
SELECT $1, $4::bytea, q.n, $2, q.n, q.n + $5::bigint
FROM (SELECT ${CLOCK} AS n, ${limit("$3")}) q
WHERE NOT EXISTS (SELECT FROM ${table} WHERE k = $1)
ON CONFLICT (k) DO NOTHING
RETURNING x.rev AS wrev${notifyShort}`,
      ),
      whole: statement(
        "create",
        `WITH ${snapshot(table)},
w AS (
  INSERT INTO ${table} AS x (k, v, rev, op, at, exp)
  SELECT $1, $4::bytea, q.n, $2, q.n, q.n + $5::bigint
  FROM (SELECT ${CLOCK} AS n, ${limit("$3")}) q
  WHERE NOT EXISTS (
    SELECT FROM c$ c WHERE (c.op = $2 OR c.rev > $6::bigint OR ${live("c", BEFORE_WRITE)})
      AND NOT ${forgotten("c", BEFORE_WRITE, tombstoneUs)}
  )
  ON CONFLICT (k) DO UPDATE
  SET v = excluded.v, rev = greatest(x.rev + 1, excluded.rev), op = excluded.op,
    at = excluded.at, exp = excluded.exp
  WHERE (x.op <> $2 AND x.rev <= $6::bigint AND NOT ${live("x", "excluded.at")})
    OR ${forgotten("x", "excluded.at", tombstoneUs)}
  RETURNING x.rev, x.at, x.exp
)
${answer(notify)}`,
      ),
    },
    /** $6 value, $7 ttl. */
    replace: update("replace", "v = $6::bytea, exp = q.n + $7::bigint"),
    /** $6 value. */
    replaceKeep: update("keep", "v = $6::bytea", ", x.exp AS wexp"),
    /** $6 ttl. */
    touch: update("touch", "exp = q.n + $6::bigint"),
    remove: update("remove", "v = NULL, exp = NULL"),
  };
}
