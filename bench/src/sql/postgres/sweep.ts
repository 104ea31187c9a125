// How fast a sweep frees rows, and what that does to those who use the table meanwhile.

import type { Pool } from "pg";
import type { DetailRun, Figure } from "../../compare/comparison.js";
import { quantile } from "../../compare/statistics.js";
import { RECEIPT } from "../../compare/users.js";
import { type FilledTable, fillTable, keyOf } from "./filled-table.js";

const TABLE = "onceproof_swept";
const ROWS = 2_000_000;
const DUE = 0.75;
const LIMIT = 10_000;
/** Who uses the table meanwhile: so many at a time, each as fast as it is answered. */
const USERS = 4;
/** So often nobody sweeps for a while and somebody does, in turns. */
const TURNS = 4;

interface Window {
  readonly latenciesMs: number[];
  freed: number;
  sweptMs: number;
}

/** When a window ends; earlier if nothing is due any longer. */
interface End {
  ms: number;
}

const emptyWindow = (): Window => ({ latenciesMs: [], freed: 0, sweptMs: 0 });

/** Runs requests until the time is over. */
async function use({ dedup }: FilledTable, next: () => number, end: End, into: Window) {
  while (performance.now() < end.ms) {
    const startedMs = performance.now();
    await dedup.run(keyOf(next()), () => RECEIPT);
    into.latenciesMs.push(performance.now() - startedMs);
  }
}

/** Sweeps until the time is over or nothing is due any longer. */
async function sweep({ store }: FilledTable, end: End, into: Window): Promise<void> {
  const startedMs = performance.now();
  while (performance.now() < end.ms) {
    const freed = await store.sweep({ limit: LIMIT });
    into.freed += freed;
    if (freed === 0) {
      end.ms = 0;
    }
  }
  into.sweptMs += performance.now() - startedMs;
}

/** Sweeps a table of `rows`, three of four of which are due. */
export async function measureSweep(
  pool: Pool,
  { timeMs, onProgress }: DetailRun,
  rows = ROWS,
): Promise<readonly Figure[]> {
  const windowMs = timeMs / 2;
  const total = rows + (1 + 2 * TURNS) * windowMs;
  const table = await fillTable(pool, TABLE, { rows, expired: rows * DUE }, (filled) =>
    onProgress(filled, total, "filling a table to be swept"),
  );
  let used = rows;
  const next = (): number => {
    used += 1;
    return used;
  };
  let done = 0;
  const during = async (work: (end: End) => readonly Promise<unknown>[]): Promise<void> => {
    await Promise.all(work({ ms: performance.now() + windowMs }));
    done += windowMs;
    onProgress(rows + done, total, "sweeping");
  };
  const users = (end: End, into: Window): readonly Promise<unknown>[] =>
    Array.from({ length: USERS }, () => use(table, next, end, into));

  const alone = emptyWindow();
  const quiet = emptyWindow();
  const busy = emptyWindow();
  // Compiled and planned before anything counts.
  await Promise.all(users({ ms: performance.now() + windowMs }, emptyWindow()));
  await during((end) => [sweep(table, end, alone)]);
  for (let turn = 0; turn < TURNS; turn += 1) {
    await during((end) => users(end, quiet));
    await during((end) => [...users(end, busy), sweep(table, end, busy)]);
  }
  await pool.query(`DROP TABLE ${TABLE}`);
  return [
    rateOf("rows freed, nobody else there", alone),
    rateOf(`rows freed, beside ${USERS} users`, busy),
    ...latencies("p50", 0.5, quiet, busy),
    ...latencies("p99", 0.99, quiet, busy),
  ];
}

function latencies(name: string, part: number, quiet: Window, busy: Window): readonly Figure[] {
  const of = ({ latenciesMs }: Window): number =>
    quantile(
      [...latenciesMs].sort((a, b) => a - b),
      part,
    );
  const what = `dedup, first run, ${name}`;
  return [
    { name: `${what}: nobody sweeps`, value: of(quiet), unit: "ms" },
    { name: `${what}: while sweeping`, value: of(busy), unit: "ms" },
    { name: `${what}: sweeping beside not`, value: of(busy) / of(quiet), unit: "times" },
  ];
}

function rateOf(name: string, { freed, sweptMs }: Window): Figure {
  return { name, value: (freed * 1000) / sweptMs, unit: "per second" };
}
