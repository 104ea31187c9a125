// One run of vitest in a process of its own, with or without a mutant.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Mutant } from "../../../simulator/src/mutants/mutant.ts";
import { packageRoot } from "./catalogue.ts";
import type { RunReport } from "./reporter.ts";

const vitest = join(
  dirname(createRequire(import.meta.url).resolve("vitest/package.json")),
  "vitest.mjs",
);
const config = fileURLToPath(new URL("vitest.config.ts", import.meta.url));

export interface Attempt {
  readonly tests: readonly string[];
  readonly mutant?: Mutant;
  /** The seed of every property, so that a run of the mutants repeats exactly. */
  readonly seed: number;
  /** How many times the usual number of runs. */
  readonly factor: number;
  /** Stop at the first failure. */
  readonly bail: boolean;
  readonly timeoutMs: number;
}

export type Attempted =
  | { readonly ended: true; readonly report: RunReport; readonly applied: boolean }
  | { readonly ended: false; readonly why: string };

export async function attempt(options: Attempt): Promise<Attempted> {
  const folder = mkdtempSync(join(tmpdir(), "onceproof-mutant-"));
  const path = join(folder, "report.json");
  try {
    const output = await runVitest(options, path);
    if (!existsSync(path)) {
      return { ended: false, why: output };
    }
    const report = JSON.parse(readFileSync(path, "utf8")) as RunReport;
    return { ended: true, report, applied: existsSync(`${path}.applied`) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// A mutant may loop for ever in a worker, which outlives the runner that is killed: each runner
// leads a process group of its own, and what is left of that group ends with it.
const groups = new Set<number>();

function endGroup(pid: number | undefined): void {
  if (pid === undefined || !groups.delete(pid)) {
    return;
  }
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing is left of it.
  }
}

process.on("exit", () => {
  for (const pid of [...groups]) {
    endGroup(pid);
  }
});
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.on(signal, () => process.exit(code));
}

/** Resolves with the last lines of output when the process has ended, or was ended. */
function runVitest(options: Attempt, path: string): Promise<string> {
  const { tests, mutant, seed, factor, bail, timeoutMs } = options;
  const { ONCEPROOF_MUTANT: _, ...inherited } = process.env;
  const env = {
    ...inherited,
    NO_COLOR: "1",
    FORCE_COLOR: "0",
    ONCEPROOF_SEED: `${seed}`,
    ONCEPROOF_RUNS: `${factor}`,
    ONCEPROOF_MUTANT_REPORT: path,
    ...(mutant !== undefined && { ONCEPROOF_MUTANT: JSON.stringify(mutant) }),
  };
  const args = [vitest, "run", "--config", config, ...(bail ? ["--bail", "1"] : []), ...tests];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: packageRoot,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    if (child.pid !== undefined) {
      groups.add(child.pid);
    }
    let output = "";
    const keep = (chunk: Buffer): void => {
      output = `${output}${chunk.toString()}`.slice(-4_000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    const timer = setTimeout(() => {
      output += `\nended after ${timeoutMs / 1000} s`;
      endGroup(child.pid);
    }, timeoutMs);
    child.on("error", reject);
    child.on("exit", () => endGroup(child.pid));
    child.on("close", () => {
      clearTimeout(timer);
      resolve(output);
    });
  });
}
