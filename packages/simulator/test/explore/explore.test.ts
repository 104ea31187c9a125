// Enumeration, tally, shrinking and the matrix, on a scenario whose faults are known by hand.

import { describe, expect, test } from "vitest";
import { explore, type Job } from "../../src/explore/explore.ts";
import { classOf, faultMenu } from "../../src/explore/fault-menu.ts";
import { callsOf, Menus, pairPlans, singlePlans, swarmPlan } from "../../src/explore/plans.ts";
import { shrink } from "../../src/explore/shrink.ts";
import { decodeToken, encodeToken } from "../../src/explore/token.ts";
import { buildMatrix, planJobs, type Selection } from "../../src/explore/verify.ts";
import { runScenario } from "../../src/scenarios/run.ts";
import type { Loss, RunSpec } from "../../src/scenarios/scenario.ts";
import { profileOf } from "../../src/world/profile.ts";
import { toyScenario } from "./toy-scenario.ts";

const toy = toyScenario();
const times = toy.times;
const durable = profileOf("durable");
const job: Job = {
  scenario: toy.id,
  profile: "durable",
  workload: "one",
  seed: 1,
  part: { part: "singles" },
};
const spec: RunSpec = { ...job, plan: [] };

const menusOf = (workload: string): Menus =>
  new Menus(toy, durable, toy.workloads.find(({ id }) => id === workload)!);

const key = (plan: unknown): string => JSON.stringify(plan);

describe("the menu of faults", () => {
  test("names no fault twice", () => {
    for (const toStore of [true, false]) {
      const menu = faultMenu({ profile: durable, times, toStore, long: true });
      expect(new Set(menu.map(key)).size).toBe(menu.length);
    }
  });

  test("has the store's own faults only for calls to a store that suffers them", () => {
    const classes = (id: "durable" | "clock-back", toStore: boolean): string[] => [
      ...new Set(faultMenu({ profile: profileOf(id), times, toStore }).map(({ fault }) => fault)),
    ];
    expect(classes("durable", false)).not.toContain("restartStore");
    expect(classes("durable", true)).not.toContain("jumpStoreClock");
    expect(classes("clock-back", true)).toContain("jumpStoreClock");
  });

  test("leaves out what a link is spared", () => {
    const menu = faultMenu({ profile: durable, times, toStore: true, without: ["duplicate"] });
    expect(menu.map(({ fault }) => fault)).not.toContain("duplicate");
  });

  test("holds beyond the retention only where a workload lasts so long", () => {
    const longest = (long: boolean): number =>
      Math.max(
        ...faultMenu({ profile: durable, times, toStore: true, long }).map((fault) =>
          "forMs" in fault ? fault.forMs : 0,
        ),
      );
    expect(longest(false)).toBeLessThan(times.retentionMs);
    expect(longest(true)).toBeGreaterThan(times.retentionMs + times.tombstoneMs);
  });
});

describe("plans", () => {
  test("of one fault: each fault of the menu at each call of the scenario's links, once", async () => {
    const { trace } = await runScenario(toy, { ...spec, workload: "two" });
    const calls = callsOf(toy, trace);
    expect(calls).toEqual([{ from: "api-1", to: "sink", nth: 1 }]);
    const plans = [...singlePlans(calls, menusOf("two"))];
    expect(plans).toHaveLength(faultMenu({ profile: durable, times, toStore: false }).length);
    expect(new Set(plans.map(key)).size).toBe(plans.length);
  });

  test("of two faults: each unordered pair once, later calls of the faulty run included", async () => {
    const menus = menusOf("one");
    const { trace } = await runScenario(toy, spec);
    const all: unknown[] = [];
    for (const [first] of singlePlans(callsOf(toy, trace), menus)) {
      const one = await runScenario(toy, { ...spec, plan: [first!] });
      all.push(...pairPlans(first!, callsOf(toy, one.trace), menus));
    }
    const unordered = all.map((plan) => (plan as unknown[]).map(key).sort().join(" + "));
    expect(new Set(unordered).size).toBe(all.length);
    expect(all).toContainEqual([
      { from: "api-1", to: "sink", nth: 1, fault: "dropRequest" },
      { from: "api-1", to: "sink", nth: 2, fault: "dropReply" },
    ]);
  });

  test("of several: the same seed draws the same plan, and seeds differ", async () => {
    const calls = callsOf(toy, (await runScenario(toy, spec)).trace);
    const draw = (seed: number): string => key(swarmPlan(seed, calls, menusOf("one")));
    expect(draw(5)).toBe(draw(5));
    expect(new Set([1, 2, 3, 4, 5, 6].map(draw)).size).toBeGreaterThan(3);
  });
});

