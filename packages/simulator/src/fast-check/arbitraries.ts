// Arbitraries for fault plans and workloads, all of plain data: they shrink towards fewer faults,
// earlier calls, the likelier fault and the shorter time, and towards fewer requests.

import fc from "fast-check";
import { faultMenu } from "../explore/fault-menu.js";
import type { Drawn, NamedWorkload, RunSpec, Scenario, Target } from "../scenarios/scenario.js";
import type { FaultAt, FaultPlan } from "../world/fault-plan.js";
import { type ProfileId, profileOf } from "../world/profile.js";
import { STORE } from "../world/store-client.js";

/** Options of `faultPlans`. */
export interface FaultPlansOptions {
  /** @defaultValue durable */
  readonly profile?: ProfileId;
  /** @defaultValue 4 */
  readonly maxFaults?: number;
  /** Calls up to this one of each link may be struck. @defaultValue 12 */
  readonly maxNth?: number;
}

/** Plans for a scenario's links. A fault whose call does not come up strikes nothing. */
export function faultPlans(
  scenario: Pick<Scenario, "targets" | "times">,
  options: FaultPlansOptions = {},
): fc.Arbitrary<FaultPlan> {
  const { profile = "durable", maxFaults = 4, maxNth = 12 } = options;
  const at = (target: Target): fc.Arbitrary<FaultAt> => {
    const { from, to, without = [] } = target;
    const menu = faultMenu({
      profile: profileOf(profile),
      times: scenario.times,
      without,
      toStore: to === STORE,
    });
    return fc
      .record({
        from: fc.constantFrom(...from),
        nth: fc.integer({ min: 1, max: maxNth }),
        fault: fc.constantFrom(...menu),
      })
      .map((drawn): FaultAt => ({ from: drawn.from, to, nth: drawn.nth, ...drawn.fault }));
  };
  return fc.array(fc.oneof(...scenario.targets.map(at)), { maxLength: maxFaults });
}

interface WithAsks {
  readonly asks: readonly { readonly atMs: number }[];
}

function hasAsks(workload: unknown): workload is WithAsks {
  return typeof workload === "object" && workload !== null && "asks" in workload;
}

/** Workloads near the named ones: some of their requests, each perhaps earlier. */
export function workloads(scenario: Pick<Scenario, "workloads">): fc.Arbitrary<Drawn> {
  return fc
    .constantFrom(...scenario.workloads.filter(({ workload }) => hasAsks(workload)))
    .chain(({ workload }: NamedWorkload) => {
      const { asks } = workload as WithAsks;
      return fc
        .record({
          asks: fc.subarray([...asks], { minLength: 1 }),
          soonerPerMille: fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: asks.length }),
        })
        .map(({ asks: some, soonerPerMille }) => ({
          drawn: {
            ...(workload as WithAsks),
            asks: some.map((ask, index) => ({
              ...ask,
              atMs: Math.round(ask.atMs * (1 - (soonerPerMille[index] ?? 0) / 1000)),
            })),
          },
        }));
    });
}

/** Whole runs: a workload, a plan, how long each message takes. */
export function runSpecs(
  scenario: Scenario,
  options: FaultPlansOptions = {},
): fc.Arbitrary<RunSpec> {
  const { profile = "durable" } = options;
  return fc.record({
    scenario: fc.constant(scenario.id),
    profile: fc.constant(profile),
    workload: fc.oneof(
      { arbitrary: fc.constantFrom(...scenario.workloads.map(({ id }) => id)), weight: 2 },
      { arbitrary: workloads(scenario), weight: 1 },
    ),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
    plan: faultPlans(scenario, options),
  });
}
