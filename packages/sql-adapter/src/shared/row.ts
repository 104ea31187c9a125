// One row of the table, as drivers return it and as core judges it. Every dialect has the same
// columns: k, v, rev, op, at, exp; v is null once removed, exp is null for never.

import type { Slot } from "@onceproof/core/advanced";

/** A row as a driver returns it. */
export type Columns = Readonly<Record<string, unknown>>;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The bytes of a value. */
export function valueBytes(value: string): Buffer {
  return Buffer.from(value, "utf8");
}

/** Whole numbers: drivers can be told to return them as numbers, strings or bigints. */
export function integer(column: unknown): number {
  return Number(column);
}

function value(column: unknown): string | undefined {
  if (column === null) {
    return undefined;
  }
  if (column instanceof Uint8Array) {
    return decoder.decode(column);
  }
  throw new TypeError(`a column of bytes came as ${typeof column}: leave its type parser alone`);
}

/** What the row holds of a key; undefined if there is no row. */
export function slotOf(
  key: string,
  columns: Columns | undefined,
  tombstoneUs: number,
): Slot | undefined {
  if (columns === undefined || columns.rev === null) {
    return undefined;
  }
  const held = value(columns.v);
  const expiry = columns.exp === null ? Number.POSITIVE_INFINITY : integer(columns.exp);
  const expiresAt = held === undefined ? 0 : expiry;
  const revision = integer(columns.rev);
  const writtenAt = integer(columns.at);
  return {
    key,
    value: held,
    revision,
    opId: String(columns.op),
    writtenAt,
    expiresAt,
    keptUntil: Math.max(expiresAt, Math.max(writtenAt, revision) + tombstoneUs),
  };
}

/** What a slot's row holds, in the order v, rev, op, at, exp. */
export function columnsOf(slot: Slot): [Buffer | null, number, string, number, number | null] {
  const { value: held, revision, opId, writtenAt, expiresAt } = slot;
  return [
    held === undefined ? null : valueBytes(held),
    revision,
    opId,
    writtenAt,
    held === undefined || expiresAt === Number.POSITIVE_INFINITY ? null : expiresAt,
  ];
}
