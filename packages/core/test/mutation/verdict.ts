// What became of one mutant.

import type { Mutant } from "../../../simulator/src/mutants/mutant.ts";
import { attempt } from "./attempt.ts";
import { defectOf, type TestedMutant } from "./catalogue.ts";

export type Verdict =
  /** A test failed by an assertion. */
  | { readonly verdict: "killed"; readonly by: string; readonly hard: boolean }
  /** Every test passed, also with more runs: a guarantee that nobody tests. */
  | { readonly verdict: "survived" }
  /** It could not be judged: it does not load, or does not apply. It has to be mended. */
  | { readonly verdict: "broken"; readonly why: string };

// A property finds most mutants within its usual runs. One that needs luck gets more of them before
// it counts as survived, from other seeds, and always the same ones.
const TRIES = [
  { seed: 1, factor: 1, bail: true },
  { seed: 2, factor: 6, bail: false },
];
const TIMEOUT_MS = 300_000;

export async function judge(mutant: TestedMutant, all: readonly Mutant[]): Promise<Verdict> {
  const defect = defectOf(mutant, all);
  if (defect !== undefined) {
    return { verdict: "broken", why: defect };
  }
  let why: string | undefined;
  for (const [round, effort] of TRIES.entries()) {
    const tried = await attempt({
      tests: [mutant.test],
      mutant,
      timeoutMs: TIMEOUT_MS,
      ...effort,
    });
    if (!tried.ended) {
      return { verdict: "broken", why: errorIn(tried.why) };
    }
    const { report, applied } = tried;
    const killer = report.failed.find(({ judged }) => judged);
    if (!applied) {
      const never = `${mutant.test} never loads ${mutant.file}`;
      return { verdict: "broken", why: report.broken[0] ?? never };
    }
    if (killer !== undefined) {
      return { verdict: "killed", by: killer.name, hard: round > 0 };
    }
    why = [...report.broken, ...report.failed.map(({ message }) => message)][0];
    if (report.passed === 0 && report.failed.length === 0) {
      return { verdict: "broken", why: why ?? "no test ran" };
    }
  }
  return why === undefined ? { verdict: "survived" } : { verdict: "broken", why };
}

/** The line of an output that tells what went wrong. */
function errorIn(output: string): string {
  const lines = output.trim().split("\n");
  return (lines.find((line) => line.includes("Error:")) ?? lines.at(-1) ?? "").trim();
}
