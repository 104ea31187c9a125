// The scenario of dedup in the store's transaction: what it records without faults, that it repeats,
// and that a sample of single faults finds every guarantee kept.

import { describe, expect, test } from "vitest";
import { scenarioOf } from "../../src/scenarios/catalogue.ts";
import { operationsOf, returnedBy, spansOf } from "../../src/scenarios/recorded.ts";
import type { RunResult } from "../../src/scenarios/run.ts";
import type { ProfileId } from "../../src/world/profile.ts";
import {
  type AnyScenario,
  cellsOf,
  expectRepeatable,
  play,
  underSingleFaults,
} from "../support/scenario-runs.ts";

const scenario = scenarioOf("dedup/transaction") as unknown as AnyScenario;

const outcomes = ({ history }: RunResult): string[] =>
  operationsOf(history, "dedup.transaction").map((call) => {
    const returned = returnedBy(call);
    const mode = returned && "exactlyOnce" in returned && returned.exactlyOnce ? " once" : "";
    return `${call.by} ${call.key} ${returned?.outcome}${mode}`;
  });

const rows = ({ history }: RunResult): string[] =>
  history.effects.map(({ sink, key }) => `${sink} ${key}`).sort();

const runs = ({ history }: RunResult): number => spansOf(history, "handler").length;

describe("without faults", () => {
  test.each(cellsOf(scenario))("$workload on $profile violates nothing", async (cell) => {
    for (let seed = 1; seed <= 5; seed += 1) {
      const { violations } = await play(scenario, cell.workload, cell.profile, seed);
      expect(violations, `seed ${seed}`).toEqual([]);
    }
  });

  test("a duplicate waits for the first: its handler does not run", async () => {
    const result = await play(scenario, "double-click", "transactional", 1);
    const told = outcomes(result).map((line) => line.replace(/api-\d /, ""));
    expect(told.slice(0, 2).sort()).toEqual(["k1 executed once", "k1 replayed once"]);
    expect(told[2]).toBe("k1 replayed once");
    expect([rows(result), runs(result)]).toEqual([["charges k1"], 1]);
  });

  test("where nobody waits, both run and one commits", async () => {
    const result = await play(scenario, "double-click", "transactional-optimistic", 1);
    expect([rows(result), runs(result)]).toEqual([["charges k1"], 2]);
    const told = outcomes(result).map((line) => line.replace(/api-\d /, ""));
    expect(told.slice(0, 2).sort()).toEqual(["k1 executed once", "k1 replayed once"]);
  });

  test("a duplicate outlasts a lock that is held for longer than one wait", async () => {
    const result = await play(scenario, "slow", "transactional", 1);
    expect(outcomes(result)[1]).toBe("api-2 k1 replayed once");
    const refused = result.trace.filter(
      (event) => event.type === "arrived" && event.outcome === "contended",
    );
    expect(refused.length).toBeGreaterThan(0);
  });

  test("two keys that lock each other's rows meet a deadlock, and both settle", async () => {
    const deadlocks = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(async (seed) => {
        const result = await play(scenario, "transfers", "transactional", seed);
        expect(rows(result)).toEqual(["charges k1", "charges k1", "charges k2", "charges k2"]);
        expect(outcomes(result).slice(0, 2).sort()).toEqual([
          "api-1 k1 executed once",
          "api-2 k2 executed once",
        ]);
        return runs(result) > 2;
      }),
    );
    expect(deadlocks).toContain(true);
  });

  test("attempts without a transaction are waited for, and taken over", async () => {
    const result = await play(scenario, "mixed", "transactional", 1);
    expect(outcomes(result).slice(0, 4).sort()).toEqual([
      "api-1 k1 executed",
      "api-1 k2 threw",
      "api-2 k1 replayed",
      "api-2 k2 executed",
    ]);
    expect(rows(result)).toEqual(["charges k2"]);
  });
});

test("runs the same again", () => expectRepeatable(scenario));

test.each(scenario.profiles)("keeps every guarantee under single faults on %s", async (profile) => {
  const struck = new Set<string>();
  const only = { ...scenario, profiles: [profile] as ProfileId[] };
  await underSingleFaults(only, 110, (result, what) => {
    expect(result.violations, what).toEqual([]);
    for (const { fault } of result.struck) {
      struck.add(fault);
    }
  });
  for (const fault of ["dropReply", "duplicate", "crash", "pause", "disconnect", "restartStore"]) {
    expect([...struck]).toContain(fault);
  }
});
