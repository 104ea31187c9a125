// Which statements a write is on Postgres, their parameters, and which of them is sent.

import type { Deadline, Write, WriteResult } from "@onceproof/core/advanced";
import type { Attempt } from "../shared/exchange.js";
import type { Guesses } from "../shared/guesses.js";
import { isCreate } from "../shared/judge.js";
import { keyBytes } from "../shared/key-bytes.js";
import { micros } from "../shared/micros.js";
import { type Columns, valueBytes } from "../shared/row.js";
import type { Statement } from "../shared/session.js";
import { noRow, shortAnswer, writeAnswer } from "./answer.js";
import type { Statements, WriteStatements } from "./statements.js";

/** Which statements, and their parameters from the fourth on. */
interface Step {
  readonly statements: WriteStatements;
  readonly whole: readonly unknown[];
  readonly short: readonly unknown[];
}

function stepOf(write: Write, statements: Statements): Step {
  if (isCreate(write)) {
    const { expect, next } = write;
    const since = expect === "absent" ? Number.MAX_SAFE_INTEGER : expect.absentSince;
    const short = [valueBytes(next.value), micros(next.ttlMs)];
    return { statements: statements.create, whole: [...short, since], short };
  }
  const { expect, next } = write;
  const stamp = [expect.revision, expect.opId];
  if (next === "removed") {
    return { statements: statements.remove, whole: stamp, short: stamp };
  }
  if ("touch" in next) {
    const touch = [...stamp, micros(next.ttlMs)];
    return { statements: statements.touch, whole: touch, short: touch };
  }
  const value = [...stamp, valueBytes(next.value)];
  if (next.ttlMs === "keep") {
    return { statements: statements.replaceKeep, whole: value, short: value };
  }
  const replace = [...value, micros(next.ttlMs)];
  return { statements: statements.replace, whole: replace, short: replace };
}

/** The first three parameters of a write. */
function headOf({ key, opId }: Write, deadline: Deadline): readonly unknown[] {
  return [keyBytes(key), opId, lockTimeout(deadline)];
}

/**
 * How long the server may wait for a row lock: less than we wait for its answer, so that a write
 * that was given up does not linger behind a lock. Zero would mean for ever.
 */
export function lockTimeout(deadline: Deadline): string {
  return `${Math.max(1, Math.floor(deadline.remainingMs() * 0.8))}ms`;
}

/** Sends one statement of a write. */
export type SendStep = (
  statement: Statement,
  values: readonly unknown[],
) => Promise<Attempt<readonly Columns[]>>;

/**
 * One round of a write, in which both statements bear the same opId: so the whole one recognises what
 * the short one may have done. An undefined answer asks for another round.
 *
 * Cost: 1 statement where the write does what the last ones of its kind did; a second one where
 * the short one was tried for nothing.
 */
export async function writeRound(
  send: SendStep,
  write: Write,
  deadline: Deadline,
  statements: Statements,
  guesses: Guesses,
): Promise<Attempt<WriteResult | undefined>> {
  const step = stepOf(write, statements);
  const create = isCreate(write);
  const guess = guesses.of(write.key, create);
  const short = guess.likely();
  if (short) {
    const sent = await send(step.statements.short, [...headOf(write, deadline), ...step.short]);
    if (sent.kind !== "answer") {
      return sent;
    }
    const [row] = sent.value;
    guess.learn(row !== undefined);
    if (row !== undefined) {
      return { kind: "answer", value: shortAnswer(row, write) };
    }
  }
  const sent = await send(step.statements.whole, [...headOf(write, deadline), ...step.whole]);
  if (sent.kind !== "answer") {
    return sent;
  }
  const [row] = sent.value;
  if (row === undefined) {
    return { kind: "noAnswer", cause: noRow() };
  }
  if (!short) {
    guess.learn(row.wrev !== null && !(create && row.rev !== null));
  }
  return { kind: "answer", value: writeAnswer(row, write, statements.tombstoneUs) };
}
