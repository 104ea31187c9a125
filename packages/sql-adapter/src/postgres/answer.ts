// Turns the row that a statement answers with into the contract's answers.

import type { Applied, Observation, Write, WriteResult } from "@onceproof/core/advanced";
import { judge, observe, type Sight, sightOf } from "../shared/judge.js";
import { micros } from "../shared/micros.js";
import { type Columns, integer, slotOf } from "../shared/row.js";

function sightIn(key: string, columns: Columns, tombstoneUs: number): Sight {
  return sightOf(key, slotOf(key, columns, tombstoneUs), integer(columns.now));
}

/** Every statement of ours answers with a row, so none is no answer. */
export function noRow(): Error {
  return new Error("the server's answer holds no row: the connection may have been lost in it");
}

/** The row of a statement that answers with one. */
export function onlyRow([row]: readonly Columns[]): Columns {
  if (row === undefined) {
    throw noRow();
  }
  return row;
}

/** The answer to a read. */
export function readAnswer(key: string, columns: Columns, tombstoneUs: number): Observation {
  return observe(sightIn(key, columns, tombstoneUs), key);
}

function applied({ wrev, wat, wexp }: Columns): Applied {
  const writtenAt = integer(wat);
  const expiry = wexp === null ? {} : { expiresAt: integer(wexp) };
  const revision = integer(wrev);
  if (!Number.isSafeInteger(revision)) {
    throw new TypeError(
      `a revision came as ${typeof wrev}: leave rows and their columns as they are`,
    );
  }
  return { outcome: "applied", revision, writtenAt, ...expiry, now: writtenAt, replayed: false };
}

/** The answer to a write that a short statement applied, which tells no more than it has to. */
export function shortAnswer({ wrev, wat = wrev, wexp }: Columns, { next }: Write): Applied {
  const ttl = next === "removed" || next.ttlMs === "keep" ? null : micros(next.ttlMs);
  return applied({ wrev, wat, wexp: wexp ?? (ttl === null ? null : integer(wat) + ttl) });
}

/**
 * The answer to a write, or undefined if the snapshot does not refuse what was not written either:
 * another write came between, so the statement has to run again.
 */
export function writeAnswer(
  columns: Columns,
  write: Write,
  tombstoneUs: number,
): WriteResult | undefined {
  if (columns.wrev !== null) {
    return applied(columns);
  }
  const { result, puts } = judge(sightIn(write.key, columns, tombstoneUs), write);
  return puts.length === 0 ? result : undefined;
}
