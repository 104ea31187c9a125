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

// SQLite has one writer: who is only told an outcome holds the lock too, and stands still with it. Then
// another stands still, and finds its wait over before it has seen anything.
test.each([1_800, 7_500])(
  "who waited in vain while another was told the outcome is told it too, after %s ms",
  async (forMs) => {
    const { workload: clicks } = scenario.workloads.find(({ id }) => id === "double-click") ?? {};
    const { asks } = clicks as { readonly asks: readonly object[] };
    const late = ["api-2", "api-1"].map((to, at) => {
      return { ...asks[0], client: `late-${at}`, atMs: 5_000 + 40 * at, to: [to] };
    });
    const workload = { asks: [...asks.slice(0, 2), ...late] };
    const latecomers = { id: "latecomers", title: "two later", workload };
    const pause = { to: "store", fault: "pause", phase: "reply", forMs } as const;
    const plan = [
      { from: "api-2", nth: 4, ...pause },
      { from: "api-1", nth: 6, ...pause },
    ] as const;
    const spec = { scenario: scenario.id, profile, workload: "latecomers", seed: 1, plan } as const;
    const own = { ...scenario, workloads: [latecomers] };
    const { history, violations } = await play(spec, inMemory(), own);
    expect(violations).toEqual([]);
    // It is not the caller's asking again that found it.
    const last = history.operations.find(({ input }) => Object(input).client === "late-1");
    expect(JSON.stringify(last?.answer)).toContain('"outcome":"replayed"');
  },
);

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
