// The scenarios of every algorithm over the SQLite store that ships, in the simulated world: a sample of
// the plans of one fault. `npm run verify -- --store packages/sql-adapter/test/simulated/sqlite.ts` tries
// as many as you like.
import { SCENARIOS } from "@onceproof/simulator";
import { describe, expect, test } from "vitest";
import { inMemory, onFile } from "./sqlite.ts";
import { surprisesOf } from "./support.ts";

const on = (profile: "durable" | "single-key" | "clock-back") =>
  SCENARIOS.filter(({ profiles }) => profiles.includes(profile));

test("there are scenarios of all seven algorithms and of the contract", () => {
  expect([...new Set(on("durable").map(({ algorithm }) => algorithm))].sort()).toEqual([
    "contract",
    "dedup",
    "fence",
    "lock",
    "register",
    "state-machine",
    "tokens",
    "unique-insert",
  ]);
});

describe("in memory, several keys in one step", () => {
  test.each(on("durable"))("$id keeps what it states", async (scenario) => {
    const { runs, found } = await surprisesOf(scenario, inMemory(), {
      profile: "durable",
      oneIn: 250,
    });
    expect(found).toEqual([]);
    expect(runs).toBeGreaterThan(scenario.workloads.length);
  });
});

describe("in memory, where nobody sweeps", () => {
  const remembering = on("durable").filter(({ id }) => id.endsWith("/forgotten"));
  test.each(remembering)("$id answers as it does where rows are freed", async (scenario) => {
    const sample = { profile: "durable", oneIn: 500 } as const;
    const { found } = await surprisesOf(scenario, inMemory({ unswept: true }), sample);
    expect(found).toEqual([]);
  });
});

describe("two connections on a file, one key at a time", () => {
  test.each(on("single-key"))("$id keeps what it states", async (scenario) => {
    const [workload] = scenario.workloads;
    const { found } = await surprisesOf(scenario, onFile(), {
      profile: "single-key",
      oneIn: 100,
      workloads: [workload!.id],
    });
    expect(found).toEqual([]);
  });
});

describe("when the host's clock steps back", () => {
  test.each(on("clock-back").filter(({ algorithm }) => algorithm === "contract"))(
    "$id keeps what it states",
    async (scenario) => {
      const { found } = await surprisesOf(scenario, inMemory(), {
        profile: "clock-back",
        oneIn: 60,
      });
      expect(found).toEqual([]);
    },
  );
});
