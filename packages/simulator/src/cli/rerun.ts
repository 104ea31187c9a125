// Carries out the run of a spec once more, with its mutant if it has one, and keeps what happened even
// if it comes to no end.

import { MAX_EVENTS } from "../explore/mutants.js";
import { loadCore } from "../mutants/index.js";
import { scenarioOf } from "../scenarios/catalogue.js";
import { type RunOptions, runScenario, type Violation } from "../scenarios/run.js";
import type { RunSpec, Scenario } from "../scenarios/scenario.js";
import { SimulationError } from "../virtual-runtime.js";
import type { FaultPlan } from "../world/fault-plan.js";
import type { TraceEvent } from "../world/trace.js";
import type { World } from "../world/world.js";
import { worldOf } from "./own-store.js";

export interface Rerun {
  readonly scenario: Scenario;
  readonly trace: readonly TraceEvent[];
  readonly struck: FaultPlan;
  readonly violations: readonly Violation[];
  readonly events: number;
  /** Why it came to no end; absent if it did. */
  readonly stuck?: string;
}

/** `store` is the module of a store of the user's own. */
export async function rerun(spec: RunSpec, store?: string): Promise<Rerun> {
  const scenario = scenarioOf(spec.scenario);
  let world: World | undefined;
  const watched: Scenario = {
    ...scenario,
    play(stage) {
      world = stage.world;
      return scenario.play(stage);
    },
  };
  const own = await worldOf(store);
  const options: RunOptions =
    spec.mutant === undefined
      ? { world: own }
      : { core: await loadCore(spec.mutant), world: { ...own, maxEvents: MAX_EVENTS } };
  try {
    const { trace, struck, violations, events } = await runScenario(watched, spec, options);
    return { scenario, trace, struck, violations, events };
  } catch (error) {
    if (world === undefined || !(error instanceof SimulationError || spec.mutant !== undefined)) {
      throw error;
    }
    const { trace, struck, events } = world;
    const stuck = error instanceof Error ? error.message : String(error);
    return { scenario, trace, struck, violations: [], events, stuck };
  }
}

export function workloadName({ workload }: RunSpec): string {
  return typeof workload === "string" ? workload : "drawn at random";
}