describe("exploration", () => {
  test("finds the lost reply that makes the retry count twice, and counts its plans", async () => {
    const { cells, exhaustive } = await explore(toy, job);
    const cell = cells.find(
      ({ guarantee, column }) => guarantee === "toy/at-most-once" && column === "messages",
    );
    expect(exhaustive).toBe(true);
    expect(cell?.violations).toBeGreaterThan(0);
    const plans = cells.filter(({ guarantee }) => guarantee === "toy/at-most-once");
    const menu = faultMenu({ profile: durable, times, toStore: false });
    expect(plans.reduce((sum, { plans: count }) => sum + count, 0)).toBe(1 + menu.length);
    for (const fault of menu) {
      expect(plans.map(({ column }) => column)).toContain(classOf(fault));
    }
  });

  test("in shares tries what it tries in one", async () => {
    const pairs: Job = { ...job, part: { part: "pairs" } };
    const whole = await explore(toy, pairs);
    const shares = await Promise.all(
      [0, 1, 2].map((at) => explore(toy, { ...pairs, share: [at, 3] })),
    );
    const count = (results: readonly { runs: number }[]): number =>
      results.reduce((sum, { runs }) => sum + runs, 0);
    expect(whole.runs).toBeGreaterThan(300);
    expect(count(shares)).toBe(whole.runs);
  });

  test("of one in so many takes about so many, the same each time, and is not exhaustive", async () => {
    const pairs: Job = { ...job, part: { part: "pairs" } };
    const whole = await explore(toy, pairs);
    const [one, again] = await Promise.all([1, 2].map(() => explore(toy, { ...pairs, oneIn: 4 })));
    expect(one).toEqual(again);
    expect(one?.exhaustive).toBe(false);
    expect(one?.runs).toBeGreaterThan(whole.runs / 8);
    expect(one?.runs).toBeLessThan(whole.runs / 2);
  });

  test("that is stopped says that it did not try all", async () => {
    let left = 5;
    const { runs, exhaustive } = await explore(toy, job, {
      stop: () => {
        left -= 1;
        return left < 0;
      },
    });
    expect({ runs, exhaustive }).toEqual({ runs: 5, exhaustive: false });
  });
});

test("a plan of four faults shrinks to the one that is needed, at its easiest", async () => {
  const at = { from: "api-1", to: "sink" };
  const plan = [
    { ...at, nth: 1, fault: "jumpClock", byMs: 600 },
    { ...at, nth: 1, fault: "holdRequest", forMs: 600 },
    { ...at, nth: 2, fault: "holdReply", forMs: 90 },
    { ...at, nth: 9, fault: "dropReply" },
  ] as const;
  const small = await shrink(toy, { spec: { ...spec, plan }, how: "" }, "toy/at-most-once");
  expect(small.spec.plan).toEqual([{ ...at, nth: 1, fault: "holdRequest", forMs: 150 }]);
  expect(small.how).toBe("api-1 was counted twice");
});

describe("a replay token", () => {
  const long: RunSpec = {
    ...spec,
    plan: [{ from: "api-1", to: "sink", nth: 1, fault: "pause", phase: "send", forMs: 600 }],
    tape: [1, 2, 3],
  };

  test("stands for its run", () => {
    const { scenario, profile, workload, seed, plan, tape } = long;
    expect(decodeToken(encodeToken(long))).toEqual({
      scenario,
      profile,
      workload,
      seed,
      plan,
      tape,
    });
  });

  test("holds any text", () => {
    const drawn = { asks: [{ client: "Zoë 😀", atMs: 0 }] };
    const spoken = decodeToken(encodeToken({ ...long, workload: { drawn } }));
    expect(spoken.workload).toEqual({ drawn });
  });

  test("that is cut off or of another version is refused, with what to do", () => {
    const token = encodeToken(long);
    for (const bad of [token.slice(0, -9), `op9.${token.slice(4)}`, "", "op1.", "op1.!!!"]) {
      expect(() => decodeToken(bad)).toThrow(/no replay token/);
    }
  });
});

