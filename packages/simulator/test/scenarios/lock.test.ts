import { describe, expect, test } from "vitest";
import { lockScenario } from "../../src/scenarios/lock.ts";
import { acceptedBy, operationsOf, returnedBy, spansOf } from "../../src/scenarios/recorded.ts";
import { runScenario } from "../../src/scenarios/run.ts";
import type { FaultPlan } from "../../src/world/fault-plan.ts";
import type { History } from "../../src/world/history.ts";
import type { ProfileId } from "../../src/world/profile.ts";
import {
  cellsOf,
  expectRepeatable,
  expectSettledUnderFaults,
  quietRun,
  shapeProblems,
} from "./recorded-shape.ts";

const scenario = lockScenario("lease", "three workers contend for one resource", []);

/** How each acquisition ended that got the lock, in order: client, end of its span, pieces written. */
function tenures(history: History): readonly string[] {
  const acquired = operationsOf(history, "lock.acquire")
    .filter((each) => returnedBy(each)?.outcome === "acquired")
    .map((each) => {
      const span = spansOf(history, "holds").find(({ operation }) => operation === each.id);
      const printed = acceptedBy(history, "printer").filter(
        ({ operation }) => operation === each.id,
      );
      return {
        token: span?.fencingToken ?? 0,
        told: `${each.input.client} ${span?.result} ${printed.length}`,
      };
    });
  return acquired.sort((one, other) => one.token - other.token).map(({ told }) => told);
}

const LAST = "last-r1 released 2";
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  renewed: ["alice released 2", "bob released 2", LAST],
  extended: ["alice released 2", "bob released 2", "carol released 2", LAST],
  lengthened: ["alice released 3", "bob released 2", LAST],
};

const EXTENDS: ReadonlySet<string> = new Set(["extended", "lengthened"]);

describe("the scenario of the lock", () => {
  test.each(cellsOf(scenario))("without faults: $workload on $profile", async (cell) => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const { history } = await quietRun(scenario, cell, seed);
      const what = `seed ${seed}`;
      expect(shapeProblems(history), what).toEqual([]);
      const told = tenures(history);
      switch (cell.workload) {
        case "short":
          // Who comes first is left to the network.
          expect(told.slice(0, 3).sort(), what).toEqual([
            "alice released 2",
            "bob released 2",
            "carol released 2",
          ]);
          expect(told.slice(3), what).toEqual([LAST]);
          break;
        case "left":
          expect(told[0], what).toBe("alice signal 2");
          expect(told.slice(1, 3).sort(), what).toEqual(["bob released 2", "carol released 2"]);
          expect(told.slice(3), what).toEqual([LAST]);
          break;
        default:
          expect(told, what).toEqual(EXPECTED[cell.workload]);
      }
      expect(acceptedBy(history, "disk").length, what).toBe(history.effects.length / 2);
      const releases = operationsOf(history, "lock.release");
      expect(new Set(releases.map(returnedBy)), what).toEqual(new Set(["released"]));
      const extensions = operationsOf(history, "lock.extend").map(returnedBy);
      expect(extensions, what).toEqual(EXTENDS.has(cell.workload) ? ["extended", "extended"] : []);
      expect(
        spansOf(history, "holds").flatMap(({ detail }) => detail.others),
        what,
      ).toEqual([]);
    }
  });

  test("runs the same again", async () => {
    await expectRepeatable(scenario);
  });

  test("settles under single faults, and records as documented", async () => {
    const struck = await expectSettledUnderFaults(scenario, 200);
    // The draw reaches the network, the nodes, their clocks and the store.
    for (const fault of ["dropReply", "duplicate", "crash", "pause", "jumpClock", "failover"]) {
      expect(struck).toContain(fault);
    }
  });

  const struckRun = async (workload: string, plan: FaultPlan, profile: ProfileId = "durable") =>
    runScenario(scenario, { scenario: scenario.id, profile, workload, seed: 1, plan });

  test("lets a holder that was paused before it prints print beside another holder", async () => {
    const pause = { fault: "pause", phase: "send", forMs: 3_000 } as const;
    const plan = [{ from: "worker-1", to: "printer", nth: 1, ...pause }];
    const { history } = await struckRun("left", plan);
    const printed = acceptedBy(history, "printer").map(({ fencingToken = 0 }) => fencingToken);
    expect(printed).not.toEqual([...printed].sort((one, other) => one - other));
    // It saw the end as soon as it went on.
    expect(tenures(history)[0]).toBe("alice signal 1");
  });

  test("lets the disk refuse a holder whose write was under way for too long", async () => {
    const hold = { fault: "holdRequest", forMs: 3_000 } as const;
    const plan = [{ from: "worker-1", to: "disk", nth: 2, ...hold }];
    const { history } = await struckRun("left", plan);
    expect(history.effects.filter(({ accepted }) => !accepted)).toHaveLength(1);
  });

  test("lets a job be done by another worker when its holder crashed", async () => {
    const crash = { fault: "crash", phase: "send", forMs: 300 } as const;
    const plan = [{ from: "worker-1", to: "disk", nth: 1, ...crash }];
    const { history } = await struckRun("renewed", plan);
    expect(tenures(history)).toEqual([
      "alice undefined 0",
      "bob released 2",
      "alice released 2",
      LAST,
    ]);
  });

  test("notes another acquisition whose lock is held at the same moment", async () => {
    const plan = [{ from: "worker-2", to: "store", nth: 1, fault: "evict" }] as const;
    const { history } = await struckRun("renewed", plan, "evicting");
    expect(spansOf(history, "holds").map(({ detail }) => (detail.others as []).length)).toContain(
      1,
    );
  });
});
