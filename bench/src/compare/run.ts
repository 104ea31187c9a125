// Runs the chosen comparisons and details of an arena, and keeps what came out.

import { type Profile, profile } from "../profile.js";
import { amount } from "./amount.js";
import { runBatch } from "./batch.js";
import { compare, type Measured, roundsIn } from "./compare.js";
import type { Account, Arena, Comparison, Contestant, Detail, Figure } from "./comparison.js";

export interface RunOptions {
  /** Only names that contain this word. */
  readonly only: string;
  /** For how long each contestant is measured at each concurrency, in milliseconds. */
  readonly timeMs: number;
  readonly concurrencies: readonly number[];
  readonly seed: number;
  readonly profiled: boolean;
  readonly onProgress?: (done: number, total: number, now: string) => void;
  readonly onResult?: (result: ComparisonResult | DetailResult) => void;
}

export interface ContestantResult extends Omit<Contestant, "operate" | "prepare" | "hold"> {
  readonly account: Account;
  /** In the order of the concurrencies asked for. */
  readonly measured: readonly Measured[];
  readonly profile?: Profile;
}

export interface ComparisonResult {
  readonly kind: "comparison";
  readonly name: string;
  readonly contestants: readonly ContestantResult[];
}

export interface DetailResult {
  readonly kind: "detail";
  readonly name: string;
  readonly figures: readonly Figure[];
}

export interface ArenaResult {
  readonly setting: string;
  readonly comparisons: readonly ComparisonResult[];
  readonly details: readonly DetailResult[];
}

const PROFILED_BATCH = 2_000;

async function runComparison(
  arena: Arena,
  comparison: Comparison,
  options: RunOptions,
  onBatch: () => void,
): Promise<ComparisonResult> {
  const { timeMs, seed, concurrencies } = options;
  const columns: (readonly Measured[])[] = [];
  for (const concurrency of concurrencies) {
    columns.push(await compare(arena, comparison, { concurrency, timeMs, seed, onBatch }));
  }
  const contestants: ContestantResult[] = [];
  for (const [at, contestant] of comparison.contestants.entries()) {
    const { operate: _operate, prepare: _prepare, hold: _hold, ...about } = contestant;
    const account = await arena.account(contestant);
    const measured = columns.flatMap((column) => column[at] ?? []);
    const taken = options.profiled ? await profileOf(arena, contestant, options) : undefined;
    contestants.push({ ...about, account, measured, ...(taken && { profile: taken }) });
  }
  return { kind: "comparison", name: comparison.name, contestants };
}

async function profileOf(
  arena: Arena,
  { operate, prepare }: Contestant,
  { timeMs, concurrencies }: RunOptions,
): Promise<Profile> {
  await arena.clear();
  await prepare?.();
  let next = 0;
  return profile(() => {
    const from = next;
    next += PROFILED_BATCH;
    return runBatch(operate, from, PROFILED_BATCH, Math.max(...concurrencies));
  }, timeMs);
}

/** Runs what `only` chooses. */
export async function runArena(arena: Arena, options: RunOptions): Promise<ArenaResult> {
  const chosen = <T extends { readonly name: string }>(all: readonly T[]): readonly T[] =>
    all.filter(({ name }) => name.includes(options.only));
  const comparisons: readonly Comparison[] = chosen(arena.comparisons);
  const details: readonly Detail[] = chosen(arena.details);
  const perComparison = roundsIn(options.timeMs) * options.concurrencies.length;
  const total = comparisons.reduce((sum, each) => sum + perComparison * each.contestants.length, 0);
  let done = 0;
  const results: ComparisonResult[] = [];
  for (const comparison of comparisons) {
    const result = await runComparison(arena, comparison, options, () => {
      done += 1;
      options.onProgress?.(done, total, comparison.name);
    });
    results.push(result);
    options.onResult?.(result);
  }
  const figures: DetailResult[] = [];
  for (const { name, measure } of details) {
    const result: DetailResult = {
      kind: "detail",
      name,
      figures: await measure({
        timeMs: options.timeMs,
        seed: options.seed,
        concurrency: Math.max(...options.concurrencies),
        onProgress: options.onProgress ?? (() => {}),
      }),
    };
    figures.push(result);
    options.onResult?.(result);
  }
  return { setting: arena.setting, comparisons: results, details: figures };
}

/** Which goals were missed, in words. Shares are judged at the greatest concurrency. */
export function missedGoals({ comparisons, details }: ArenaResult): readonly string[] {
  const missed: string[] = [];
  for (const { name, contestants } of comparisons) {
    for (const { goal, client, measured } of contestants) {
      const share = measured.at(-1)?.share?.median;
      if (goal !== undefined && share !== undefined && share < goal) {
        missed.push(`${name} on ${client}: ${share.toFixed(2)} of bare, the goal is ${goal}`);
      }
    }
  }
  for (const { name, figures } of details) {
    for (const figure of figures) {
      if (figure.goal !== undefined && figure.value > figure.goal) {
        missed.push(`${name}, ${figure.name}: ${amount(figure)}, the goal is ${figure.goal}`);
      }
    }
  }
  return missed;
}
