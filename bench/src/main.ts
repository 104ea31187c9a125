// `npm run bench`: what operations cost, in memory and on stores beside bare commands and peers.

import { missing } from "@onceproof/test-servers";
import { CannotMeasure } from "./compare/comparison.js";
import { runMemory } from "./memory/run.js";
import { chooses, choosesNothing } from "./names.js";
import { readOptions } from "./options.js";
import type { ServedName } from "./stores.js";

const options = readOptions(process.argv.slice(2));
const mistake = choosesNothing(options.only, options.store);
if (mistake !== undefined) {
  console.error(mistake);
  process.exit(2);
}
const print = (line: string): void => {
  if (!options.json) {
    console.log(line);
  }
};

print(`Node ${process.version}`);
const results: Record<string, { readonly missedGoals: readonly string[] }> = {};
if (options.store.includes("memory")) {
  const { only, time: timeMs = 1_000, profile: profiled } = options;
  results.memory = await runMemory({ only, timeMs, profiled, print });
}
const served = options.store.filter((store): store is ServedName => store !== "memory");
for (const store of served.filter((each) => chooses(options.only, each))) {
  const lacking = store === "sqlite" ? undefined : missing(store);
  try {
    if (lacking !== undefined) {
      throw new CannotMeasure(lacking);
    }
    // Not before: mistakes are told at once, without every library that takes part.
    const { measuredStore } = await import("./stores.js");
    const { measureStore } = await import("./compare/measure-store.js");
    results[store] = await measureStore(measuredStore(store, options), options, print);
  } catch (error) {
    if (!(error instanceof CannotMeasure)) {
      throw error;
    }
    console.error(`Nothing was measured on ${store}: ${error.message}.`);
    process.exitCode = 2;
  }
}
if (options.json) {
  console.log(JSON.stringify({ node: process.version, ...results }, null, 2));
}
const missed = Object.values(results).flatMap(({ missedGoals }) => missedGoals);
if (options.goals && missed.length > 0) {
  console.error(`\nMissed:\n${missed.map((line) => `  ${line}`).join("\n")}`);
  process.exitCode = 1;
}
