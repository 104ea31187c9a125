// Verification as a whole: which jobs a budget asks for, and the matrix that their results make.
// Pure: whoever carries the jobs out, in one process or in several, gets the same matrix.

import type { Loss, Scenario, Stated } from "../scenarios/scenario.js";
import type { ProfileId } from "../world/profile.js";
import type { Job, JobResult } from "./explore.js";
import { mainProfile } from "./main-profile.js";
import {
  type Cell,
  type CellVerdict,
  COLUMNS,
  type Column,
  type Matrix,
  type MatrixRow,
} from "./matrix.js";
import type { CellTally, Found } from "./tally.js";
import { encodeToken } from "./token.js";

/** How much is explored. */
export interface Budget {
  readonly name: string;
  /** One plan of one fault in so many, on a scenario's main profile (`durable`) and on the others. */
  readonly singlesOneIn: { readonly durable: number; readonly others: number };
  /** One plan of two faults in so many, on the main profile; 0 for none. */
  readonly pairsOneIn: number;
  /** Random plans for each workload and profile. */
  readonly swarm: number;
}

/** A sample that takes seconds. */
export const QUICK: Budget = {
  name: "quick",
  singlesOneIn: { durable: 6, others: 80 },
  pairsOneIn: 5_000,
  swarm: 6,
};

/** Every plan of one fault on every profile, and a sample of the others: minutes. */
export const SINGLES: Budget = {
  name: "singles",
  singlesOneIn: { durable: 1, others: 1 },
  pairsOneIn: 200,
  swarm: 30,
};

/** Everything that can be enumerated: hours, or `--shard`s of it. */
export const FULL: Budget = {
  name: "full",
  singlesOneIn: { durable: 1, others: 1 },
  pairsOneIn: 1,
  swarm: 2_000,
};

export interface Selection {
  readonly scenarios: readonly Scenario[];
  /** @defaultValue all that each scenario runs on */
  readonly profiles?: readonly ProfileId[];
  readonly seed: number;
  readonly budget: Budget;
}

// A job of pairs is the longest; in shares it spreads over processes and tells progress.
const PAIR_SHARES = 8;

/** The jobs of a budget: what finds most first. */
export function planJobs({ scenarios, profiles, seed, budget }: Selection): readonly Job[] {
  const bases = scenarios.flatMap((scenario) =>
    scenario.profiles
      .filter((profile) => profiles === undefined || profiles.includes(profile))
      .flatMap((profile) =>
        scenario.workloads.map(({ id }) => ({
          scenario: scenario.id,
          profile,
          workload: id,
          seed,
        })),
      ),
  );
  const mains = new Map(scenarios.map((scenario) => [scenario.id, mainProfile(scenario)]));
  const isMain = (base: Pick<Job, "scenario" | "profile">): boolean =>
    mains.get(base.scenario) === base.profile;
  const durable = bases.filter(isMain);
  const singles = bases.map((base): Job => {
    const { singlesOneIn } = budget;
    const oneIn = isMain(base) ? singlesOneIn.durable : singlesOneIn.others;
    return { ...base, part: { part: "singles" }, oneIn };
  });
  const swarm = bases.map(
    (base): Job => ({ ...base, part: { part: "swarm", plans: budget.swarm } }),
  );
  const pairs =
    budget.pairsOneIn === 0
      ? []
      : durable.flatMap((base): Job[] => {
          const part = { part: "pairs" } as const;
          const job: Job = { ...base, part, oneIn: budget.pairsOneIn };
          return budget.pairsOneIn > 1
            ? [job]
            : Array.from({ length: PAIR_SHARES }, (_, at) => ({
                ...job,
                share: [at, PAIR_SHARES] as const,
              }));
        });
  return [...singles, ...(budget.swarm > 0 ? swarm : []), ...pairs];
}

export interface Totals {
  readonly seconds: number;
  readonly complete: boolean;
}

/** The matrix that results make. `smallest` gives the shrunk form of what a cell found. */
export function buildMatrix(
  selection: Selection,
  results: readonly JobResult[],
  totals: Totals,
  smallest: ReadonlyMap<string, Found> = new Map(),
): Matrix {
  const jobs = planJobs(selection);
  const rows = selection.scenarios.flatMap((scenario) =>
    scenario.profiles
      .filter((profile) => selection.profiles?.includes(profile) ?? true)
      .flatMap((profile) => {
        const own = (job: Job): boolean => job.scenario === scenario.id && job.profile === profile;
        const found = results.filter(({ job }) => own(job));
        const planned = jobs.filter(own);
        return scenario.states.map((stated) =>
          rowOf(scenario, profile, stated, { found, planned, smallest }),
        );
      }),
  );
  return {
    rows,
    seed: selection.seed,
    runs: sum(results.map(({ runs }) => runs)),
    events: sum(results.map(({ events }) => events)),
    seconds: totals.seconds,
    budget: selection.budget.name,
    complete: totals.complete,
    surprises: rows.flatMap(({ cells }) =>
      cells.filter(({ verdict }) => verdict === "violated" || verdict === "notFound"),
    ),
  };
}

