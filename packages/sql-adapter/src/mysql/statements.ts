// The SQL of the store on MySQL and MariaDB, in the words that both understand, with its cost.
//
// Clocks: UTC_TIMESTAMP(6) is the statement's start, whatever the session's time zone does. It lies
// before the snapshot of a plain SELECT, and between the arrival and the application of a write, so
// it is what a write records. But a write may have waited for its row since: under the row's lock
// expiry is judged by SYSDATE(6), which goes on. SYSDATE is local time, and only its distance from
// NOW is used, less the half hours by which a change of the local time may set them apart.
//
// What applied is told by LAST_INSERT_ID(expr), which comes with the answer; affected rows mean
// different things by a flag of the driver's.

import { createHash } from "node:crypto";
import type { Statement } from "../shared/session.js";

const START = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
const HALF_HOUR = 1_800_000_000;
// 48 half hours keep the dividend above 0; the quarter hour lets a small step back stay one.
const SINCE_START = `(MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + ${48.5 * HALF_HOUR}, ${HALF_HOUR}) - ${HALF_HOUR / 2})`;
const CLOCK = `(${START} + ${SINCE_START})`;
const LIVE = `(v IS NOT NULL AND (exp IS NULL OR exp > ${CLOCK}))`;

/** How many rows a sweep looks at in one go. MySQL 8 takes no number of a driver's for a limit. */
export const ROWS_PER_STRETCH = 500;

/** The statements of one table. */
export interface Statements {
  /** How long they remember what is over. */
  readonly tombstoneUs: number;
  readonly read: Statement;
  readonly insert: Statement;
  readonly revive: Statement;
  readonly replace: Statement;
  readonly replaceKeep: Statement;
  readonly touch: Statement;
  readonly remove: Statement;
  readonly put: Statement;
  readonly renew: Statement;
  readonly scan: Statement;
  readonly clock: Statement;
  readonly lockGate: Statement;
  readonly lockOne: Statement;
  /** So many keys in one snapshot. */
  readAll(keys: number): Statement;
  /** Rows of so many keys, locked in the order of the keys. */
  lock(keys: number): Statement;
  /** So many new rows. */
  insertAll(rows: number): Statement;
  /** So many keys: those of them that are due. */
  free(keys: number): Statement;
}

/** Names a text, so that drivers can tell it. */
export function statement(text: string): Statement {
  const digest = createHash("sha256").update(text).digest("base64url").slice(0, 16);
  return { name: `onceproof_${digest}`, text };
}

function places(count: number, place = "?"): string {
  return Array(count).fill(place).join(", ");
}

/**
 * `set`'s own parameters, then the opId, then the key, the expected revision and opId.
 *
 * Cost: 1 statement. It answers the time at which it wrote; 0 tells that it did not.
 */
function changing(table: string, set: string, condition: string): Statement {
  return statement(`UPDATE ${table} SET ${set}, op = ?, rev = GREATEST(rev + 1, ${START}),
  at = LAST_INSERT_ID(${START})
WHERE k = ? AND rev = ? AND op = ? AND ${condition}`);
}

/** Builds the statements of one table, which is quoted already. */
export function statementsFor(table: string, tombstoneUs: number): Statements {
  const columns = "v, rev, op, at, exp";
  const due = `(v IS NULL OR exp IS NOT NULL)
  AND GREATEST(COALESCE(exp, 0), GREATEST(at, rev) + ?) < ${CLOCK}`;
  const reading = (condition: string): Statement =>
    statement(`SELECT ${START} AS now, ${CLOCK} AS clock, k, ${columns}
FROM (SELECT 1 AS one) o LEFT JOIN ${table} ON ${condition}`);
  return {
    tombstoneUs,
    /** 1 key. `now` lies before the snapshot, `clock` after it. Cost: 1 statement. */
    read: reading("k = ?"),
    readAll: (keys) => reading(`k IN (${places(keys)})`),
    /** Key, value, opId, ttl; fails if there is a row. Cost: 1 statement. */
    insert: statement(`INSERT INTO ${table} (k, v, op, rev, at, exp)
VALUES (?, ?, ?, ${START}, LAST_INSERT_ID(${START}), ${START} + ?)`),
    /** Value, ttl, …: over the row that was seen dead, if it still is. */
    revive: changing(table, `v = ?, exp = ${START} + ?`, `NOT ${LIVE}`),
    /** Value, ttl, … */
    replace: changing(table, `v = ?, exp = ${START} + ?`, LIVE),
    /** Value, … */
    replaceKeep: changing(table, "v = ?", LIVE),
    /** Ttl, … */
    touch: changing(table, `exp = ${START} + ?`, LIVE),
    /** … */
    remove: changing(table, "v = NULL, exp = NULL", LIVE),
    /** In a transaction that has locked the row: v, rev, op, at, exp, key. Cost: 1 statement. */
    put: statement(`UPDATE ${table} SET v = ?, rev = ?, op = ?, at = ?, exp = ? WHERE k = ?`),
    /** The same without the value, which stays. */
    renew: statement(`UPDATE ${table} SET rev = ?, op = ?, at = ?, exp = ? WHERE k = ?`),
    /** Tombstone time, key to go on after. Cost: 1 statement; it locks nothing. */
    scan: statement(`SELECT k, ${due} AS due FROM ${table} FORCE INDEX (PRIMARY)
WHERE k > ? ORDER BY k LIMIT ${ROWS_PER_STRETCH}`),
    clock: statement(`SELECT ${CLOCK} AS clock`),
    /** In a transaction: the gate; `clock` is later than its lock. Cost: 1 statement. */
    lockGate: statement(`SELECT ${CLOCK} AS clock FROM ${table} WHERE k = ? FOR UPDATE`),
    /** In a transaction: key; no row if there is none, else `clock` is later than its lock. */
    lockOne: statement(`SELECT ${CLOCK} AS clock, k, ${columns} FROM ${table}
WHERE k = ? FOR UPDATE`),
    lock: (keys) =>
      statement(`SELECT k, ${columns} FROM ${table} FORCE INDEX (PRIMARY)
WHERE k IN (${places(keys)}) ORDER BY k FOR UPDATE`),
    insertAll: (rows) =>
      statement(`INSERT INTO ${table} (v, rev, op, at, exp, k)
VALUES ${places(rows, "(?, ?, ?, ?, ?, ?)")}`),
    free: (keys) => statement(`DELETE FROM ${table} WHERE k IN (${places(keys)}) AND ${due}`),
  };
}
