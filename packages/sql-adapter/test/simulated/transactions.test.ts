// Dedup in the store's transaction over the SQLite store that ships: its record and a row of the user's
// own commit together, whatever is lost, crashes or stands still. This is a sample; all plans of one
// fault: `npm run verify -- --store packages/sql-adapter/test/simulated/sqlite.ts --singles --only dedup/transaction`.
import { hashTrace, scenarioOf } from "@onceproof/simulator";
import { expect, test } from "vitest";
import { inMemory, onFile } from "./sqlite.ts";
import { play, surprisesOf } from "./support.ts";

const scenario = scenarioOf("dedup/transaction");
const workloads = scenario.workloads.map(({ id }) => id);
const profile = "transactional";

test.each(workloads)("%s keeps what it states under single faults", async (id) => {
  const sample = { profile, oneIn: 10, workloads: [id] } as const;
  const { runs, found } = await surprisesOf(scenario, inMemory(), sample);
  expect(found).toEqual([]);
  expect(runs).toBeGreaterThan(20);
});

test.each(workloads)("%s keeps it on two connections to a file", async (id) => {
  const sample = { profile, oneIn: 80, workloads: [id] } as const;
  const { found } = await surprisesOf(scenario, onFile(), sample);
  expect(found).toEqual([]);
});

test("it keeps it under pairs of faults, and under several", async () => {
  const pairs = await surprisesOf(scenario, inMemory(), {
    profile,
    part: { part: "pairs" },
    oneIn: 20_000,
  });
  const swarm = await surprisesOf(scenario, inMemory(), {
    profile,
    part: { part: "swarm", plans: 5 },
    oneIn: 1,
  });
  expect([...pairs.found, ...swarm.found]).toEqual([]);
  expect([pairs.runs, swarm.runs]).toEqual([expect.any(Number), 5 * workloads.length]);
  expect(pairs.runs).toBeGreaterThan(workloads.length);
});

test.each([
  ["in memory", inMemory()],
  ["on a file", onFile()],
])("the same seed runs the same %s", async (_, database) => {
  for (const [at, workload] of workloads.entries()) {
    const plan = [{ from: "api-1", to: "store", nth: 1 + (at % 4), fault: "dropReply" }] as const;
    const spec = { scenario: scenario.id, profile, workload, seed: at, plan } as const;
    const [one, other] = [await play(spec, database), await play(spec, database)];
    expect(hashTrace(one.trace), workload).toBe(hashTrace(other.trace));
    expect(one.history.effects, workload).toEqual(other.history.effects);
  }
});

test("the rows that are judged are those in the table", async () => {
  const spec = { scenario: scenario.id, profile, workload: "slow", seed: 1, plan: [] } as const;
  const { history } = await play(spec, inMemory({ insert: () => {} }));
  expect(history.effects).toEqual([]);
  const { history: right } = await play(spec, inMemory());
  expect(right.effects).toMatchObject([{ sink: "charges", key: "k1", value: { run: 1 } }]);
});
