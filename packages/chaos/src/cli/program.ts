// Carries out a command line, and says by its exit code what came of it.
import { existsSync, readdirSync } from "node:fs";
import { missing } from "@onceproof/test-servers";
import { CommanderError } from "commander";
import picocolors from "picocolors";
import { asDeclared, lossyFailover } from "../failover/lossy-failover.js";
import { judgeRun, readFacts } from "../oracles/judge.js";
import type { Verdict } from "../oracles/violation.js";
import { allFaults, defaultFaults } from "../run/faults.js";
import { type ChaosReport, runChaos } from "../run/run-chaos.js";
import type { StoreKind } from "../stores/store-kind.js";
import { storeKind } from "../stores/store-kinds.js";
import { workloadNames } from "../workloads/workloads.js";
import { createProgram, type Options } from "./arguments.js";
import { progressOn } from "./progress.js";
import { type FailoverRun, failoverText, summaryText, violationsText } from "./summary.js";

const HELD = 0;
const VIOLATED = 1;
const BAD_USAGE = 2;
const INTERRUPTED = 130;
const MINUTE_MS = 60_000;
const DEFAULT_CALLS = 20_000;
const DEFAULT_MINUTES = 0.5;
const ECHO_MS = 500;

/** Carries out a command line; returns the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  const program = createProgram();
  try {
    program.parse(args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? HELD : BAD_USAGE;
    throw error;
  }
  if (program.args.length > 0) return badUsage(`unknown: ${program.args.join(" ")}`);
  const options = program.opts<Options>();
  if (options.judge !== undefined) return judgeAgain(options.judge, options.json === true);
  if (options.failover) return failover(options.json === true);
  const kind = storeKind(options.store);
  const known = allFaults(kind);
  const wrong = (options.faults ?? []).find((fault) => !known.includes(fault));
  if (wrong !== undefined) {
    return badUsage(`--faults: ${kind.name} has no "${wrong}"; there are ${known.join(", ")}`);
  }
  const idle = (options.workloads ?? []).find((name) => !workloadNames.includes(name));
  if (idle !== undefined) {
    return badUsage(`--workloads: there is no "${idle}"; there are ${workloadNames.join(", ")}`);
  }
  if (options.keep !== undefined && existsSync(options.keep) && readdirSync(options.keep)[0]) {
    return badUsage(`--keep: ${options.keep} is not empty, and two runs must not be mixed`);
  }
  const reason = whyNot(kind, options.faults ?? []);
  if (reason !== undefined) return badUsage(reason);
  return run(options);
}

function whyNot(kind: StoreKind, faults: readonly string[]): string | undefined {
  return kind.missing() ?? (faults.includes("jump") ? missing("clock-shim") : undefined);
}

function badUsage(message: string): number {
  process.stderr.write(`${picocolors.red(`error: ${message}`)}\n`);
  return BAD_USAGE;
}

async function judgeAgain(folder: string, json: boolean): Promise<number> {
  let verdict: Verdict;
  try {
    verdict = await judgeRun(folder);
  } catch (error) {
    return badUsage(`${folder} holds no kept run: ${(error as Error).message}`);
  }
  const text = json
    ? JSON.stringify({ ...readFacts(folder), ...verdict }, undefined, 2)
    : violationsText(verdict);
  process.stdout.write(`${text}\n`);
  return verdict.violations.length === 0 ? HELD : VIOLATED;
}

async function failover(json: boolean): Promise<number> {
  const reason = missing("redis");
  if (reason !== undefined) return badUsage(reason);
  const runs = [
    { title: "The promoted clock is ahead", behindMs: 0 },
    // Only a clock that can be moved is behind.
    ...(missing("clock-shim") === undefined
      ? [{ title: "The promoted clock is a minute behind", behindMs: 60_000 }]
      : []),
  ];
  const seen: (FailoverRun & { readonly title: string })[] = [];
  for (const { title, behindMs } of runs) {
    const observations = await lossyFailover({ behindMs });
    seen.push({ title, observations });
  }
  const text = json ? JSON.stringify(seen, undefined, 2) : seen.map(failoverText).join("\n\n");
  process.stdout.write(`${text}\n`);
  return seen.every(({ observations }) => asDeclared(observations)) ? HELD : VIOLATED;
}

async function run(options: Options): Promise<number> {
  const kind = storeKind(options.store);
  const faults = options.faults ?? defaultFaults(kind);
  const { seed, processes, broken, workloads, keep, minutes, json } = options;
  const stop = new AbortController();
  stopOnSignals(stop);
  const show = progressOn(process.stderr);
  const report = await runChaos({
    kind,
    seed,
    faults,
    processes: Math.max(1, processes),
    broken,
    workloads,
    keep,
    calls: options.ops ?? (minutes === undefined ? DEFAULT_CALLS : 0),
    forMs: (minutes ?? (options.ops === undefined ? DEFAULT_MINUTES : 0)) * MINUTE_MS,
    signal: stop.signal,
    onProgress: show.update,
  });
  show.end();
  const facts = { store: kind.name, seed, processes, faults, broken };
  const text = json
    ? JSON.stringify({ ...facts, ...report }, undefined, 2)
    : summaryText(report, facts);
  process.stdout.write(`${text}\n`);
  return exitCode(report);
}

/** The first Ctrl-C ends the run and is told what there is, the second ends the process. */
function stopOnSignals(stop: AbortController): void {
  let firstMs = 0;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      // Who forwards a signal to a group may send it twice at once.
      if (stop.signal.aborted && performance.now() - firstMs > ECHO_MS) process.exit(INTERRUPTED);
      firstMs = stop.signal.aborted ? firstMs : performance.now();
      stop.abort();
    });
  }
}

function exitCode({ violations, interrupted }: ChaosReport): number {
  if (violations.length > 0) return VIOLATED;
  return interrupted ? INTERRUPTED : HELD;
}
