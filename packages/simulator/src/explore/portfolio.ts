// The runs that a variant of core is tried with, one after the other without end: without faults, then
// in rounds a part of the plans of one fault, a few of two, and a few random ones. What depends on the
// very call that it strikes comes first, and a store that keeps everything before others. Nothing in
// it knows a mutant.

import { createRandom } from "../random.js";
import type { NamedWorkload, RunSpec, Scenario } from "../scenarios/scenario.js";
import { mix } from "../world/choices.js";
import type { CallAt, FaultPlan } from "../world/fault-plan.js";
import { type ProfileId, profileOf, TRANSACTIONAL_PROFILES } from "../world/profile.js";
import type { TraceEvent } from "../world/trace.js";
import { isSharp } from "./fault-menu.js";
import { mainProfile } from "./main-profile.js";
import { callsOf, Menus, outagePlans, singlePlans, swarmPlan } from "./plans.js";

/** A run to carry out; who asked for it gives back its trace, empty if there is none. */
export interface Trial {
  readonly scenario: Scenario;
  readonly spec: RunSpec;
}

/** Stores that keep the contract and lose nothing: there every guarantee is stated. */
export const HUNT_PROFILES: readonly ProfileId[] = [
  "durable",
  "single-key",
  "clock-back",
  ...TRANSACTIONAL_PROFILES,
];

/** How a ground is played: in so many rounds all of it is tried, and so much else in each. */
interface Pace {
  /** For faults that depend on the very call that they strike. */
  readonly sharpRounds: number;
  /** For all other faults: most do the same wherever they strike. */
  readonly rounds: number;
  readonly pairs: number;
  readonly swarm: number;
}

const FIRST: Pace = { sharpRounds: 4, rounds: 12, pairs: 4, swarm: 2 };
// Most variants show on every store, and each further one costs as much as the first.
const FURTHER: Pace = { sharpRounds: 12, rounds: 36, pairs: 2, swarm: 1 };

interface Ground {
  readonly scenario: Scenario;
  readonly workload: NamedWorkload;
  readonly profile: ProfileId;
  readonly calls: readonly CallAt[];
  readonly menus: Menus;
  readonly singles: readonly FaultPlan[];
  /** Those to be tried first: of one fault, and of a lost answer with an outage behind it. */
  readonly sharp: readonly FaultPlan[];
  readonly pace: Pace;
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
      const all = [...singlePlans(calls, menus)];
      const singles = all.filter(([fault]) => fault !== undefined && !isSharp(fault));
      const sharp = all.filter(([fault]) => fault !== undefined && isSharp(fault));
      // On the stores with transactions there are few grounds, and each shows what the other cannot.
      const first = profile === mainProfile(scenario) || TRANSACTIONAL_PROFILES.includes(profile);
      const pace = first ? FIRST : FURTHER;
      const cost = trace.length;
      const ground = { scenario, workload, profile, calls, menus, pace, cost };
      grounds.push({ ...ground, singles, sharp: [...sharp, ...outagePlans(calls, menus)] });
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
  const { scenario, profile, calls, menus, singles, sharp, pace } = ground;
  const spec = (plan: FaultPlan, ofSeed: number): Trial => ({
    scenario,
    spec: { scenario: scenario.id, profile, workload: ground.workload.id, seed: ofSeed, plan },
  });
  for (const [plans, rounds] of [
    [sharp, pace.sharpRounds],
    [singles, pace.rounds],
  ] as const) {
    for (const [number, plan] of plans.entries()) {
      // Mixed, so that a round takes neither the same fault of every call nor, of scenarios that are
      // alike, the same plans.
      if (mix(mix(seed, at), number) % rounds === round) {
        yield spec(plan, seed);
      }
    }
  }
  const random = createRandom(salt, 31);
  const pick = <T>(list: readonly T[]): T | undefined => list[random.int(0, list.length - 1)];
  for (let count = 0; count < pace.pairs && singles.length > 1; count += 1) {
    const one = pick(count % 4 === 0 ? sharp : singles)?.[0];
    // By turns what strikes what is sent next, often the same once more, and what strikes anything.
    const next = one && { from: one.from, to: one.to, nth: one.nth + 1 };
    const fault = next && pick(menus.of(next));
    const other = count % 2 === 0 && fault ? { ...next, ...fault } : pick(singles)?.[0];
    yield spec(
      [one, other].filter((each) => each !== undefined),
      seed,
    );
  }
  for (let count = 0; count < pace.swarm; count += 1) {
    const drawn = mix(salt, count) % 1_000_000_007;
    yield spec(swarmPlan(drawn, calls, menus), drawn);
  }
  // The same questions with other latencies.
  yield spec([], mix(salt, pace.swarm) % 1_000_000_007);
}
