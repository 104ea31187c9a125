// `npm run bench`: what operations cost, in memory and on stores beside bare commands and peers.

import { missing } from "@onceproof/test-servers";
import { runMemory } from "./memory/run.js";
import { chooses, choosesNothing } from "./names.js";
import { readOptions } from "./options.js";
import { runRedis } from "./redis/run.js";

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
if (options.store.includes("redis") && chooses(options.only, "redis")) {
  const reason = missing("redis");
  if (reason === undefined) {
    results.redis = await runRedis(options, print);
  } else {
    console.error(`Nothing was measured on Redis: ${reason}.`);
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
