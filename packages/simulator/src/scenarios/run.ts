// One run of one scenario: set up a world, let the clients ask under the fault plan, heal, ask the
// last questions, judge.

import * as coreIndex from "@onceproof/core";
import * as coreAdvanced from "@onceproof/core/advanced";
import { ArgumentError } from "@onceproof/core/advanced";
import { type ChoiceSource, tapeChoices } from "../world/choices.js";
import type { FaultPlan } from "../world/fault-plan.js";
import type { History } from "../world/history.js";
import { profileOf } from "../world/profile.js";
import { withStandingRows } from "../world/standing-rows.js";
import type { TraceEvent } from "../world/trace.js";
import { createWorld, type WorldOptions } from "../world/world.js";
import type { CoreModule, RunSpec, Scenario } from "./scenario.js";

/** The real core. */
export const REAL_CORE: CoreModule = { ...coreIndex, ...coreAdvanced };

/** How a run is carried out, beside what is run. */
export interface RunOptions {
  /** @defaultValue the real core */
  readonly core?: CoreModule;
  readonly choices?: ChoiceSource;
  readonly world?: Partial<WorldOptions>;
}

/** A guarantee that a run violated. */
export interface Violation {
  readonly guarantee: string;
  /** How, in one line. */
  readonly how: string;
}

export interface RunResult {
  readonly violations: readonly Violation[];
  readonly history: History;
  readonly trace: readonly TraceEvent[];
  /** The faults that found their call and struck. */
  readonly struck: FaultPlan;
  /** How many calls each link carried, by `from to`. */
  readonly counts: ReadonlyMap<string, number>;
  readonly events: number;
}

/** Carries out one run. The same spec gives the same result, on every machine. */
export async function runScenario(
  scenario: Scenario,
  spec: RunSpec,
  options: RunOptions = {},
): Promise<RunResult> {
  const workload = workloadOf(scenario, spec);
  const { core = REAL_CORE } = options;
  const { times } = scenario;
  const choices = options.choices ?? (spec.tape === undefined ? undefined : tapeChoices(spec.tape));
  const profile = profileOf(spec.profile);
  const world = createWorld({
    profile,
    seed: spec.seed,
    plan: spec.plan,
    operationTimeoutMs: times.operationTimeoutMs,
    tombstoneMs: times.tombstoneMs,
    steps: core,
    ...(choices !== undefined && { choices }),
    ...options.world,
  });
  const acts = scenario.play({ world, core, profile, workload });
  await world.run(acts.main);
  // Healing ends a pause early; a long one does its harm only if it lasts.
  do {
    await world.pass(world.restlessMs + times.operationTimeoutMs);
  } while (world.restlessMs > 0);
  world.heal();
  await world.pass(HEAL_LEASES * times.leaseMs);
  await world.run(acts.settle());
  world.recorder.finding("lives", world.lives);
  const { rows } = world;
  const told = world.recorder.history;
  const history = rows === undefined ? told : withStandingRows(told, rows);
  const violations: Violation[] = [];
  for (const { guarantee } of scenario.states) {
    const how = guarantee.judge(history, { times, workload });
    if (how !== undefined) {
      violations.push({ guarantee: guarantee.id, how });
    }
  }
  return {
    violations,
    history,
    trace: world.trace,
    struck: world.struck,
    counts: world.counts,
    events: world.events,
  };
}

function workloadOf(scenario: Scenario, { workload }: RunSpec): unknown {
  if (typeof workload !== "string") {
    return workload.drawn;
  }
  const named = scenario.workloads.find(({ id }) => id === workload);
  if (named === undefined) {
    throw new ArgumentError(
      "optionInvalid",
      `${scenario.id} has no workload ${JSON.stringify(workload)}: choose one of ` +
        scenario.workloads.map(({ id }) => id).join(", "),
    );
  }
  return named.workload;
}

/** After healing, what stands from before has this many leases to end by itself. */
const HEAL_LEASES = 2;
