// The runs that a variant of core is tried with, one after the other without end: without faults, then
// in rounds a part of the plans of one fault, a few of two, and a few random ones. Nothing in it knows
// a mutant.

import { createRandom } from "../random.js";
import type { NamedWorkload, RunSpec, Scenario } from "../scenarios/scenario.js";
import { mix } from "../world/choices.js";
import type { CallAt, FaultPlan } from "../world/fault-plan.js";
import { type ProfileId, profileOf } from "../world/profile.js";
import type { TraceEvent } from "../world/trace.js";
import { callsOf, Menus, singlePlans, swarmPlan } from "./plans.js";

/** A run to carry out; who asked for it gives back its trace, empty if there is none. */
export interface Trial {
  readonly scenario: Scenario;
  readonly spec: RunSpec;
}

/** Stores that keep the contract and lose nothing: there every guarantee is stated. */
export const HUNT_PROFILES: readonly ProfileId[] = ["durable", "single-key", "clock-back"];

/** After so many rounds every plan of one fault was tried. */
const ROUNDS = 12;
const PAIRS_A_ROUND = 4;
const SWARM_A_ROUND = 2;

interface Ground {
  readonly scenario: Scenario;
  readonly workload: NamedWorkload;
  readonly profile: ProfileId;
  readonly calls: readonly CallAt[];
  readonly menus: Menus;
  readonly singles: readonly FaultPlan[];
  readonly cost: number;
}

type Trials<R = void> = Generator<Trial, R, readonly TraceEvent[]>;

/** All trials: what is cheapest to run first. Ends only if no scenario has a fitting profile. */
export function* portfolio(scenarios: readonly Scenario[], seed: number): Trials {
  const grounds: Ground[] = [];
  for (const profile of HUNT_PROFILES) {
    const opened = yield* openGrounds(scenarios, profile, seed);
    grounds.push(...opened.sort((one, other) => one.cost - other.cost));
  }
  for (let round = 0; grounds.length > 0; round += 1) {
    for (const [at, ground] of grounds.entries()) {
      yield* playRound(ground, { seed, round, at });
    }
  }
}

/** The runs without faults, of which each ground learns its calls. */
function* openGrounds(
  scenarios: readonly Scenario[],
  profile: ProfileId,
  seed: number,
): Trials<Ground[]> {
  const grounds: Ground[] = [];
  for (const scenario of scenarios.filter(({ profiles }) => profiles.includes(profile))) {
    for (const workload of scenario.workloads) {
      const spec = { scenario: scenario.id, profile, workload: workload.id, seed, plan: [] };
      const trace = yield { scenario, spec };
      const calls = callsOf(scenario, trace);
      const menus = new Menus(scenario, profileOf(profile), workload);
      const singles = [...singlePlans(calls, menus)];
      grounds.push({ scenario, workload, profile, calls, menus, singles, cost: trace.length });
    }
  }
  return grounds;
}

interface Turn {
  readonly seed: number;
  readonly round: number;
  /** The place of the ground among all. */
  readonly at: number;
}

function* playRound(ground: Ground, { seed, round, at }: Turn): Trials {
  const salt = mix(seed, round * 1009 + at);
  const { scenario, profile, calls, menus, singles } = ground;
  const spec = (plan: FaultPlan, ofSeed: number): Trial => ({
    scenario,
    spec: { scenario: scenario.id, profile, workload: ground.workload.id, seed: ofSeed, plan },
  });
  if (round < ROUNDS) {
    for (const [number, plan] of singles.entries()) {
      // Mixed, so that a round takes neither the same fault of every call nor, of scenarios that are
      // alike, the same plans.
      if (mix(mix(seed, at), number) % ROUNDS === round) {
        yield spec(plan, seed);
      }
    }
  }
  const random = createRandom(salt, 31);
  for (let count = 0; count < PAIRS_A_ROUND && singles.length > 1; count += 1) {
    const [one = [], other = []] = [0, 0].map(() => singles[random.int(0, singles.length - 1)]);
    yield spec([...one, ...other], seed);
  }
  for (let count = 0; count < SWARM_A_ROUND; count += 1) {
    const drawn = mix(salt, count) % 1_000_000_007;
    yield spec(swarmPlan(drawn, calls, menus), drawn);
  }
  // The same questions with other latencies.
  yield spec([], mix(salt, SWARM_A_ROUND) % 1_000_000_007);
}
