// A world whose options or faults can't be meant is refused: a fault that silently never strikes
// makes a test pass that shows nothing.

import { expect, it } from "vitest";
import { Menus } from "../../src/explore/plans.ts";
import { SCENARIOS } from "../../src/scenarios/catalogue.ts";
import { checkFaultPlan } from "../../src/world/check-options.ts";
import { PROFILES } from "../../src/world/profile.ts";
import { createWorld } from "../../src/world/world.ts";
import { quietWorld } from "./stage.ts";

const call = { from: "n", to: "store", nth: 1 };
type Options = Parameters<typeof createWorld>[0];

it.each<[string, unknown, RegExp]>([
  ["no list", { ...call, fault: "crash" }, /plan must be a list of faults/],
  ["no object", ["crash"], /plan\[0\] must be an object/],
  ["no sender", [{ to: "store", nth: 1, fault: "evict" }], /from and to must name/],
  ["the call before the first", [{ ...call, nth: 0, fault: "evict" }], /from 1 on, got 0/],
  ["half a call", [{ ...call, nth: 1.5, fault: "evict" }], /from 1 on, got 1.5/],
  ["an unknown fault", [{ ...call, fault: "crush" }], /no fault "crush": choose from dropRequest/],
  ["an inherited name", [{ ...call, fault: "toString" }], /no fault "toString"/],
  ["no phase", [{ ...call, fault: "crash", forMs: 1 }], /crash needs phase "send" or "reply", got/],
  ["another's phase", [{ ...call, fault: "failover", phase: "send" }], /"arrive" or "apply"/],
  ["no duration", [{ ...call, fault: "pause", phase: "send" }], /needs forMs, .* got undefined/],
  ["a negative one", [{ ...call, fault: "duplicate", afterMs: -1 }], /needs afterMs, .* got -1/],
  ["an optional one", [{ ...call, fault: "refuse", forMs: -1 }], /refuse needs forMs, .* got -1/],
  ["no legs", [{ ...call, fault: "cut", forMs: 1 }], /cut needs legs "requests" or/],
  ["no jump", [{ ...call, fault: "jumpClock" }], /jumpClock needs byMs/],
  ["no loss", [{ ...call, fault: "restartStore", phase: "apply" }], /needs loses/],
  ["the second entry", [{ ...call, fault: "evict" }, null], /plan\[1\] must be/],
])("refuses a plan with %s", (_, plan, message) => {
  const make = (): unknown => createWorld({ profile: "durable", plan: plan as never });
  expect(make).toThrow(message);
  expect(make).toThrow(expect.objectContaining({ name: "ArgumentError", code: "optionInvalid" }));
  expect(() => checkFaultPlan(plan)).toThrow(message);
});

it("takes every fault that the menus of the scenarios have", () => {
  let faults = 0;
  for (const scenario of SCENARIOS) {
    for (const profile of PROFILES.filter(({ id }) => scenario.profiles.includes(id))) {
      for (const workload of scenario.workloads) {
        for (const { from, to } of scenario.targets) {
          const at = { from: from[0] as string, to, nth: 1 };
          const menu = new Menus(scenario, profile, workload).of(at);
          checkFaultPlan(menu.map((fault) => ({ ...at, ...fault })));
          faults += menu.length;
        }
      }
    }
  }
  expect(faults).toBeGreaterThan(1_000);
});

it.each<[string, object, RegExp]>([
  ["a typing error", { plna: [] }, /there is no option plna: choose from seed, profile/],
  ["no profile", { profile: undefined }, /profile must be one of PROFILES or its id, got undef/],
  ["an unknown profile", { profile: "mysql" }, /got "mysql": choose durable, /],
  ["a profile that is none", { profile: {} }, /profile must be one of PROFILES/],
  ["a seed", { seed: 0.5 }, /seed must be a whole number/],
  ["a timeout", { operationTimeoutMs: -1 }, /operationTimeoutMs must be .* got -1/],
  ["no latency", { latenciesMs: [] }, /latenciesMs must be a list/],
  ["a drift that stops time", { maxDrift: 1 }, /maxDrift must be below 1/],
  ["a guard", { guard: 1 }, /guard must be true or false/],
  ["no events", { maxEvents: 0 }, /maxEvents must be/],
])("refuses %s", (_, options, message) => {
  const make = (): unknown => createWorld({ profile: "durable", ...options } as Options);
  expect(make).toThrow(message);
  expect(make).toThrow(expect.objectContaining({ name: "ArgumentError", code: "optionInvalid" }));
});

it("refuses no options at all", () => {
  expect(() => createWorld(undefined as never)).toThrow(/a world needs its options/);
});

it("takes the id of a profile for the profile", async () => {
  const world = createWorld({ profile: "failover" });
  let loses: boolean | undefined;
  world.addNode("n", ({ store }) => {
    loses = store.capabilities.failoverMayLoseWrites;
  });
  await world.pass(1);
  expect(loses).toBe(true);
});

it("rejects the run when the promise of a program rejects, in each life of its node", async () => {
  const first = quietWorld();
  first.addNode("n", async ({ sleep }) => {
    await sleep(5);
    throw new RangeError("broken program");
  });
  await expect(first.pass(10)).rejects.toThrow("broken program");

  const later = quietWorld([{ ...call, fault: "crash", phase: "send", forMs: 50 }]);
  later.addNode("n", async ({ life, store }) => {
    await (life === 1 ? store.read("k") : Promise.reject(new RangeError("second life")));
  });
  await expect(later.pass(100)).rejects.toThrow("second life");

  const atOnce = quietWorld();
  atOnce.addNode("n", () => Promise.reject(new RangeError("at once")));
  await expect(atOnce.pass(1)).rejects.toThrow("at once");
  expect(() =>
    quietWorld().addNode("n", () => {
      throw new RangeError("before its first await");
    }),
  ).toThrow("before its first await");
});
