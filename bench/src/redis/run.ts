// The comparisons on a private Redis, printed as they come.

import { cpus, loadavg } from "node:os";
import { type ArenaResult, missedGoals, runArena } from "../compare/run.js";
import { renewSection, sectionOf } from "../compare/section.js";
import { asText, costTable, figureTable, rateTable } from "../compare/tables.js";
import type { Options } from "../options.js";
import { startProgress } from "../progress.js";
import { openRedisArena } from "./arena.js";

const DEFAULT_MS = 2_000;
const SHOWN = 12;
const DOCUMENT = new URL("../../../docs/benchmarks.md", import.meta.url);

export interface RedisResult extends ArenaResult {
  readonly missedGoals: readonly string[];
}

/** Of each core, before the run. Above it something else took part. */
const IDLE_LOAD = 0.3;

/** Tells on what and how it was measured. */
function introOf(setting: string, options: Options, timeMs: number): string {
  const load = loadavg()[0] ?? 0;
  const busy = load > IDLE_LOAD * cpus().length;
  return [
    `${setting}. ${cpus().length} cores, Node ${process.version.slice(1)}, load before the run`,
    `${load.toFixed(1)}. In turns for ${timeMs / 1000} s each and per column (seed ${options.seed}); medians of`,
    "the rounds, quartiles in brackets.",
    ...(busy ? ["The machine was busy: rates and times of this run are not to be quoted."] : []),
  ].join(" ");
}

export async function runRedis(
  options: Options,
  print: (line: string) => void,
): Promise<RedisResult> {
  const { only, time: timeMs = DEFAULT_MS, concurrency, seed, profile, aof } = options;
  await using arena = await openRedisArena(aof);
  const progress = startProgress();
  const intro = introOf(arena.setting, options, timeMs);
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
    renewSection(DOCUMENT, aof === "off" ? "redis" : "redis, AOF always", sectionOf(result, intro));
  }
  return { ...result, missedGoals: missedGoals(result) };
}
