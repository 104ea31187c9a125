// Measures a comparison's contestants in turns: in each round everyone runs one batch, in another
// order, so that what the machine does meanwhile falls on all of them. Shares of the bare commands'
// rate are taken within a round.

import { createRandom, type Random } from "@onceproof/simulator";
import { garbageCollector, runBatch } from "./batch.js";
import type { Comparison, Contestant, Ground } from "./comparison.js";
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
  /**
   * Operations of each, twice, before the first round, though for no longer than half a second.
   * @defaultValue 2000: compiled by then
   */
  readonly warmUp?: number;
}

const BATCH_MS = 50;
const LEAST_ROUNDS = 5;
const WARM_UP = 2_000;
/** Slow operations wait for the disk, which does not get warm. */
const WARM_UP_MS = 500;
const WARM_UP_BATCH = 100;

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

async function timed(ground: Ground, runner: Runner, concurrency: number): Promise<Sample> {
  const { contestant, count, next } = runner;
  const serverBefore = await ground.serverCpuUs();
  const clientBefore = process.cpuUsage();
  const startedMs = performance.now();
  await runBatch(contestant.operate, next, count, concurrency);
  const tookMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(clientBefore);
  const serverUs = (await ground.serverCpuUs()) - serverBefore;
  runner.next += count;
  return {
    perSecond: (count * 1000) / tookMs,
    clientUs: (user + system) / count,
    serverUs: serverUs / count,
  };
}

/** Runs one contestant for a while; returns its rate. */
async function warmUp(
  ground: Ground,
  runner: Runner,
  { concurrency, timeMs, warmUp: most = WARM_UP }: CompareOptions,
): Promise<number> {
  const warmUpMs = Math.min(WARM_UP_MS, timeMs);
  const startedMs = performance.now();
  runner.count = Math.max(concurrency, Math.min(most, WARM_UP_BATCH));
  let done = 0;
  let tookMs = 0;
  while (done < most && tookMs < warmUpMs) {
    await timed(ground, runner, concurrency);
    done += runner.count;
    tookMs = performance.now() - startedMs;
  }
  return (done * 1000) / tookMs;
}

/** Measures everyone of a comparison, in its order. */
export async function compare(
  ground: Ground,
  { contestants }: Comparison,
  options: CompareOptions,
): Promise<readonly Measured[]> {
  const { concurrency, timeMs, seed, onBatch } = options;
  const random = createRandom(seed);
  const collect = garbageCollector();
  const runners = contestants.map(
    (contestant): Runner => ({ contestant, samples: [], count: 0, next: 0 }),
  );
  await ground.clear();
  for (const runner of runners) {
    await runner.contestant.prepare?.();
    await warmUp(ground, runner, options);
    const perSecond = await warmUp(ground, runner, options);
    runner.count = Math.max(concurrency, Math.round((perSecond * BATCH_MS) / 1000));
  }
  const rounds = roundsIn(timeMs);
  for (let round = 0; round < rounds; round += 1) {
    if (!ground.keepsRows) {
      await ground.clear();
      for (const { contestant } of runners) {
        await contestant.prepare?.();
      }
    }
    for (const runner of shuffled(random, runners)) {
      collect();
      runner.samples.push(await timed(ground, runner, concurrency));
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
