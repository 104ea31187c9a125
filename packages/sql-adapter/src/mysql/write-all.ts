// Several writes in one transaction on MySQL and MariaDB: the rows are locked in the order of their
// keys, core's own lines judge them, and what they decide is put.

import type { Deadline, Slot, WriteAll, WriteAllResult } from "@onceproof/core/advanced";
import type { Attempt, Exchange, Send } from "../shared/exchange.js";
import { judgeAll, type Sight } from "../shared/judge.js";
import { keyBytes } from "../shared/key-bytes.js";
import { columnsOf, integer } from "../shared/row.js";
import type { Statement } from "../shared/session.js";
import { DUPLICATE_KEY } from "./error-code.js";
import { askingIn, look, slotsIn } from "./look.js";
import { type Statements, statement } from "./statements.js";

/**
 * How such a transaction begins. Under repeatable read the lock on a key without a row would hold up
 * every insert beside it, and two of those make a deadlock.
 */
export const BEGIN: readonly Statement[] = [
  statement("SET TRANSACTION ISOLATION LEVEL READ COMMITTED"),
  statement("START TRANSACTION"),
];

function byKey(a: { readonly bytes: Buffer }, b: { readonly bytes: Buffer }): number {
  return Buffer.compare(a.bytes, b.bytes);
}

/** The rows as they are under their locks. Cost: 2 statements. */
export async function lockRows(
  keys: readonly string[],
  statements: Statements,
  send: Send,
): Promise<Sight> {
  const sorted = keys.map((key) => ({ key, bytes: keyBytes(key) })).sort(byKey);
  const { rows } = await send(
    statements.lock(keys.length),
    sorted.map(({ bytes }) => bytes),
  );
  // Only now is the time later than every lock.
  const { rows: clocks } = await send(statements.clock, []);
  return { now: integer(clocks[0]?.clock), slots: slotsIn(keys, rows, statements) };
}

/** Puts what was decided: new rows together, others one by one. */
export async function putRows(
  puts: readonly Slot[],
  slots: ReadonlyMap<string, Slot | undefined>,
  statements: Statements,
  send: Send,
): Promise<void> {
  const sorted = puts.map((slot) => ({ slot, bytes: keyBytes(slot.key) })).sort(byKey);
  for (const { slot, bytes } of sorted) {
    const before = slots.get(slot.key);
    if (before === undefined) {
      continue;
    }
    const [value, ...head] = columnsOf(slot);
    if (before.value !== undefined && before.value === slot.value) {
      await send(statements.renew, [...head, bytes]);
    } else {
      await send(statements.put, [value, ...head, bytes]);
    }
  }
  const fresh = sorted.filter(({ slot }) => slots.get(slot.key) === undefined);
  if (fresh.length > 0) {
    const values = fresh.flatMap(({ slot, bytes }) => [...columnsOf(slot), bytes]);
    await send(statements.insertAll(fresh.length), values);
  }
}

/**
 * The work inside the transaction; undefined if what was seen is no answer.
 *
 * A key without a row has no lock: while we waited for the lock of another, a racer may have made
 * it. The insert tells that; a refusal would mix two states.
 */
async function inTransaction(
  all: WriteAll,
  statements: Statements,
  send: Send,
): Promise<{ readonly value: WriteAllResult | undefined; readonly commit: boolean }> {
  const sight = await lockRows(
    all.writes.map(({ key }) => key),
    statements,
    send,
  );
  const { result, puts } = judgeAll(sight, all);
  await putRows(puts, sight.slots, statements, send);
  const commit = puts.length > 0;
  const whole = commit || sight.slots.size === all.writes.length;
  return { value: whole ? result : undefined, commit };
}

/** A racer's insert came first: the next round finds its row. */
function racedInsert<T>(attempt: Attempt<T>): Attempt<T> {
  const { errno } = Object(attempt.kind === "nothing" && attempt.cause) as { errno?: unknown };
  return attempt.kind === "nothing" && errno === DUPLICATE_KEY
    ? { ...attempt, again: true }
    : attempt;
}

/**
 * One round of a `writeAll`; undefined asks for another one.
 *
 * Cost: applied 5 statements, one more for all new rows together and one for each row that was
 * there; refused or replayed 5, and one more if a key has no row.
 */
export async function writeAllRound(
  all: WriteAll,
  statements: Statements,
  exchange: Exchange,
  deadline: Deadline,
): Promise<Attempt<WriteAllResult | undefined>> {
  const attempt = racedInsert(
    await exchange.transaction((send) => inTransaction(all, statements, send), deadline),
  );
  if (attempt.kind !== "answer" || attempt.value !== undefined) {
    return attempt;
  }
  const keys = all.writes.map(({ key }) => key);
  const seen = await look(keys, statements, askingIn(exchange, deadline));
  if (seen.kind !== "answer") {
    return seen;
  }
  const { result, puts } = judgeAll(seen.value, all);
  return { kind: "answer", value: puts.length === 0 ? result : undefined };
}
