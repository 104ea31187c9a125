// The cases in memory: microseconds per operation, one operation after another.

import { type Profile, profile } from "../profile.js";
import { BATCH, cases } from "./cases.js";
import { type Measured, measure, runCase } from "./measure.js";

export interface MemoryOptions {
  readonly only: string;
  readonly timeMs: number;
  readonly profiled: boolean;
  /** Takes the lines of the table as they come. */
  readonly print: (line: string) => void;
}

export interface MemoryResult {
  readonly cases: readonly (Measured & { readonly profile?: Profile })[];
  readonly missedGoals: readonly string[];
}

const SHOWN = 10;

function row({ name, medianUs, p99Us, opsPerSecond, goalUs }: Measured): string {
  const goal = goalUs === undefined ? "" : `${goalUs}${medianUs <= goalUs ? "" : " (missed)"}`;
  return [
    name.padEnd(44),
    medianUs.toFixed(2).padStart(8),
    p99Us.toFixed(2).padStart(8),
    opsPerSecond.toLocaleString("en").padStart(12),
    `  ${goal}`,
  ].join("");
}

export async function runMemory(options: MemoryOptions): Promise<MemoryResult> {
  const { only, timeMs, profiled, print } = options;
  const chosen = cases.filter(({ name }) => name.includes(only));
  const all: (Measured & { readonly profile?: Profile })[] = [];
  if (chosen.length > 0) {
    print(`In memory: one operation after another on one core, in batches of up to ${BATCH}`);
    print(`${"".padEnd(44)}  median     p99   operations  goal`);
    print(`${"".padEnd(44)}      µs      µs   per second    µs`);
  }
  for (const subject of chosen) {
    const measured = await measure(subject, timeMs);
    print(row(measured));
    const taken = profiled ? await profile(() => runCase(subject), timeMs) : undefined;
    for (const { where, percent } of taken?.functions.slice(0, SHOWN) ?? []) {
      print(`    ${percent.toFixed(1).padStart(5)} %  ${where}`);
    }
    all.push({ ...measured, ...(taken && { profile: taken }) });
  }
  const missed = all.filter(({ goalUs, medianUs }) => goalUs !== undefined && medianUs > goalUs);
  return { cases: all, missedGoals: missed.map(({ name }) => name) };
}
