// A database that shows its tables is judged by what stands in them, not by what it was told.
import { createMemoryStore } from "@onceproof/core";
import { expect, test } from "vitest";
import { scenarioOf } from "../../src/scenarios/catalogue.ts";
import { type RunOptions, runScenario } from "../../src/scenarios/run.ts";
import { profileOf } from "../../src/world/profile.ts";
import { type MakeDatabase, serveStore } from "../../src/world/served-store.ts";
import type { StandingRow } from "../../src/world/standing-rows.ts";
import { createWorld } from "../../src/world/world.ts";

/** A store in memory with a table that takes no part in its transactions. */
const database =
  (keep: (row: StandingRow) => readonly StandingRow[]): MakeDatabase =>
  ({ runtime, tombstoneMs }) => {
    const charges: StandingRow[] = [];
    return serveStore(
      createMemoryStore({ runtime, tombstoneMs }),
      (_, { key, value, operation }) => {
        const of = operation !== undefined && { operation };
        charges.push(...keep({ key, value, atUs: runtime.monotonicNow() * 1000, ...of }));
      },
      () => ({ charges }),
    );
  };

const scenario = scenarioOf("dedup/transaction");
const play = (world: Required<RunOptions>["world"], workload: string) => {
  const spec = { scenario: scenario.id, profile: "transactional", workload, seed: 1 } as const;
  return runScenario(scenario, { ...spec, plan: [] }, { world });
};

test("rows of a rolled back transaction that stand all the same count", async () => {
  const { violations, history } = await play({ database: database((row) => [row]) }, "errors");
  expect(violations.map(({ guarantee }) => guarantee)).toContain("dedup/transaction-once");
  const [first] = history.effects;
  expect(first).toMatchObject({ sink: "charges", key: "k1", by: "api-1", accepted: true });
});

test("rows that are missing do not count, though their commit was told", async () => {
  const { violations, history } = await play({ database: database(() => []) }, "slow");
  expect(history.effects).toEqual([]);
  expect(violations.map(({ guarantee }) => guarantee)).toContain(
    "dedup/transaction-told-is-committed",
  );
});

test("a database without writeAll is refused where nodes would write several keys", () => {
  const { read, write } = createMemoryStore();
  const options = { database: () => ({ read, write, begin: () => Promise.reject(new Error()) }) };
  expect(() => createWorld({ profile: profileOf("durable"), ...options })).toThrow(/writeAll/);
  expect(() => createWorld({ profile: profileOf("single-key"), ...options })).not.toThrow();
});

test("several keys are written to the database", async () => {
  const store = createMemoryStore();
  const world = createWorld({
    profile: profileOf("durable"),
    database: () => serveStore(store, () => {}),
  });
  const opId = `${"a".repeat(21)}A`;
  const writes = ["x", "y"].map((key) => ({
    key,
    expect: "absent" as const,
    next: { value: key, ttlMs: "never" as const },
  }));
  let wrote: Promise<unknown> | undefined;
  world.addNode("n", ({ store: { writeAll } }) => {
    wrote = writeAll?.({ opId, writes });
  });
  expect(await world.run(wrote as Promise<unknown>)).toMatchObject({ outcome: "applied" });
  expect((await store.read("y")).entry?.value).toBe("y");
  expect(world.server.read("y").entry).toBeUndefined();
});
