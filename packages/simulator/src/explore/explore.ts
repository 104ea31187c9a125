// Explores one workload of one scenario on one profile: the plan without faults, every plan of one
// fault, every plan of two, then random plans, as far as the budget goes.

import { type RunOptions, type RunResult, runScenario } from "../scenarios/run.js";
import type { NamedWorkload, RunSpec, Scenario } from "../scenarios/scenario.js";
import { SimulationError } from "../virtual-runtime.js";
import { mix } from "../world/choices.js";
import type { FaultPlan } from "../world/fault-plan.js";
import { type ProfileId, profileOf } from "../world/profile.js";
import type { TraceEvent } from "../world/trace.js";
import type { Column } from "./matrix.js";
import { callsOf, Menus, pairPlans, singlePlans, swarmPlan } from "./plans.js";
import { type CellTally, columnOf, type Found, Tally } from "./tally.js";

/** One part of an exploration, as plain data. */
export interface Job {
  readonly scenario: string;
  readonly profile: ProfileId;
  readonly workload: string;
  readonly seed: number;
  readonly part: Part;
  /** Takes one plan in so many, spread evenly. @defaultValue 1: all */
  readonly oneIn?: number;
  /** The share of this job when several do it: `[index, of]`. @defaultValue all of it */
  readonly share?: readonly [number, number];
}

export type Part =
  /** No fault, and every plan of one fault. */
  | { readonly part: "singles" }
  | { readonly part: "pairs" }
  /** Random plans of several faults, and random latencies. */
  | { readonly part: "swarm"; readonly plans: number };

export interface JobResult {
  readonly job: Job;
  readonly cells: readonly CellTally[];
  readonly runs: number;
  readonly events: number;
  /** False if it was stopped, or took one plan in several: then it did not try all. */
  readonly exhaustive: boolean;
  /** True if it ended before its end. */
  readonly stopped?: boolean;
  /** Runs that came to no end, at most `MAX_FAILURES`; absent if all did. */
  readonly failures?: readonly RunFailure[];
}

/** A run that could not go on: something waits that nothing will settle, or it never ends. */
export interface RunFailure {
  readonly spec: RunSpec;
  readonly message: string;
}

const MAX_FAILURES = 5;

export interface ExploreOptions extends RunOptions {
  /** Asked between runs: true ends the exploration early. */
  readonly stop?: () => boolean;
  /** Told after each run; the surprises are the violations that nothing declares. */
  readonly onRun?: (result: RunResult, spec: RunSpec, surprises: readonly Found[]) => void;
  /** Lets the host do other work between runs; called after each. */
  readonly breathe?: () => Promise<void> | undefined;
}

type Trace = readonly TraceEvent[];

interface Exploration {
  readonly scenario: Scenario;
  readonly named: NamedWorkload;
  readonly menus: Menus;
  readonly job: Job;
  /** Carries out one plan and counts it; its trace, or undefined once the exploration is to end. */
  run(plan: FaultPlan, column: Column, seed?: number): Promise<Trace | undefined>;
  /** The trace of a plan that does not count. */
  look(plan: FaultPlan): Promise<Trace>;
  /** Whether the next plan is among those that this job takes, one in so many of them. */
  takes(sample?: number): boolean;
  readonly stopped: () => boolean;
}

/** Carries out a job. The same job counts the same, unless it is stopped. */
export async function explore(
  scenario: Scenario,
  job: Job,
  options: ExploreOptions = {},
): Promise<JobResult> {
  const named = scenario.workloads.find(({ id }) => id === job.workload);
  if (named === undefined) {
    throw new TypeError(`${scenario.id} has no workload ${JSON.stringify(job.workload)}`);
  }
  const tally = new Tally(scenario);
  let runs = 0;
  let events = 0;
  let number = 0;
  let stopped = false;
  const failures: RunFailure[] = [];
  const { scenario: id, profile, workload } = job;
  const attempt = async (spec: RunSpec): Promise<RunResult | undefined> => {
    try {
      return await runScenario(scenario, spec, options);
    } catch (error) {
      if (!(error instanceof SimulationError)) {
        throw error;
      }
      if (failures.length < MAX_FAILURES) {
        failures.push({ spec, message: error.message });
      }
      return undefined;
    }
  };
  const [index, of] = job.share ?? [0, 1];
  const oneIn = job.oneIn ?? 1;
  const exploration: Exploration = {
    scenario,
    named,
    menus: new Menus(scenario, profileOf(job.profile), named),
    job,
    stopped: () => stopped,
    takes(sample = oneIn) {
      number += 1;
      // Mixed, so that a sample does not take the same fault of every call.
      return number % of === index && (sample === 1 || mix(job.seed, number) % sample === 0);
    },
    async run(plan, column, seed = job.seed) {
      stopped ||= options.stop?.() ?? false;
      if (stopped) {
        return undefined;
      }
      const spec: RunSpec = { scenario: id, profile, workload, seed, plan };
      const result = await attempt(spec);
      runs += 1;
      if (result !== undefined) {
        events += result.events;
        const surprises = tally.add(spec, column, result.violations);
        options.onRun?.(result, spec, surprises);
      }
      await options.breathe?.();
      return result?.trace ?? [];
    },
    async look(plan) {
      const spec: RunSpec = { scenario: id, profile, workload, seed: job.seed, plan };
      return (await attempt(spec))?.trace ?? [];
    },
  };
  switch (job.part.part) {
    case "singles":
      await exploreSingles(exploration);
      break;
    case "pairs":
      await explorePairs(exploration);
      break;
    case "swarm":
      await exploreSwarm(exploration, job.part.plans);
      break;
  }
  const exhaustive = !stopped && oneIn === 1 && job.part.part !== "swarm";
  return {
    job,
    cells: tally.cells,
    runs,
    events,
    exhaustive,
    ...(stopped ? { stopped } : {}),
    ...(failures.length > 0 && { failures }),
  };
}

async function exploreSingles(exploration: Exploration): Promise<void> {
  const { scenario, menus, run, takes } = exploration;
  const base = await run([], "none");
  if (base === undefined) {
    return;
  }
  for (const plan of singlePlans(callsOf(scenario, base), menus)) {
    if (takes() && (await run(plan, columnOf(plan))) === undefined) {
      return;
    }
  }
}

async function explorePairs(exploration: Exploration): Promise<void> {
  const { scenario, menus, job, run, look, takes } = exploration;
  // A sample leaves out first faults too: each costs a run that shows its calls.
  const { oneIn = 1 } = job;
  const ofFirsts = Math.floor(Math.sqrt(oneIn));
  const base = await look([]);
  for (const [at, [first]] of [...singlePlans(callsOf(scenario, base), menus)].entries()) {
    if (first === undefined || mix(job.seed, -1 - at) % ofFirsts !== 0) {
      continue;
    }
    const one = await look([first]);
    for (const plan of pairPlans(first, callsOf(scenario, one), menus)) {
      if (takes(Math.round(oneIn / ofFirsts)) && (await run(plan, "pairs")) === undefined) {
        return;
      }
    }
  }
}

async function exploreSwarm(exploration: Exploration, plans: number): Promise<void> {
  const { scenario, menus, job, run, look, takes } = exploration;
  const calls = callsOf(scenario, await look([]));
  for (let count = 0; count < plans; count += 1) {
    const seed = mix(job.seed, count) % 1_000_000_007;
    if (takes() && (await run(swarmPlan(seed, calls, menus), "swarm", seed)) === undefined) {
      return;
    }
  }
}
