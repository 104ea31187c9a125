// Plans of one and of two faults, enumerated over the calls that a run really makes, and random
// plans of several.

import { createRandom } from "../random.js";
import type { NamedWorkload, Scenario, Target } from "../scenarios/scenario.js";
import type { CallAt, FaultAt, FaultPlan, WorldFault } from "../world/fault-plan.js";
import type { StoreProfile } from "../world/profile.js";
import { STORE } from "../world/store-client.js";
import type { TraceEvent } from "../world/trace.js";
import { faultMenu, type MenuOptions } from "./fault-menu.js";

/** The calls of a run that a scenario lets be struck, in the order of their sending. */
export function callsOf(scenario: Scenario, trace: readonly TraceEvent[]): readonly CallAt[] {
  const calls: CallAt[] = [];
  for (const event of trace) {
    if (event.type === "healed") {
      break;
    }
    if (event.type !== "sent") {
      continue;
    }
    const { from, to, nth } = event;
    if (targetOf(scenario, from, to) !== undefined) {
      calls.push({ from, to, nth });
    }
  }
  return calls;
}

/** The menus of one scenario's workload on one profile, by link. */
export class Menus {
  readonly #scenario: Scenario;
  readonly #options: Omit<MenuOptions, "toStore" | "without">;
  readonly #byTarget = new Map<Target, readonly WorldFault[]>();

  constructor(scenario: Scenario, profile: StoreProfile, workload: NamedWorkload) {
    this.#scenario = scenario;
    this.#options = { profile, times: scenario.times, long: workload.long ?? false };
  }

  of({ from, to }: CallAt): readonly WorldFault[] {
    const target = targetOf(this.#scenario, from, to);
    if (target === undefined) {
      return [];
    }
    let menu = this.#byTarget.get(target);
    if (menu === undefined) {
      const { without = [] } = target;
      menu = faultMenu({ ...this.#options, without, toStore: to === STORE });
      this.#byTarget.set(target, menu);
    }
    return menu;
  }
}

function targetOf({ targets }: Scenario, from: string, to: string): Target | undefined {
  return targets.find((target) => target.to === to && target.from.includes(from));
}

/** Every plan of one fault for these calls. */
export function* singlePlans(calls: readonly CallAt[], menus: Menus): Generator<FaultPlan> {
  for (const call of calls) {
    for (const fault of menus.of(call)) {
      yield [{ ...call, ...fault }];
    }
  }
}

/** For each call: it is carried out, its answer is lost, and then its link is down for a while. */
export function* outagePlans(calls: readonly CallAt[], menus: Menus): Generator<FaultPlan> {
  for (const call of calls) {
    const menu = menus.of(call);
    const lost = menu.find(({ fault }) => fault === "dropReply");
    const down = menu.filter((each) => each.fault === "refuse" && each.forMs !== undefined).at(-1);
    if (lost !== undefined && down !== undefined) {
      yield [
        { ...call, ...lost },
        { ...call, nth: call.nth + 1, ...down },
      ];
    }
  }
}

/**
 * Every plan that adds a second fault to this one: at the same call (each combination once) or at a
 * later call of the run that the first fault leads to.
 */
export function* pairPlans(
  first: FaultAt,
  callsThen: readonly CallAt[],
  menus: Menus,
): Generator<FaultPlan> {
  const at = callsThen.findIndex((call) => sameCall(call, first));
  if (at === -1) {
    return;
  }
  const menu = menus.of(first);
  const position = menu.findIndex((fault) => isFault(first, fault));
  for (const fault of menu.slice(position + 1)) {
    if (fault.fault !== first.fault) {
      yield [first, { ...pickCall(first), ...fault }];
    }
  }
  for (const call of callsThen.slice(at + 1)) {
    for (const fault of menus.of(call)) {
      yield [first, { ...call, ...fault }];
    }
  }
}

/** A random plan of 2 to 6 faults among these calls and a few later ones. */
export function swarmPlan(seed: number, calls: readonly CallAt[], menus: Menus): FaultPlan {
  const random = createRandom(seed, 77);
  const faults: FaultAt[] = [];
  for (let left = random.int(2, 6); left > 0 && calls.length > 0; left -= 1) {
    const call = calls[random.int(0, calls.length - 1)];
    if (call === undefined) {
      continue;
    }
    const menu = menus.of(call);
    const fault = menu[random.int(0, menu.length - 1)];
    if (fault !== undefined) {
      // Faults make calls that a run without them does not have.
      faults.push({ ...call, nth: call.nth + random.int(0, 3), ...fault });
    }
  }
  return faults;
}

function sameCall(one: CallAt, other: CallAt): boolean {
  return one.from === other.from && one.to === other.to && one.nth === other.nth;
}

function pickCall({ from, to, nth }: CallAt): CallAt {
  return { from, to, nth };
}

function isFault(at: FaultAt, fault: WorldFault): boolean {
  return Object.entries(fault).every(
    ([name, value]) => (at as unknown as Record<string, unknown>)[name] === value,
  );
}
