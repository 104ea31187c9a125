// Holds what a run was told to be committed against the rows that stand in the user's own tables: the
// tables are right, so they are what the oracles judge.

import type { Effect, History } from "./history.js";

/** A row as it stands in a table of the user's own. */
export interface StandingRow {
  readonly key: string;
  readonly value: unknown;
  /** The operation on whose behalf it came. */
  readonly operation?: number;
  /** When it was added: `runtime.monotonicNow()` in whole microseconds. */
  readonly atUs: number;
}

/** The rows of the user's own tables, by the table's name. */
export type StandingRows = Readonly<Record<string, readonly StandingRow[]>>;

const nameOf = ({ key, value, operation }: Pick<Effect, "key" | "value" | "operation">): string =>
  JSON.stringify([key, value, operation]);

/**
 * The history with the effects that stand in these tables: without rows that are missing there, and
 * with those of which no commit was told. Other sinks' effects are left as they are.
 */
export function withStandingRows(history: History, tables: StandingRows): History {
  const { effects, operations } = history;
  const stands = effects.filter(({ sink }) => !Object.hasOwn(tables, sink));
  for (const [sink, rows] of Object.entries(tables)) {
    const left = [...rows];
    for (const effect of effects.filter((each) => each.sink === sink)) {
      const at = left.findIndex((row) => nameOf(row) === nameOf(effect));
      if (at !== -1) {
        left.splice(at, 1);
        stands.push(effect);
      }
    }
    for (const { key, value, operation, atUs } of left) {
      const by = operations.find(({ id }) => id === operation)?.by ?? "nobody";
      const ofOperation = operation !== undefined && { operation };
      const id = effects.length + stands.length;
      const effect: Effect = { id, sink, key, by, atUs, accepted: true, value, ...ofOperation };
      stands.push(effect);
    }
  }
  return { ...history, effects: stands.sort((one, other) => one.atUs - other.atUs) };
}
