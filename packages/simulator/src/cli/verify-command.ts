// `onceproof verify`: explores every scenario under faults and prints which guarantee holds where.

import type { Job } from "../explore/explore.js";
import type { Matrix } from "../explore/matrix.js";
import { scenariosFor } from "../explore/mutants.js";
import { encodeToken } from "../explore/token.js";
import {
  type Budget,
  buildMatrix,
  FULL,
  planJobs,
  QUICK,
  type Selection,
  SINGLES,
} from "../explore/verify.js";
import { loadMutants } from "../mutants/index.js";
import { describePlan } from "../report/index.js";
import { judgedOf } from "../report/judged.js";
import { counted, grouped } from "../report/words.js";
import { SCENARIOS } from "../scenarios/catalogue.js";
import type { RunSpec, Scenario } from "../scenarios/scenario.js";
import type { ProfileId } from "../world/profile.js";
import { carryOut, describeJob } from "./campaign.js";
import { INTERRUPTED, onInterrupt } from "./interrupt.js";
import { checkOutputs } from "./output-file.js";
import { ownProfiles, worldOf } from "./own-store.js";
import { openPool, type Pool } from "./pool.js";
import { lenient } from "./reports.js";
import { inOrder, mergeResults, readResults } from "./results-file.js";
import { shrinkCells } from "./smallest.js";
import { duration, paint, paintError, print, printError } from "./terminal.js";
import { UsageError } from "./usage-error.js";
import type { Shard } from "./values.js";
import { type Outcome, report } from "./verify-report.js";

export interface VerifyOptions {
  readonly quick?: boolean;
  readonly full?: boolean;
  readonly singles?: boolean;
  readonly time?: number;
  readonly jobs: number;
  readonly shard?: Shard;
  readonly seed: number;
  readonly only?: readonly Scenario[];
  readonly profile?: readonly ProfileId[];
  readonly json?: string | true;
  readonly html?: string;
  readonly markdown?: string;
  readonly merge?: readonly string[];
  readonly list?: boolean;
  readonly mutant?: string;
  /** The module of a store of the user's own. */
  readonly store?: string;
}

/** Carries the command out; returns the exit code. */
export async function verify(worker: URL, options: VerifyOptions): Promise<number> {
  if (options.list === true) {
    listScenarios(options);
    return 0;
  }
  checkOutputs(options);
  const pool = openPool({ worker, jobs: options.jobs });
  const interrupt = onInterrupt(pool.stop, pool.kill);
  try {
    const outcome =
      options.merge === undefined
        ? await exploreAll(pool, options, interrupt)
        : merge(options.merge);
    const { matrix, errors } = await judge(pool, outcome, options);
    await report(options, outcome, matrix, errors);
    return interrupt.happened
      ? INTERRUPTED
      : matrix.surprises.length > 0 || errors.length > 0
        ? 1
        : 0;
  } finally {
    await pool.close();
    interrupt.dispose();
  }
}

function listScenarios({ only = SCENARIOS, profile }: VerifyOptions): void {
  for (const { id, title, profiles, workloads, states } of only) {
    const on = profiles.filter((each) => profile?.includes(each) ?? true);
    print(`${paint.bold(id)}: ${title}`);
    print(`  profiles:   ${on.join(", ")}`);
    print(`  workloads:  ${workloads.map((each) => each.id).join(", ")}`);
    for (const { guarantee } of states) {
      print(`  guarantees: ${guarantee.id}: ${guarantee.sentence}`);
      const judged = judgedOf(guarantee.id);
      if (judged !== undefined) {
        print(`              judged: ${judged}`);
      }
    }
  }
}

function budgetOf({ quick = false, singles = false, full = false, time }: VerifyOptions): Budget {
  if (singles) {
    return SINGLES;
  }
  // With a time alone: all there is to do, as far as the time goes.
  return full || (time !== undefined && !quick) ? FULL : QUICK;
}

async function exploreAll(
  pool: Pool,
  options: VerifyOptions,
  interrupt: { readonly happened: boolean },
): Promise<Outcome> {
  const { time, shard = { index: 1, of: 1 }, seed, only = SCENARIOS, store } = options;
  const profile = store === undefined ? options.profile : ownProfiles(options.profile);
  const budget = budgetOf(options);
  const selection: Selection = {
    scenarios: only,
    ...(profile !== undefined && { profiles: profile }),
    seed,
    budget: time === undefined ? budget : { ...budget, name: `${budget.name}, ${duration(time)}` },
  };
  const mine = planJobs(selection).filter((_, at) => at % shard.of === shard.index - 1);
  const jobs = time === undefined ? mine : forDeadline(mine);
  if (options.mutant !== undefined) {
    await checkMutant(options.mutant, only);
  }
  await worldOf(store);
  if (jobs.length === 0) {
    throw new UsageError("nothing to do: no chosen scenario runs on a chosen profile");
  }
  printError(beginning(selection, jobs.length, options));
  const startedMs = performance.now();
  const deadline = time === undefined ? undefined : setTimeout(pool.halt, time);
  const campaign = await carryOut(pool, jobs, variantOf(options));
  clearTimeout(deadline);
  const { left, plans, estimate } = campaign;
  const all = grouped(Math.max(estimate, plans));
  const gap = {
    why: interrupt.happened ? "interrupted" : "out of time",
    what: `${grouped(plans)} of ≈${all} plans\n${leftText(left)}`,
  } as const;
  return {
    selection,
    ...(options.mutant !== undefined && { mutant: options.mutant }),
    shard: `${shard.index}/${shard.of}`,
    results: inOrder(selection, campaign.results),
    errors: campaign.errors,
    seconds: (performance.now() - startedMs) / 1000,
    complete: left.length === 0 && campaign.errors.length === 0 && shard.of === 1,
    ...(left.length > 0 && { gap }),
  };
}

