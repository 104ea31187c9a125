// Runs each disaster in a fresh world, once without and once with protection, and judges it.

import { setTimeout as sleep } from "node:timers/promises";
import type { Calls, Disaster } from "./disaster.js";
import { type Ground, passingStage, type Stage } from "./world/stage.js";
import { openWorld, type World } from "./world/world.js";

/** One line of the table. */
export interface Row {
  readonly name: string;
  readonly title: string;
  readonly counted: string;
  readonly expected: number;
  /** Effects without protection; undefined when it broke down before they could be counted. */
  readonly without?: number;
  readonly with?: number;
  readonly algorithm: string;
  readonly calls?: Calls;
  /** HTTP requests of the protected run. */
  readonly requests?: number;
  readonly tookMs: number;
  /** Empty when the damage showed without protection and nothing was wrong with it. */
  readonly problems: readonly string[];
}

export interface RunOptions {
  readonly seed: number;
  /** @defaultValue one in memory */
  readonly stage?: Stage;
  /** Stops after the current step; the world is closed first. */
  readonly signal: AbortSignal;
  /** Told before each half of a disaster. */
  readonly onStep: (disaster: Disaster, half: "without" | "with") => void;
}

/** A disaster that hangs is a failure with a name. */
const LONGEST_MS = 120_000;

export async function runDisaster(disaster: Disaster, options: RunOptions): Promise<Row> {
  const startedAt = performance.now();
  const { name, title, counted, expected, algorithm } = disaster;
  const outcome = await runHalves(disaster, options);
  const tookMs = Math.round(performance.now() - startedAt);
  return { name, title, counted, expected, algorithm, tookMs, ...outcome };
}

type Outcome = Pick<Row, "without" | "with" | "calls" | "requests" | "problems">;

async function runHalves(disaster: Disaster, options: RunOptions): Promise<Outcome> {
  const { stage = passingStage() } = options;
  let counts: Omit<Outcome, "problems"> = {};
  try {
    options.onStep(disaster, "without");
    const naive = await stage.open(disaster.name, "without");
    const damage = await inWorld(options, stage, naive, (world) => disaster.unprotected(world));
    counts = { without: damage.effects };
    options.onStep(disaster, "with");
    const ground = await stage.open(disaster.name, "with");
    const guarded = await inWorld(options, stage, ground, async (world) => ({
      ...(await disaster.protected(world)),
      requests: world.requests,
      repeats: world.repeats,
    }));
    const { effects, calls, requests, repeats } = guarded;
    counts = { ...counts, with: effects, calls, requests };
    const problems = [...judge(disaster.expected, counts), ...guarded.problems];
    return { ...counts, problems: [...problems, ...judgeRepeats(repeats, stage)] };
  } catch (error) {
    options.signal.throwIfAborted();
    return { ...counts, problems: [`broke down: ${textOf(error)}`] };
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function judge(expected: number, counts: Pick<Outcome, "without" | "with">): string[] {
  const problems: string[] = [];
  if (counts.without === expected) {
    problems.push("without protection nothing went wrong, so this run proves nothing");
  }
  if (counts.with !== expected) {
    problems.push(`with protection the sink counted ${counts.with} instead of ${expected}`);
  }
  return problems;
}

/** A sink's own memory of keys is for crashes; without one, nothing may rest on it. */
function judgeRepeats(repeats: number, { starts }: Stage): string[] {
  return repeats > 0 && starts === 1
    ? [`nothing crashed, and yet a sink was asked ${repeats} times more than once`]
    : [];
}

/** Opens a world for one half, and closes it whatever happens. */
async function inWorld<T>(
  options: RunOptions,
  { run }: Stage,
  ground: Ground,
  half: (world: World) => Promise<T>,
): Promise<T> {
  options.signal.throwIfAborted();
  const world = await openWorld(options.seed, run, ground);
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  try {
    return await Promise.race([half(world), tooLong(signal)]);
  } finally {
    over.abort();
    await world.close();
  }
}

async function tooLong(signal: AbortSignal): Promise<never> {
  await sleep(LONGEST_MS, undefined, { signal });
  throw new Error(`took longer than ${LONGEST_MS / 1000} s`);
}
