// One write on MySQL and MariaDB: the statement that applies it and, if that did not, a look at the
// row that tells why.

import type {
  Applied,
  CreateWrite,
  StampedWrite,
  Write,
  WriteResult,
} from "@onceproof/core/advanced";
import type { Attempt } from "../shared/exchange.js";
import type { Guesses } from "../shared/guesses.js";
import { isCreate, judge, type Sight } from "../shared/judge.js";
import { keyBytes } from "../shared/key-bytes.js";
import { micros } from "../shared/micros.js";
import { valueBytes } from "../shared/row.js";
import type { Statement } from "../shared/session.js";
import { DUPLICATE_KEY } from "./error-code.js";
import { type Ask, look } from "./look.js";
import type { Statements } from "./statements.js";

/** What came of one round: an answer, or undefined if another round is needed. */
export type Round<T> = Attempt<T | undefined>;

function answer<T>(value: T): Attempt<T> {
  return { kind: "answer", value };
}

/** The answer to a write that was applied at `at`, over a row of revision `before`. */
export function applied(at: number, before: number, expiresAt: number | null): Applied {
  return {
    outcome: "applied",
    revision: Math.max(before + 1, at),
    writtenAt: at,
    ...(expiresAt !== null && { expiresAt }),
    now: at,
    replayed: false,
  };
}

/** Judges the row as it stands; undefined if it would let the write apply now. */
async function refusal(
  write: Write,
  statements: Statements,
  ask: Ask,
): Promise<Attempt<{ readonly sight: Sight; readonly result: WriteResult | undefined }>> {
  const seen = await look([write.key], statements, ask);
  if (seen.kind !== "answer") {
    return seen;
  }
  const { result, puts } = judge(seen.value, write);
  return answer({ sight: seen.value, result: puts.length === 0 ? result : undefined });
}

/** What a round of one operation is made with. */
export interface WriteParts {
  readonly statements: Statements;
  readonly guesses: Guesses;
}

/** Inserts where there is no row; undefined if there may be one. Cost: 1 statement. */
async function insert(
  { key, opId, next }: CreateWrite,
  statements: Statements,
  ask: Ask,
): Promise<Round<WriteResult>> {
  const ttl = micros(next.ttlMs);
  const sent = await ask(statements.insert, [keyBytes(key), valueBytes(next.value), opId, ttl]);
  if (sent.kind !== "answer") {
    const { errno } = Object(sent.cause) as { errno?: unknown };
    return sent.kind === "nothing" && errno === DUPLICATE_KEY ? answer(undefined) : sent;
  }
  const at = sent.value.insertId;
  // A trigger on the table may have hidden it: the row tells.
  return answer(at === 0 ? undefined : applied(at, 0, ttl === null ? null : at + ttl));
}

/**
 * A duplicate comes as an error, for which drivers build stacks: so who mostly meets rows looks first.
 *
 * Cost: inserting first 1 statement on a key that has no row, 2 refused or replayed, 3 over the row of
 * a removed or expired entry; looking first 2, 1 and 2.
 */
async function create(
  write: CreateWrite,
  { statements, guesses }: WriteParts,
  ask: Ask,
): Promise<Round<WriteResult>> {
  const guess = guesses.of(write.key, true);
  const likely = guess.likely();
  if (likely) {
    const inserted = await insert(write, statements, ask);
    if (inserted.kind !== "answer") {
      return inserted;
    }
    guess.learn(inserted.value !== undefined);
    if (inserted.value !== undefined) {
      return inserted;
    }
  }
  const seen = await refusal(write, statements, ask);
  if (seen.kind !== "answer") {
    return seen;
  }
  const dead = seen.value.sight.slots.get(write.key);
  if (!likely) {
    guess.learn(dead === undefined);
  }
  if (seen.value.result !== undefined) {
    return answer(seen.value.result);
  }
  if (dead === undefined) {
    return likely ? answer(undefined) : insert(write, statements, ask);
  }
  const { opId, next } = write;
  const value = valueBytes(next.value);
  const ttl = micros(next.ttlMs);
  const stamp = [keyBytes(write.key), dead.revision, dead.opId];
  const revived = await ask(statements.revive, [value, ttl, opId, ...stamp]);
  if (revived.kind !== "answer") {
    return revived;
  }
  const at = revived.value.insertId;
  return answer(at === 0 ? undefined : applied(at, dead.revision, ttl === null ? null : at + ttl));
}

/** The statement of a write under a stamp, its own parameters, and the new ttl if it sets one. */
export function changeOf(
  next: StampedWrite["next"],
  statements: Statements,
): readonly [Statement, readonly unknown[], number | null | "keep"] {
  if (next === "removed") {
    return [statements.remove, [], null];
  }
  if ("touch" in next) {
    const ttl = micros(next.ttlMs);
    return [statements.touch, [ttl], ttl];
  }
  const value = valueBytes(next.value);
  if (next.ttlMs === "keep") {
    return [statements.replaceKeep, [value], "keep"];
  }
  const ttl = micros(next.ttlMs);
  return [statements.replace, [value, ttl], ttl];
}

/** Cost: 1 statement applied, 2 refused or replayed; keeping the expiry, 2 applied and 1 refused. */
async function change(
  write: StampedWrite,
  statements: Statements,
  ask: Ask,
): Promise<Round<WriteResult>> {
  const { opId, expect, next } = write;
  const [statement, own, ttl] = changeOf(next, statements);
  let expiresAt: number | null = null;
  // An expiry that is kept has to be told, and a write under its own stamp is a replay.
  if (ttl === "keep" || expect.opId === opId) {
    const seen = await refusal(write, statements, ask);
    if (seen.kind !== "answer" || seen.value.result !== undefined) {
      return seen.kind === "answer" ? answer(seen.value.result) : seen;
    }
    const kept = seen.value.sight.slots.get(write.key)?.expiresAt ?? Number.POSITIVE_INFINITY;
    expiresAt = kept === Number.POSITIVE_INFINITY ? null : kept;
  }
  const stamp = [keyBytes(write.key), expect.revision, expect.opId];
  const changed = await ask(statement, [...own, opId, ...stamp]);
  if (changed.kind !== "answer") {
    return changed;
  }
  const at = changed.value.insertId;
  if (at !== 0) {
    if (ttl !== "keep") {
      expiresAt = ttl === null ? null : at + ttl;
    }
    return answer(applied(at, expect.revision, expiresAt));
  }
  const seen = await refusal(write, statements, ask);
  return seen.kind === "answer" ? answer(seen.value.result) : seen;
}

/** One round of a write. */
export function writeRound(write: Write, parts: WriteParts, ask: Ask): Promise<Round<WriteResult>> {
  return isCreate(write) ? create(write, parts, ask) : change(write, parts.statements, ask);
}