describe("a token of what cannot be run", () => {
  const [fault] = [{ from: "api-1", to: "sink", nth: 1, fault: "holdReply", forMs: 600 }];
  const broken: readonly [unknown, RegExp][] = [
    [{ plan: [{ ...fault, fault: "explode" }] }, /no fault "explode"/],
    [{ plan: [{ ...fault, fault: "pause" }] }, /pause needs phase/],
    [{ plan: [{ ...fault, forMs: undefined }] }, /holdReply needs forMs/],
    [{ plan: [{ ...fault, forMs: -5 }] }, /from 0 on, got -5/],
    [{ plan: [{ ...fault, nth: 0 }] }, /from 1 on, got 0/],
    [{ profile: "postgres" }, /no store profile "postgres"/],
  ];
  test.each(broken)("%j is refused with what is wrong", (change, expected) => {
    const token = encodeToken({ ...spec, ...(change as Partial<RunSpec>) });
    expect(() => decodeToken(token)).toThrow(expected);
  });
});

describe("the matrix", () => {
  const matrixOf = async (losses: readonly Loss[], lossesOfReached: readonly Loss[] = []) => {
    const scenario = toyScenario(losses, lossesOfReached);
    const budget = {
      name: "test",
      singlesOneIn: { durable: 1, others: 1 },
      pairsOneIn: 0,
      swarm: 0,
    };
    const selection: Selection = { scenarios: [scenario], seed: 1, budget };
    const results = await Promise.all(planJobs(selection).map((each) => explore(scenario, each)));
    return buildMatrix(selection, results, { seconds: 1, complete: true });
  };
  const cellOf = (
    matrix: Awaited<ReturnType<typeof matrixOf>>,
    guarantee: string,
    column: string,
  ) =>
    matrix.rows
      .find((row) => row.guarantee === guarantee && row.profile === "durable")
      ?.cells.find((cell) => cell.column === column);

  test("tells a violation that nothing declares, with its token", async () => {
    const matrix = await matrixOf([]);
    const cell = cellOf(matrix, "toy/at-most-once", "messages");
    expect(cell).toMatchObject({ verdict: "violated", exhaustive: true });
    expect(matrix.surprises).toContain(cell);
    const { spec: found, token } = cell!.smallest!;
    expect(decodeToken(token).plan).toEqual(found.plan);
  });

  test("tells a declared loss as lost, where it was found, and holds elsewhere", async () => {
    const loss: Loss = {
      faults: ["messages", "pauses", "crashes"],
      mustBeFound: true,
      why: "no key",
    };
    const matrix = await matrixOf([loss]);
    expect(cellOf(matrix, "toy/at-most-once", "messages")).toMatchObject({
      verdict: "lost",
      why: "no key",
    });
    expect(cellOf(matrix, "toy/at-most-once", "none")?.verdict).toBe("holds");
    expect(cellOf(matrix, "toy/at-most-once", "pairs")?.verdict).toBe("untried");
  });

  test("is surprised when a declared violation is not found", async () => {
    const loss: Loss = { faults: ["clocks"], mustBeFound: true, why: "it says so" };
    const matrix = await matrixOf([], [loss]);
    const cell = cellOf(matrix, "toy/reached", "clocks");
    expect(cell?.verdict).toBe("notFound");
    expect(matrix.surprises).toContain(cell);
  });

  test("is not surprised when what may be lost is not", async () => {
    const loss: Loss = { faults: ["clocks"], mustBeFound: false, why: "it may" };
    const matrix = await matrixOf([], [loss]);
    expect(cellOf(matrix, "toy/reached", "clocks")?.verdict).toBe("notLost");
  });
});
