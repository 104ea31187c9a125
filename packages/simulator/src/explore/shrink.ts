// Makes a violating run smaller: fewer faults, then shorter ones, as long as the same guarantee is
// still violated.

import { type RunOptions, runScenario } from "../scenarios/run.js";
import type { RunSpec, Scenario } from "../scenarios/scenario.js";
import type { FaultPlan, WorldFault } from "../world/fault-plan.js";
import { profileOf } from "../world/profile.js";
import { faultMenu } from "./fault-menu.js";
import type { Found } from "./tally.js";

/** The smallest violating run that removing and easing faults leads to. */
export async function shrink(
  scenario: Scenario,
  found: Found,
  guarantee: string,
  options: RunOptions = {},
): Promise<Found> {
  let smallest = found;
  const still = async (plan: FaultPlan): Promise<boolean> => {
    const spec: RunSpec = { ...smallest.spec, plan };
    const { violations } = await runScenario(scenario, spec, options);
    const violation = violations.find((each) => each.guarantee === guarantee);
    if (violation !== undefined) {
      smallest = { spec, how: violation.how };
    }
    return violation !== undefined;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (let index = smallest.spec.plan.length - 1; index >= 0; index -= 1) {
      const { plan } = smallest.spec;
      changed ||= await still(plan.filter((_, at) => at !== index));
    }
  }
  for (const [index, fault] of smallest.spec.plan.entries()) {
    for (const eased of easier(scenario, smallest.spec, fault)) {
      const plan = smallest.spec.plan.map((each, at) =>
        at === index ? { from: fault.from, to: fault.to, nth: fault.nth, ...eased } : each,
      );
      if (await still(plan)) {
        break;
      }
    }
  }
  return smallest;
}

/** Faults of the same name that come before this one in the menu: shorter, fewer. */
function easier(scenario: Scenario, { profile }: RunSpec, fault: WorldFault): WorldFault[] {
  const menu = faultMenu({ profile: profileOf(profile), times: scenario.times, toStore: true });
  const same = menu.filter((each) => each.fault === fault.fault);
  const lengthOf = (each: WorldFault): number =>
    "forMs" in each
      ? each.forMs
      : "afterMs" in each
        ? each.afterMs
        : "loses" in each
          ? each.loses
          : 0;
  return same.filter((each) => lengthOf(each) < lengthOf(fault));
}
