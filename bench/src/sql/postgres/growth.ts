// Whether an operation costs the same in a large table: the same operations in turns on a table of
// 10 thousand records and on a large one, under keys that are spread over the whole index, which
// is the worst case for a cache.

import { createLock } from "@onceproof/core";
import type { Pool } from "pg";
import { compare } from "../../compare/compare.js";
import type { Contestant, DetailRun, Figure, Ground } from "../../compare/comparison.js";
import { RECEIPT } from "../../compare/users.js";
import { SMALL_ROWS } from "../names.js";
import { DEDUP_NAME, type FilledTable, fillTable, keyOf } from "./filled-table.js";

const GOAL = 1.3;
const SMALL_TABLE = "onceproof_small";
const LARGE_TABLE = "onceproof_large";
/** Prime, so that rows come in an order that is none, and each once before one comes again. */
const STRIDE = 7_368_787;

type Operation = (table: FilledTable) => (index: number) => Promise<unknown>;

const operations: Readonly<Record<string, Operation>> = {
  "dedup, first run":
    ({ dedup, rows }) =>
    (index) =>
      dedup.run(keyOf(rows + index), () => RECEIPT),
  "dedup, replay":
    ({ dedup, rows }) =>
    (index) =>
      dedup.run(keyOf((index * STRIDE) % rows), () => RECEIPT),
  "lock, acquire and release": ({ store, rows }) => {
    const locks = createLock({ store, name: DEDUP_NAME });
    return async (index) => (await locks.acquire(keyOf(rows + index))).release();
  },
};

const named = (rows: number): string => `${rows.toLocaleString("en")} rows`;

/** Fills both tables and measures every operation on each, in turns. */
export async function measureGrowth(
  pool: Pool,
  ground: Ground,
  largeRows: number,
  { timeMs, seed, concurrency, onProgress }: DetailRun,
): Promise<readonly Figure[]> {
  const total = SMALL_ROWS + largeRows;
  const filling = (before: number) => (filled: number) =>
    onProgress(before + filled, total, `filling a table of ${named(largeRows)}`);
  const small = await fillTable(pool, SMALL_TABLE, { rows: SMALL_ROWS }, filling(0));
  const large = await fillTable(pool, LARGE_TABLE, { rows: largeRows }, filling(SMALL_ROWS));
  const figures: Figure[] = [];
  const kept: Ground = { ...ground, keepsRows: true, clear: async () => {} };
  for (const [name, operation] of Object.entries(operations)) {
    const contestant = (table: FilledTable, kind: Contestant["kind"]): Contestant => ({
      name: named(table.rows),
      client: "",
      kind,
      operate: operation(table),
    });
    // The small table stands where bare commands stand elsewhere.
    const contestants = [contestant(small, "bare"), contestant(large, "ours")];
    const options = { concurrency, timeMs, seed };
    const measured = await compare(kept, { name, contestants }, options);
    figures.push(...figuresOf(name, contestants, measured));
  }
  await pool.query(`DROP TABLE ${SMALL_TABLE}, ${LARGE_TABLE}`);
  return figures;
}

function figuresOf(
  name: string,
  contestants: readonly Contestant[],
  measured: Awaited<ReturnType<typeof compare>>,
): readonly Figure[] {
  const costs = measured.map(({ perSecond: { median, lower, upper } }, at) => ({
    name: `${name}: ${contestants[at]?.name ?? ""}`,
    value: 1e6 / median,
    unit: "µs",
    spread: { median: 1e6 / median, lower: 1e6 / upper, upper: 1e6 / lower },
  }));
  const share = measured.at(-1)?.share;
  if (share === undefined) {
    return costs;
  }
  const spread = { median: 1 / share.median, lower: 1 / share.upper, upper: 1 / share.lower };
  return [
    ...costs,
    {
      name: `${name}: large beside small`,
      value: spread.median,
      unit: "times",
      goal: GOAL,
      spread,
    },
  ];
}
