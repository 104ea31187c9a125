// Measures one store: opens it, prints what comes out, and writes its section of the document.

import { cpus, loadavg } from "node:os";
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

/** Of each core, before the run. Above it something else took part. */
const IDLE_LOAD = 0.3;

/** Tells on what and how it was measured. */
function introOf(setting: string, seed: number, timeMs: number): string {
  const load = loadavg()[0] ?? 0;
  const busy = load > IDLE_LOAD * cpus().length;
  return [
    `${setting}. ${cpus().length} cores, Node ${process.version.slice(1)}, load before the run`,
    `${load.toFixed(1)}. In turns for ${timeMs / 1000} s each and per column (seed ${seed}); medians of`,
    "the rounds, quartiles in brackets.",
    ...(busy ? ["The machine was busy: rates and times of this run are not to be quoted."] : []),
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
  const intro = introOf(arena.setting, seed, timeMs);
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
