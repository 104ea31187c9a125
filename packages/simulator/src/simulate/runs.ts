// Single runs of a simulation: one that is judged, and the reference that says what is expected.

import { runScenario, type Violation } from "../scenarios/run.js";
import type { RunSpec } from "../scenarios/scenario.js";
import { SimulationError } from "../virtual-runtime.js";
import type { FaultPlan } from "../world/fault-plan.js";
import { firstDifference, type TraceEvent } from "../world/trace.js";
import { SCENARIO_ID, type Simulation } from "./judges.js";
import type { Resolved } from "./options.js";
import type { RunLog } from "./run-log.js";
import { type Schedule, scheduleId, schedulesOf } from "./stand.js";

/** One run, judged. */
export interface Ran {
  readonly spec: RunSpec;
  readonly violations: readonly Violation[];
  readonly trace: readonly TraceEvent[];
  readonly log: RunLog;
}

/**
 * Carries out one run; one that comes to no end counts as stuck.
 *
 * Fails: ArgumentError for what only a run can tell, NondeterminismError under `guard`.
 */
export async function carryOut(
  { scenario, log }: Simulation,
  { guard }: Resolved,
  spec: RunSpec,
): Promise<Ran> {
  let ran: Pick<Ran, "violations" | "trace">;
  try {
    ran = await runScenario(scenario, spec, { world: { guard } });
  } catch (error) {
    if (!(error instanceof SimulationError)) {
      throw error;
    }
    ran = { violations: [{ guarantee: "stuck", how: error.message }], trace: [] };
  }
  const { misuse } = log();
  if (misuse !== undefined) {
    throw misuse;
  }
  return { spec, violations: ran.violations, trace: ran.trace, log: log() };
}

/** The run of a schedule under a plan. */
export function specOf({ store, seed }: Resolved, schedule: Schedule, plan: FaultPlan): RunSpec {
  return { scenario: SCENARIO_ID, profile: store, workload: scheduleId(schedule), seed, plan };
}

/**
 * Makes the run without faults, whose effects every other run must have too, and sees which
 * effects are called at all.
 *
 * Cost: two runs, and one for each further kind of traffic. Fails: SimulationError when the second goes differently.
 */
export async function makeReference(simulation: Simulation, resolved: Resolved): Promise<Ran> {
  const [schedule] = resolved.traffic.flatMap(schedulesOf);
  const spec = specOf(resolved, schedule ?? { traffic: "retries", afterMs: 0 }, []);
  const reference = await carryOut(simulation, resolved, spec);
  const { trace } = await carryOut(simulation, resolved, spec);
  const difference = firstDifference(reference.trace, trace);
  if (difference !== undefined) {
    throw new SimulationError(
      "the same run went differently a second time, so that nothing found could be replayed: keep " +
        "no state outside of `services` and `start`, take time and randomness from `runtime`, and " +
        "await nothing outside of the simulation (real I/O). " +
        `First: ${difference.one ?? "the end"}; then: ${difference.other ?? "the end"}`,
    );
  }
  const calls = [...reference.log.calls];
  for (const traffic of resolved.traffic.slice(1)) {
    const [first] = schedulesOf(traffic);
    if (first !== undefined) {
      calls.push(...(await carryOut(simulation, resolved, specOf(resolved, first, []))).log.calls);
    }
  }
  const fails = reference.violations.some(({ guarantee }) => guarantee === "stuck");
  for (const [effect, { times }] of Object.entries(resolved.effects)) {
    // A handler that fails says so itself.
    if (!fails && times !== "atMostOnce" && !calls.some(({ step }) => step === effect)) {
      simulation.uncalled.add(effect);
    }
    const there = reference.log.effects.filter((each) => each.effect === effect);
    simulation.expected.set(effect, there);
  }
  return reference;
}
