// Rows that may be there of a key before a write, and what two ways of writing over them are compared by.
import type { CreateWrite, WriteResult } from "@onceproof/core/advanced";

export const SECOND_US = 1_000_000;
/** Who writes. */
export const WRITER = "W".repeat(22);
/** Whose row is there. */
export const RACER = "R".repeat(22);

/** A row that is there before the write, with its times in seconds from now. */
export interface Row {
  readonly v: string | null;
  readonly at: number;
  readonly rev?: number;
  readonly exp: number | null;
}
export const ROWS: Readonly<Record<string, Row | undefined>> = {
  none: undefined,
  live: { v: "old", at: -2, exp: 3600 },
  "live for ever": { v: "old", at: -2, exp: null },
  "ahead of the clock": { v: "old", at: -2, rev: 600, exp: 3600 },
  expired: { v: "old", at: -2, exp: -1 },
  removed: { v: null, at: -2, exp: null },
  "removed, ahead of the clock": { v: null, at: -2, rev: 600, exp: null },
  "forgotten, expired": { v: "old", at: -1000, exp: -999 },
  "forgotten, removed": { v: null, at: -1000, exp: null },
};

const VALUE = { value: "new", ttlMs: 60_000.0004 };
export const CREATES: readonly CreateWrite["next"][] = [VALUE, { value: "", ttlMs: "never" }];

/** The same with each time that is the write's own counted from it, and without the time of asking. */
export function apart(all: unknown, result: WriteResult): unknown {
  const own = result.outcome === "applied" && !result.replayed ? result.writtenAt : undefined;
  return JSON.parse(JSON.stringify(all), (name, value) => {
    const time = Number(value);
    if (own !== undefined && time >= own && time <= own + 61 * SECOND_US) return `+${time - own}`;
    return name === "now" ? "now" : value;
  });
}