function variantOf({ mutant, store }: VerifyOptions): { mutant?: string; store?: string } {
  return { ...(mutant !== undefined && { mutant }), ...(store !== undefined && { store }) };
}

/** Fails: UsageError for an id that no mutant has. */
async function checkMutant(id: string, chosen: readonly Scenario[]): Promise<void> {
  const mutant = (await loadMutants()).find((each) => each.id === id);
  if (mutant === undefined) {
    throw new UsageError(`no mutant is called "${id}": \`onceproof mutants --list\` lists them`);
  }
  const own = scenariosFor(id, SCENARIOS, mutant.file);
  if (!own.some((scenario) => chosen.includes(scenario))) {
    const algorithms = [...new Set(own.map(({ algorithm }) => algorithm))].join(", ");
    const text = `warning: no chosen scenario is of the mutant's algorithm (${algorithms}), so none will notice it`;
    printError(paintError.yellow(text));
  }
}

function beginning({ scenarios, seed }: Selection, count: number, options: VerifyOptions): string {
  const { jobs, mutant, store } = options;
  const variant =
    (store === undefined ? "" : `, on the store of ${store}`) +
    (mutant === undefined ? "" : ` with the mutant ${mutant}`);
  const parts = [counted(scenarios.length, "scenario"), counted(count, "job"), `seed ${seed}`];
  return `${parts.join(", ")}, ${counted(jobs, "worker")}${variant}`;
}

/** All plans of one fault first, then some of every kind of the rest. */
function forDeadline(jobs: readonly Job[]): readonly Job[] {
  const rank = ({ part, share, oneIn = 1 }: Job, at: number): number =>
    part.part === "singles"
      ? oneIn / 1000
      : part.part === "pairs"
        ? 1 + (share?.[0] ?? 0)
        : 1 + (at % 8);
  const ranked = jobs.map((job, at) => ({ job, rank: rank(job, at) }));
  return ranked.sort((one, other) => one.rank - other.rank).map(({ job }) => job);
}

const MOST_LEFT = 6;

function leftText(left: readonly Job[]): string {
  const lines = left.slice(0, MOST_LEFT).map((job) => `  not covered: ${describeJob(job)}`);
  const more = left.length - lines.length;
  return [...lines, ...(more > 0 ? [`  and ${more} more jobs`] : [])].join("\n");
}

function merge(paths: readonly string[]): Outcome {
  const files = paths.map((path) => ({ path, data: readResults(path) }));
  const merged = mergeResults(files);
  const missing = planJobs(merged.selection).length - merged.results.length;
  return {
    ...merged,
    shard: "1/1",
    ...(!merged.complete && {
      gap: { why: "not complete", what: `${missing} jobs are missing, or a part ended early` },
    }),
  };
}

interface Judged {
  readonly matrix: Matrix;
  readonly errors: readonly string[];
}

async function judge(pool: Pool, outcome: Outcome, { store }: VerifyOptions): Promise<Judged> {
  const { selection, mutant, results, seconds, complete } = outcome;
  const totals = { seconds, complete };
  const raw = buildMatrix(selection, results, totals);
  const shrunk = await shrinkCells(pool, raw, results, store === undefined ? {} : { store });
  const matrix = {
    ...buildMatrix(selection, shrunk.results, totals, shrunk.smallest),
    ...(mutant !== undefined && { mutant }),
  };
  const failures = results.flatMap((result) => result.failures ?? []);
  return {
    matrix: complete ? matrix : lenient(matrix),
    errors: [
      ...outcome.errors,
      ...shrunk.errors,
      ...failures.map(({ spec, message }) => failureText(spec, message)),
    ],
  };
}

function failureText(spec: RunSpec, message: string): string {
  return [
    `a run of ${spec.scenario} came to no end: ${message}`,
    `  plan:   ${describePlan(spec.plan)}`,
    `  replay: onceproof replay ${encodeToken(spec)}`,
  ].join("\n");
}
