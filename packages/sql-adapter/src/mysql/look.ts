// Looks at rows on MySQL and MariaDB without a lock: one snapshot, and a time to judge it by.

import type { Deadline, Slot } from "@onceproof/core/advanced";
import type { Attempt, Exchange } from "../shared/exchange.js";
import type { Sight } from "../shared/judge.js";
import { keyBytes } from "../shared/key-bytes.js";
import { type Columns, integer, slotOf } from "../shared/row.js";
import type { Reply, Statement } from "../shared/session.js";
import type { Statements } from "./statements.js";

/** Sends one statement in a transaction of its own, within the operation's time. */
export type Ask = (statement: Statement, values: readonly unknown[]) => Promise<Attempt<Reply>>;

/** The `Ask` of one operation. */
export function askingIn(exchange: Exchange, deadline: Deadline): Ask {
  return (statement, values) => exchange.statement(statement, values, deadline);
}

/** The keys' slots among rows that carry their keys; those without a row are left out. */
export function slotsIn(
  keys: readonly string[],
  rows: readonly Columns[],
  { tombstoneUs }: Statements,
): Map<string, Slot> {
  const byBytes = new Map(keys.map((key) => [keyBytes(key).toString("latin1"), key]));
  const slots = new Map<string, Slot>();
  for (const columns of rows) {
    const bytes = columns.k as Uint8Array | null;
    const key = bytes === null ? undefined : byBytes.get(Buffer.from(bytes).toString("latin1"));
    const slot = key === undefined ? undefined : slotOf(key, columns, tombstoneUs);
    if (slot !== undefined) {
      slots.set(slot.key, slot);
    }
  }
  return slots;
}

/** What the rows of a read show, and the instant at which it was so. */
function sightIn(
  keys: readonly string[],
  { now, clock }: Columns,
  rows: readonly Columns[],
  statements: Statements,
): Sight {
  const slots = slotsIn(keys, rows, statements);
  // Written between the statement's start and its snapshot: it was so at the racer's own time.
  const latest = Math.max(0, ...[...slots.values()].map(({ writtenAt }) => writtenAt));
  return { now: Math.max(integer(now), Math.min(latest, integer(clock))), slots };
}

/** Looks at keys in one snapshot. Cost: 1 statement. */
export async function look(
  keys: readonly string[],
  statements: Statements,
  ask: Ask,
): Promise<Attempt<Sight>> {
  const statement = keys.length === 1 ? statements.read : statements.readAll(keys.length);
  const seen = await ask(statement, keys.map(keyBytes));
  if (seen.kind !== "answer") {
    return seen;
  }
  const [first] = seen.value.rows;
  if (first === undefined) {
    // As with sql_select_limit = 0: the statement has a row for what is not there, too.
    return { kind: "noAnswer", cause: new Error("the server's answer holds no row") };
  }
  return { kind: "answer", value: sightIn(keys, first, seen.value.rows, statements) };
}
