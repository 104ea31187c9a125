// Measures one store: opens it, prints what comes out, and writes its section of the document.

import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Options } from "../options.js";
import { startProgress } from "../progress.js";
import type { Arena } from "./comparison.js";
import { type ArenaResult, missedGoals, runArena } from "./run.js";
import { renewSection, sectionOf } from "./section.js";
import { asText, costTable, figureTable, rateTable } from "./tables.js";

const DEFAULT_MS = 2_000;
const SHOWN = 12;
const DOCUMENT = new URL("../../../docs/benchmarks.md", import.meta.url);

/** A store that can be measured. */
export interface MeasuredStore {
  /** The markers of its section. */
  readonly section: string;
  /** How many operations at a time, unless the command says so. */
  readonly concurrency: readonly number[];
  open(concurrency: readonly number[]): Promise<Arena>;
}

export interface StoreResult extends ArenaResult {
  readonly missedGoals: readonly string[];
}

/** Of all cores, while nothing of ours runs. Above it something else takes part. */
const IDLE_SHARE = 0.1;
const LOOK_MS = 1_000;

/** What share of all cores is in use. A load average would still tell of the build before the run. */
async function coresInUse(): Promise<number> {
  const times = () => cpus().map(({ times: { idle, ...used } }) => [idle, sum(used)] as const);
  const before = times();
  await sleep(LOOK_MS);
  let [idle, used] = [0, 0];
  for (const [core, [idleAfter, usedAfter]] of times().entries()) {
    const [idleBefore = 0, usedBefore = 0] = before[core] ?? [];
    idle += idleAfter - idleBefore;
    used += usedAfter - usedBefore;
  }
  return used / Math.max(1, used + idle);
}

function sum(parts: Readonly<Record<string, number>>): number {
  return Object.values(parts).reduce((total, part) => total + part, 0);
}

/** Tells on what and how it was measured. */
async function introOf(setting: string, seed: number, timeMs: number): Promise<string> {
  const share = await coresInUse();
  const percent = Math.round(100 * share);
  return [
    `${setting}. ${cpus().length} cores, of which ${percent} % were in use before the run, Node ${process.version.slice(1)}.`,
    `In turns for ${timeMs / 1000} s each and per column (seed ${seed}); medians of the rounds, quartiles in brackets.`,
    ...(share > IDLE_SHARE
      ? ["The machine was busy: rates and times of this run are not to be quoted."]
      : []),
  ].join(" ");
}

export async function measureStore(
  store: MeasuredStore,
  options: Options,
  print: (line: string) => void,
): Promise<StoreResult> {
  const { only, time: timeMs = DEFAULT_MS, seed, profile } = options;
  const { concurrency = store.concurrency } = options;
  await using arena = await store.open(concurrency);
  const progress = startProgress();
  const intro = await introOf(arena.setting, seed, timeMs);
  print(intro);
  const result = await runArena(arena, {
    only,
    timeMs,
    concurrencies: concurrency,
    seed,
    profiled: profile,
    onProgress: progress.update,
    onResult(part) {
      progress.pause();
      print(`\n${part.name}`);
      if (part.kind === "detail") {
        print(asText(figureTable(part)));
        return;
      }
      print(`${asText(rateTable(part))}\n`);
      print(asText(costTable(part)));
      for (const { name, client, profile: taken } of part.contestants) {
        if (taken) {
          print(`\n  ${name} on ${client}`);
          for (const { where, percent } of [
            ...taken.libraries,
            ...taken.functions.slice(0, SHOWN),
          ]) {
            print(`    ${percent.toFixed(1).padStart(5)} %  ${where}`);
          }
        }
      }
    },
  });
  if (options.markdown) {
    renewSection(DOCUMENT, store.section, sectionOf(result, intro));
  }
  return { ...result, missedGoals: missedGoals(result) };
}
