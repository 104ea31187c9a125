// What would keep a run from repeating is refused, with where it is.

import { expect, it } from "vitest";
import { simulate } from "../../src/index.ts";

const quick = { effects: ["mail"], traffic: ["retries"], budget: { plans: 5 } } as const;

it.each([
  ["Math.random()", () => Math.random()],
  ["Date.now()", () => Date.now()],
  ["setTimeout()", () => new Promise((resolve) => setTimeout(resolve, 1))],
  ["crypto.randomUUID()", () => crypto.randomUUID()],
])("refuses %s in a handler, with its place", async (name, touch) => {
  const run = simulate({
    ...quick,
    handler: async ({ id }, { effects }) => {
      await effects.mail(id);
      await touch();
    },
  });
  await expect(run).rejects.toMatchObject({ code: "nondeterministic", global: name });
  await expect(run).rejects.toThrow("determinism.test.ts");
});

it("lets it pass when the caller turns the guard off", async () => {
  const report = await simulate({
    ...quick,
    effects: { mail: { times: "atMostOnce" } },
    guard: false,
    handler: () => Date.now() > 0,
  });
  expect(report.ok).toBe(true);
});

it("names state that is kept from run to run", async () => {
  const seen = new Set<string>();
  const run = simulate({
    ...quick,
    handler: async ({ id }, { effects }) => {
      if (!seen.has(id)) {
        seen.add(id);
        await effects.mail(id);
      }
    },
  });
  await expect(run).rejects.toThrow(/went differently a second time.*`services` and `start`/);
});

it("gives each life of a node its own memory", async () => {
  // A process that remembers what it did forgets it in a crash.
  const report = await simulate({
    ...quick,
    budget: { plans: 120 },
    nodes: 1,
    start: () => new Set<string>(),
    handler: async ({ id }, { effects, local }) => {
      if (!local.has(id)) {
        await effects.mail(id);
        local.add(id);
      }
    },
  });
  expect(report.findings.some(({ faults }) => faults.includes("crash"))).toBe(true);
});

it("sends copies, so that nobody changes another's objects", async () => {
  const report = await simulate({
    ...quick,
    services: () => ({ db: new Map([["r1", { paid: false }]]) }),
    handler: async ({ id }, { effects, services }) => {
      const order = await services.db.get(id);
      if (order !== undefined) {
        order.paid = true;
      }
      await effects.mail(id);
    },
    check: ({ services }) => (services.db.get("r1")?.paid ? "it was not saved" : undefined),
  });
  expect(report.findings.filter(({ kind }) => kind === "check")).toEqual([]);
});
