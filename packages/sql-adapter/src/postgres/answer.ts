// Turns the row that a statement answers with into the contract's answers.

import type {
  Applied,
  CreateWrite,
  Entry,
  Observation,
  Write,
  WriteResult,
} from "@onceproof/core/advanced";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** What the snapshot held of one key. */
interface Held {
  readonly value: string | undefined;
  readonly revision: number;
  readonly opId: string;
  readonly writtenAt: number;
  readonly expiresAt: number | undefined;
}

interface Row {
  readonly now: number;
  readonly held: Held | undefined;
}

type Columns = Readonly<Record<string, unknown>>;

// Drivers can be told to return bigints as numbers, strings or bigints.
function integer(column: unknown): number {
  return Number(column);
}

function optionalInteger(column: unknown): number | undefined {
  return column === null ? undefined : Number(column);
}

function bytes(column: unknown): Uint8Array {
  if (column instanceof Uint8Array) {
    return column;
  }
  throw new TypeError(`a bytea column came as ${typeof column}: leave its type parser alone`);
}

function parse(columns: Columns): Row {
  const { v, rev, op, at, exp, now } = columns;
  if (rev === null) {
    return { now: integer(now), held: undefined };
  }
  return {
    now: integer(now),
    held: {
      value: v === null ? undefined : decoder.decode(bytes(v)),
      revision: integer(rev),
      opId: String(op),
      writtenAt: integer(at),
      expiresAt: optionalInteger(exp),
    },
  };
}

function life(writtenAt: number, expiresAt: number | undefined) {
  return expiresAt === undefined ? { writtenAt } : { writtenAt, expiresAt };
}

function liveEntry({ now, held }: Row): Entry | undefined {
  if (held?.value === undefined || (held.expiresAt !== undefined && held.expiresAt <= now)) {
    return undefined;
  }
  const stamp = { revision: held.revision, opId: held.opId };
  return { value: held.value, stamp, ...life(held.writtenAt, held.expiresAt) };
}

function observe(row: Row): Observation {
  const { now, held } = row;
  if (held === undefined) {
    return { now };
  }
  const entry = liveEntry(row);
  return entry === undefined
    ? { revision: held.revision, now }
    : { entry, revision: held.revision, now };
}

/** The answer to a read. */
export function readAnswer(columns: unknown): Observation {
  return observe(parse(columns as Columns));
}

/** Whether a write makes an entry where there is none. */
export function isCreate(write: Write): write is CreateWrite {
  return write.expect === "absent" || "absentSince" in write.expect;
}

/** Whether this state refuses the write. */
function refuses(write: Write, { held }: Row, entry: Entry | undefined): boolean {
  if (isCreate(write)) {
    const since = write.expect === "absent" ? undefined : write.expect.absentSince;
    return entry !== undefined || (since !== undefined && (held?.revision ?? 0) > since);
  }
  const { stamp } = entry ?? {};
  return stamp?.revision !== write.expect.revision || stamp.opId !== write.expect.opId;
}

function applied(
  revision: number,
  writtenAt: number,
  expiresAt: number | undefined,
  now: number,
  replayed: boolean,
): Applied {
  return { outcome: "applied", revision, ...life(writtenAt, expiresAt), now, replayed };
}

/**
 * The answer to a write, or undefined if the snapshot does not refuse what was not written either:
 * another write came between, so the statement has to run again.
 */
export function writeAnswer(columns: unknown, write: Write): WriteResult | undefined {
  const { wrev, wat, wexp } = columns as Columns;
  if (wrev !== null) {
    const writtenAt = integer(wat);
    return applied(integer(wrev), writtenAt, optionalInteger(wexp), writtenAt, false);
  }
  const row = parse(columns as Columns);
  if (row.held?.opId === write.opId) {
    const { revision, writtenAt, expiresAt } = row.held;
    return applied(revision, writtenAt, expiresAt, row.now, true);
  }
  return refuses(write, row, liveEntry(row)) ? { outcome: "refused", ...observe(row) } : undefined;
}
