// Runs to report on: one per kind of fault, and random plans by seed.
import type { DedupVariant, DedupWorkload } from "../../src/scenarios/dedup.ts";
import { DEDUP_WORKLOADS, dedupScenario } from "../../src/scenarios/dedup.ts";
import { type RunResult, runScenario } from "../../src/scenarios/run.ts";
import type { Scenario } from "../../src/scenarios/scenario.ts";
import type { FaultAt, FaultPlan, WorldFault } from "../../src/world/fault-plan.ts";
import { PROFILES, type ProfileId } from "../../src/world/profile.ts";

export interface Wanted {
  readonly profile?: ProfileId;
  readonly workload?: string;
  readonly seed?: number;
  readonly variant?: DedupVariant;
}

export function run(plan: FaultPlan, wanted: Wanted = {}): Promise<RunResult> {
  const { profile = "durable", workload = "double-click", seed = 1 } = wanted;
  const variant = wanted.variant ?? { policy: "rerun", bank: "naive" };
  const scenario = dedupScenario(variant.policy, "an order service", variant, []);
  return runScenario(scenario as Scenario<DedupWorkload> as Scenario, {
    ...{ scenario: scenario.id, profile, workload, seed, plan },
  });
}

/** Every fault, in each of its forms. */
export const FAULTS: readonly WorldFault[] = [
  { fault: "dropRequest" },
  { fault: "dropReply" },
  { fault: "holdRequest", forMs: 1_700 },
  { fault: "holdReply", forMs: 150 },
  { fault: "holdReply", forMs: 1_700 },
  { fault: "duplicate", afterMs: 600 },
  { fault: "refuse" },
  { fault: "crash", phase: "send", forMs: 500 },
  { fault: "crash", phase: "reply", forMs: 3_000 },
  { fault: "pause", phase: "send", forMs: 1_800 },
  { fault: "pause", phase: "reply", forMs: 1_800 },
  { fault: "suspend", phase: "send", forMs: 1_800 },
  { fault: "suspend", phase: "reply", forMs: 1_800 },
  { fault: "cut", legs: "requests", forMs: 900 },
  { fault: "cut", legs: "replies", forMs: 900 },
  { fault: "cut", legs: "both", forMs: 900 },
  { fault: "jumpClock", byMs: -5_000 },
  { fault: "jumpStoreClock", byMs: -4_000 },
  { fault: "restartStore", phase: "arrive", loses: 1 },
  { fault: "restartStore", phase: "apply", loses: 2 },
  { fault: "failover", phase: "arrive", loses: 1, lagMs: 0 },
  { fault: "failover", phase: "apply", loses: 2, lagMs: 3_000 },
  { fault: "evict" },
  { fault: "staleReads", forMs: 2_000 },
];

/** A run in which this fault strikes api-1's nth call to the store. */
export function runWith(fault: WorldFault, nth = 2, wanted: Wanted = {}): Promise<RunResult> {
  return run([{ from: "api-1", to: "store", nth, ...fault }], wanted);
}

/** Runs of random plans: `count` of them, the same ones each time. */
export async function* randomRuns(
  count: number,
): AsyncGenerator<{ readonly name: string; readonly result: RunResult }> {
  const policies = ["rerun", "park", "verify"] as const;
  const banks = ["naive", "childKey", "fenced"] as const;
  for (let seed = 1; seed <= count; seed += 1) {
    const draw = drawing(seed);
    const plan = Array.from({ length: 1 + draw(4) }, (): FaultAt => {
      const fault = FAULTS[draw(FAULTS.length)]!;
      const atBank = draw(4) === 0;
      return {
        from: draw(2) === 0 ? "api-1" : "api-2",
        to: atBank ? "bank" : "store",
        nth: 1 + draw(atBank ? 2 : 5),
        ...fault,
      };
    });
    const wanted: Wanted = {
      profile: PROFILES[draw(PROFILES.length)]!.id,
      workload: DEDUP_WORKLOADS[draw(DEDUP_WORKLOADS.length)]!.id,
      seed,
      variant: { policy: policies[draw(3)]!, bank: banks[draw(3)]! },
    };
    const result = await run(plan, wanted);
    yield { name: `${JSON.stringify(wanted)} ${JSON.stringify(plan)}`, result };
  }
}

function drawing(seed: number): (below: number) => number {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
