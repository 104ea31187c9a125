import { describe, expect, test } from "vitest";
import { fenceScenario } from "../../src/scenarios/fence.ts";
import { operationsOf, returnedBy } from "../../src/scenarios/recorded.ts";
import { runScenario } from "../../src/scenarios/run.ts";
import type { History } from "../../src/world/history.ts";
import {
  cellsOf,
  expectRepeatable,
  expectSettledUnderFaults,
  quietRun,
  shapeProblems,
} from "./recorded-shape.ts";

const scenario = fenceScenario("gates", "tokens reach two gates in any order", []);

/** Each admission: resource, token, answer. */
function admissions(history: History): readonly string[] {
  return operationsOf(history, "fence.admit").map((each) => {
    const returned = returnedBy(each);
    const newest = returned?.outcome === "stale" ? ` beside ${returned.newest}` : "";
    return `${each.key} ${each.input.token} ${returned?.outcome}${newest}`;
  });
}

/** What is told whatever comes first; those asked at once are left out. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  holders: [
    "r1 8 admitted",
    "r1 7 stale beside 8",
    "r1 7 stale beside 8",
    "r1 9 admitted",
    "r1 8 stale beside 9",
  ],
  race: ["r1 16 admitted", "r1 15 stale beside 16"],
  falling: [
    "r1 23 admitted",
    "r1 22 stale beside 23",
    "r1 24 admitted",
    "r1 23 stale beside 24",
    "r2 3 admitted",
    "r2 2 stale beside 3",
  ],
};
const AT_ONCE: Readonly<Record<string, number>> = { holders: 2, race: 5, falling: 5 };

describe("the scenario of the fence", () => {
  test.each(cellsOf(scenario))("without faults: $workload on $profile", async (cell) => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const { history } = await quietRun(scenario, cell, seed);
      const what = `seed ${seed}`;
      expect(shapeProblems(history), what).toEqual([]);
      const told = admissions(history);
      const first = AT_ONCE[cell.workload];
      expect(told.slice(first), what).toEqual(EXPECTED[cell.workload]);
      // The newest of those asked at once is admitted, whatever came first.
      const newest = { holders: "r1 8", race: "r1 15", falling: "r1 22" }[cell.workload];
      expect(told.slice(0, first), what).toContain(`${newest} admitted`);
    }
  });

  test("runs the same again", async () => {
    await expectRepeatable(scenario);
  });

  test("settles under single faults, and records as documented", async () => {
    const struck = await expectSettledUnderFaults(scenario, 200);
    for (const fault of ["dropReply", "duplicate", "crash", "pause", "jumpClock", "failover"]) {
      expect(struck).toContain(fault);
    }
  });

  test("asks again at the other gate when no answer comes", async () => {
    const { history } = await runScenario(scenario, {
      scenario: scenario.id,
      profile: "durable",
      workload: "holders",
      seed: 1,
      plan: [{ from: "gate-2", to: "store", nth: 1, fault: "cut", legs: "both", forMs: 1_800 }],
    });
    const asked = operationsOf(history, "fence.admit").filter(({ input }) => input.token === 8);
    expect(asked.map(({ by }) => by)).toEqual(["gate-2", "gate-1", "gate-1", "last"]);
    expect(asked[0]?.answer).toMatchObject({ threw: { code: "unavailable" } });
  });
});