interface Ground {
  readonly found: readonly JobResult[];
  readonly planned: readonly Job[];
  readonly smallest: ReadonlyMap<string, Found>;
}

function rowOf(
  scenario: Scenario,
  profile: ProfileId,
  stated: Stated,
  { found, planned, smallest }: Ground,
): MatrixRow {
  const { guarantee, losses = [] } = stated;
  const drafts = COLUMNS.map((column) => {
    const tallies = found.flatMap(({ cells }) =>
      cells.filter((cell) => cell.guarantee === guarantee.id && cell.column === column),
    );
    return { column, tallies };
  });
  const missing = losses.filter(
    (loss) => loss.mustBeFound && isHere(loss, profile) && !wasFound(loss, drafts),
  );
  const cells = drafts.map(({ column, tallies }): Cell => {
    const here = losses.filter((loss) => isHere(loss, profile) && coversColumn(loss, column));
    const cell = {
      scenario: scenario.id,
      guarantee: guarantee.id,
      profile,
      column,
      plans: sum(tallies.map(({ plans }) => plans)),
      violations: sum(tallies.map(({ violations }) => violations)),
      exhaustive: isExhaustive(column, found, planned),
    };
    const verdict = verdictOf(cell.plans, tallies, here, missing);
    const first =
      smallest.get(cellKey(cell)) ?? firstOf(tallies, "surprise") ?? firstOf(tallies, "declared");
    const why = here[0]?.why;
    return {
      ...cell,
      verdict,
      ...(why !== undefined && { why }),
      ...(first !== undefined && {
        smallest: { how: first.how, spec: first.spec, token: encodeToken(first.spec) },
      }),
    };
  });
  return {
    scenario: scenario.id,
    scenarioTitle: scenario.title,
    algorithm: scenario.algorithm,
    guarantee: guarantee.id,
    sentence: guarantee.sentence,
    profile,
    cells,
  };
}

/** Names a cell among all. */
export function cellKey(cell: Pick<Cell, "scenario" | "guarantee" | "profile" | "column">): string {
  return `${cell.scenario} ${cell.guarantee} ${cell.profile} ${cell.column}`;
}

function verdictOf(
  plans: number,
  tallies: readonly CellTally[],
  here: readonly Loss[],
  missing: readonly Loss[],
): CellVerdict {
  if (tallies.some(({ surprise }) => surprise !== undefined)) {
    return "violated";
  }
  if (plans === 0) {
    return "untried";
  }
  if (tallies.some(({ violations }) => violations > 0)) {
    return "lost";
  }
  if (here.some((loss) => missing.includes(loss))) {
    return "notFound";
  }
  return here.length > 0 ? "notLost" : "holds";
}

function isHere(loss: Loss, profile: ProfileId): boolean {
  return loss.profiles === undefined || loss.profiles.includes(profile);
}

/** A column of several faults may meet every class. */
function coversColumn({ faults, together = [] }: Loss, column: Column): boolean {
  if (column === "pairs" || column === "swarm") {
    return true;
  }
  return together.length < 2 && (faults === undefined || faults.includes(column));
}

/** Whether a violation was found among the plans of one fault that the loss speaks of. */
function wasFound(
  loss: Loss,
  drafts: readonly { readonly column: Column; readonly tallies: readonly CellTally[] }[],
): boolean {
  const tried = drafts.filter(({ column }) => coversColumn(loss, column));
  return (
    tried.every(({ tallies }) => tallies.every(({ plans }) => plans === 0)) ||
    tried.some(({ tallies }) => tallies.some(({ violations }) => violations > 0))
  );
}

function isExhaustive(
  column: Column,
  found: readonly JobResult[],
  planned: readonly Job[],
): boolean {
  const part = column === "pairs" ? "pairs" : column === "swarm" ? "swarm" : "singles";
  const of = planned.filter((job) => job.part.part === part);
  const done = found.filter(({ job }) => job.part.part === part);
  return of.length > 0 && done.length === of.length && done.every(({ exhaustive }) => exhaustive);
}

function firstOf(tallies: readonly CellTally[], kind: "surprise" | "declared"): Found | undefined {
  return tallies.find((tally) => tally[kind] !== undefined)?.[kind];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
