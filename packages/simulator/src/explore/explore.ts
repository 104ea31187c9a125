// Explores one workload of one scenario on one profile: the plan without faults, every plan of one
// fault, every plan of two, then random plans, as far as the budget goes.

import { type RunOptions, type RunResult, runScenario } from "../scenarios/run.js";
import type { NamedWorkload, RunSpec, Scenario } from "../scenarios/scenario.js";
import { mix } from "../world/choices.js";
import type { FaultPlan } from "../world/fault-plan.js";
import { type ProfileId, profileOf } from "../world/profile.js";
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
}

export interface ExploreOptions extends RunOptions {
  /** Asked between runs: true ends the exploration early. */
  readonly stop?: () => boolean;
  /** Told after each run; the surprises are the violations that nothing declares. */
  readonly onRun?: (result: RunResult, spec: RunSpec, surprises: readonly Found[]) => void;
  /** Lets the host do other work between runs; called after each. */
  readonly breathe?: () => Promise<void> | undefined;
}

interface Exploration {
  readonly scenario: Scenario;
  readonly named: NamedWorkload;
  readonly menus: Menus;
  readonly job: Job;
  /** Carries out one plan and counts it; undefined once the exploration is to end. */
  run(plan: FaultPlan, column: Column, seed?: number): Promise<RunResult | undefined>;
  /** Whether the plan of this number is among those that this job takes. */
  takes(): boolean;
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
  const [index, of] = job.share ?? [0, 1];
  const oneIn = job.oneIn ?? 1;
  const exploration: Exploration = {
    scenario,
    named,
    menus: new Menus(scenario, profileOf(job.profile), named),
    job,
    stopped: () => stopped,
    takes() {
      number += 1;
      // Mixed, so that a sample does not take the same fault of every call.
      return number % of === index && (oneIn === 1 || mix(job.seed, number) % oneIn === 0);
    },
    async run(plan, column, seed = job.seed) {
      stopped ||= options.stop?.() ?? false;
      if (stopped) {
        return undefined;
      }
      const { scenario: id, profile, workload } = job;
      const spec: RunSpec = { scenario: id, profile, workload, seed, plan };
      const result = await runScenario(scenario, spec, options);
      runs += 1;
      events += result.events;
      const surprises = tally.add(spec, column, result.violations);
      options.onRun?.(result, spec, surprises);
      await options.breathe?.();
      return result;
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
  return { job, cells: tally.cells, runs, events, exhaustive };
}

async function exploreSingles(exploration: Exploration): Promise<void> {
  const { scenario, menus, run, takes } = exploration;
  const base = await run([], "none");
  if (base === undefined) {
    return;
  }
  for (const plan of singlePlans(callsOf(scenario, base.trace), menus)) {
    if (takes() && (await run(plan, columnOf(plan))) === undefined) {
      return;
    }
  }
}

async function explorePairs(exploration: Exploration): Promise<void> {
  const { scenario, menus, job, run, takes } = exploration;
  const spec = { ...job, plan: [] as FaultPlan };
  const base = await runScenario(scenario, spec);
  for (const [first] of singlePlans(callsOf(scenario, base.trace), menus)) {
    if (first === undefined) {
      continue;
    }
    const one = await runScenario(scenario, { ...spec, plan: [first] });
    for (const plan of pairPlans(first, callsOf(scenario, one.trace), menus)) {
      if (takes() && (await run(plan, "pairs")) === undefined) {
        return;
      }
    }
  }
}

async function exploreSwarm(exploration: Exploration, plans: number): Promise<void> {
  const { scenario, menus, job, run, takes } = exploration;
  const base = await runScenario(scenario, { ...job, plan: [] });
  const calls = callsOf(scenario, base.trace);
  for (let count = 0; count < plans; count += 1) {
    const seed = mix(job.seed, count) % 1_000_000_007;
    if (takes() && (await run(swarmPlan(seed, calls, menus), "swarm", seed)) === undefined) {
      return;
    }
  }
}
