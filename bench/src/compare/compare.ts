// Measures a comparison's contestants in turns: in each round everyone runs one batch, in another
// order, so that what the machine does meanwhile falls on all of them. Shares of the bare commands'
// rate are taken within a round.

import { createRandom, type Random } from "@onceproof/simulator";
import { garbageCollector, runBatch } from "./batch.js";
import type { Arena, Comparison, Contestant } from "./comparison.js";
import { type Spread, spread } from "./statistics.js";

/** How one contestant did, so and so many operations at a time. */
export interface Measured {
  readonly concurrency: number;
  readonly rounds: number;
  readonly perSecond: Spread;
  /** Its rate as a share of the bare commands' on the same client; absent for those themselves. */
  readonly share?: Spread;
  /** CPU time of the client process and of the server for one operation, in microseconds. */
  readonly clientUs: number;
  readonly serverUs: number;
}

export interface CompareOptions {
  readonly concurrency: number;
  /** For how long each contestant is measured, in milliseconds. */
  readonly timeMs: number;
  readonly seed: number;
  readonly onBatch?: () => void;
  /** Operations of each, twice, before the first round. @defaultValue 2000: compiled by then */
  readonly warmUp?: number;
}

const BATCH_MS = 50;
const LEAST_ROUNDS = 5;
const WARM_UP = 2_000;

/** How many rounds `timeMs` make. */
export function roundsIn(timeMs: number): number {
  return Math.max(LEAST_ROUNDS, Math.round(timeMs / BATCH_MS));
}

interface Sample {
  readonly perSecond: number;
  readonly clientUs: number;
  readonly serverUs: number;
}

interface Runner {
  readonly contestant: Contestant;
  readonly samples: Sample[];
  count: number;
  next: number;
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const mixed = [...items];
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = random.int(0, last);
    [mixed[last], mixed[other]] = [mixed[other] as T, mixed[last] as T];
  }
  return mixed;
}

async function timed(arena: Arena, runner: Runner, concurrency: number): Promise<Sample> {
  const { contestant, count, next } = runner;
  const serverBefore = await arena.serverCpuUs();
  const clientBefore = process.cpuUsage();
  const startedMs = performance.now();
  await runBatch(contestant.operate, next, count, concurrency);
  const tookMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(clientBefore);
  const serverUs = (await arena.serverCpuUs()) - serverBefore;
  runner.next += count;
  return {
    perSecond: (count * 1000) / tookMs,
    clientUs: (user + system) / count,
    serverUs: serverUs / count,
  };
}

/** Measures everyone of a comparison, in its order. */
export async function compare(
  arena: Arena,
  { contestants }: Comparison,
  { concurrency, timeMs, seed, onBatch, warmUp = WARM_UP }: CompareOptions,
): Promise<readonly Measured[]> {
  const random = createRandom(seed);
  const collect = garbageCollector();
  const runners = contestants.map(
    (contestant): Runner => ({ contestant, samples: [], count: 0, next: 0 }),
  );
  await arena.clear();
  for (const runner of runners) {
    await runner.contestant.prepare?.();
    runner.count = Math.max(warmUp, concurrency);
    await timed(arena, runner, concurrency);
    const { perSecond } = await timed(arena, runner, concurrency);
    runner.count = Math.max(concurrency, Math.round((perSecond * BATCH_MS) / 1000));
  }
  const rounds = roundsIn(timeMs);
  for (let round = 0; round < rounds; round += 1) {
    await arena.clear();
    for (const { contestant } of runners) {
      await contestant.prepare?.();
    }
    for (const runner of shuffled(random, runners)) {
      collect();
      runner.samples.push(await timed(arena, runner, concurrency));
      onBatch?.();
    }
  }
  return runners.map((runner) => summary(runner, runners, concurrency));
}

function summary(
  { contestant, samples }: Runner,
  runners: readonly Runner[],
  concurrency: number,
): Measured {
  const bare = runners.find(
    (other) => other.contestant.kind === "bare" && other.contestant.client === contestant.client,
  );
  const median = (of: (sample: Sample) => number): number => spread(samples.map(of)).median;
  const shares = samples.map(
    ({ perSecond }, round) => perSecond / (bare?.samples[round]?.perSecond ?? Number.NaN),
  );
  return {
    concurrency,
    rounds: samples.length,
    perSecond: spread(samples.map(({ perSecond }) => perSecond)),
    clientUs: median(({ clientUs }) => clientUs),
    serverUs: median(({ serverUs }) => serverUs),
    ...(bare !== undefined && contestant.kind !== "bare" && { share: spread(shares) }),
  };
}
