// The portfolio that mutants are hunted with: it comes to every plan of one fault, knows no mutant,
// and what is put beyond its reach is neither a textbook mistake nor one that is gone.

import { expect, test } from "vitest";
import { mutants } from "../../mutants/catalogue.ts";
import { beyond, hunt, scenariosFor } from "../../src/explore/mutants.ts";
import { callsOf, Menus, singlePlans } from "../../src/explore/plans.ts";
import { HUNT_PROFILES, portfolio } from "../../src/explore/portfolio.ts";
import { loadCore } from "../../src/mutants/index.ts";
import { SCENARIOS } from "../../src/scenarios/catalogue.ts";
import { runScenario } from "../../src/scenarios/run.ts";
import { profileOf } from "../../src/world/profile.ts";

const fence = SCENARIOS.filter(({ algorithm }) => algorithm === "fence");

test("every mutant that is beyond reach exists, and is no textbook or subtle mistake", () => {
  for (const id of Object.keys(beyond)) {
    const mutant = mutants.find((each) => each.id === id);
    expect(mutant, id).toBeDefined();
    expect([mutant?.textbook, mutant?.subtle], id).toEqual([undefined, undefined]);
  }
  expect(mutants.length - Object.keys(beyond).length).toBeGreaterThanOrEqual(80);
});

test("a mutant is hunted by its algorithm, and what all share by all", () => {
  expect(scenariosFor("fence/forgets", SCENARIOS)).toEqual(fence);
  expect(scenariosFor("shared/ids-repeat", SCENARIOS)).toEqual(SCENARIOS);
  const users = scenariosFor("shared/elapsed", SCENARIOS, "src/shared/time.ts");
  expect([...new Set(users.map(({ algorithm }) => algorithm))]).toEqual(["lock"]);
  expect(scenariosFor("shared/of-no-table", SCENARIOS, "src/shared/hash.ts")).toEqual(SCENARIOS);
});

test("the portfolio begins without faults and comes to every single fault once", async () => {
  const trials = portfolio(fence, 3);
  const singles: string[] = [];
  const first: number[] = [];
  let next = trials.next([]);
  for (let count = 0; count < 6_000 && next.done !== true; count += 1) {
    const { scenario, spec } = next.value;
    if (first.length < 3) {
      first.push(spec.plan.length);
    }
    if (spec.plan.length === 1 && spec.seed === 3) {
      singles.push(JSON.stringify(spec));
    }
    const looking = spec.plan.length === 0;
    next = trials.next(looking ? (await runScenario(scenario, spec)).trace : []);
  }
  expect(first).toEqual([0, 0, 0]);
  expect(new Set(singles).size).toBe(singles.length);
  const all: string[] = [];
  for (const profile of HUNT_PROFILES.filter((id) => fence[0]!.profiles.includes(id))) {
    for (const workload of fence[0]!.workloads) {
      const base = { scenario: fence[0]!.id, profile, workload: workload.id, seed: 3 };
      const { trace } = await runScenario(fence[0]!, { ...base, plan: [] });
      const menus = new Menus(fence[0]!, profileOf(profile), workload);
      for (const plan of singlePlans(callsOf(fence[0]!, trace), menus)) {
        all.push(JSON.stringify({ ...base, plan }));
      }
    }
  }
  expect(all.length).toBeGreaterThan(500);
  expect(singles.sort()).toEqual(all.sort());
});

test("a hunt with the same seed tries the same plans and finds the same run", async () => {
  const correct = await loadCore(undefined);
  const mutant = "fence/no-answer-is-an-admission";
  const options = { mutant, core: await loadCore(mutant), correct, seed: 1, budget: 4_000 };
  const [one, again] = [await hunt(fence, options), await hunt(fence, options)];
  expect(one).toEqual(again);
  expect(one.killed?.by).toBe("violation");
  expect(one.killed?.spec.plan.length).toBeGreaterThan(0);
});

test("what core as it is does too kills no mutant", async () => {
  const core = await loadCore("fence/off-by-one");
  const options = { mutant: "fence/off-by-one", core, correct: core, seed: 1, budget: 40 };
  expect(await hunt(fence, options)).toEqual({ mutant: "fence/off-by-one", plans: 40 });
});
