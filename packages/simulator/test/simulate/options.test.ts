// Bad options are refused before anything runs, with what to do.

import { expect, it } from "vitest";
import { simulate } from "../../src/index.ts";

const good = { effects: ["mail"], handler: () => "ok" } as const;
type Options = Parameters<typeof simulate>[0];

it.each<[string, object, RegExp]>([
  ["no handler", { handler: undefined }, /handler must be a function/],
  ["no effects", { effects: [] }, /effects must name at least one/],
  ["effects that are none", { effects: undefined }, /effects must name/],
  ["a typing error", { request: [] }, /there is no option request: choose from/],
  ["no request", { requests: [] }, /at least one request/],
  ["a name that is taken", { services: () => ({ mail: {} }) }, /mail is a service already/],
  ["the store's name", { effects: ["store"] }, /can't name a service or an effect/],
  ["a service that is none", { services: () => ({ db: 1 }) }, /must return objects by name/],
  ["times", { effects: { mail: { times: "twice" } } }, /times must be once/],
  ["act", { effects: { mail: { act: 1 } } }, /effect mail: act must be a function/],
  ["nodes", { nodes: 0 }, /nodes must be a whole number/],
  ["a store", { store: "mysql" }, /choose one of durable/],
  ["traffic", { traffic: ["bursts"] }, /traffic must be a list of retries/],
  ["a budget", { budget: { plans: 0.5 } }, /budget.plans/],
  ["a budget that is a number", { budget: 100 }, /budget must be an object, e.g. budget: {/],
  ["a typing error in it", { budget: { plnas: 5 } }, /budget: there is no option plnas/],
  ["one in an effect", { effects: { mail: { time: "once" } } }, /mail: there is no option time:/],
  ["one in the client", { client: { patience: 1 } }, /client: there is no option patience/],
  ["an unknown fault", { without: ["crush"] }, /there is no fault "crush": choose from/],
  ["faults that are no list", { without: "crash" }, /without must be a list of faults/],
  ["a guard", { guard: "yes" }, /guard must be true or false/],
  ["tries", { client: { tries: 0 } }, /client.tries/],
  ["a timeout", { timeoutMs: 40_000 }, /timeoutMs must be below leaseMs/],
  ["a seed", { seed: 1.5 }, /seed must be a whole number/],
])("refuses %s", async (_, bad, message) => {
  let ran = false;
  const handler = (): void => {
    ran = true;
  };
  const run = simulate({ ...good, handler, ...bad } as Options);
  await expect(run).rejects.toThrow(message);
  await expect(run).rejects.toMatchObject({ name: "ArgumentError", code: "optionInvalid" });
  expect(ran).toBe(false);
});

it("refuses a lease that is no duration", async () => {
  await expect(simulate({ ...good, leaseMs: Number.NaN })).rejects.toMatchObject({
    code: "durationInvalid",
  });
});

it("refuses what only a run can tell: sinks that take time, and what can't be sent", async () => {
  const slow = simulate({
    effects: { mail: { act: async () => {} } },
    handler: (_request, { effects }) => effects.mail(),
  });
  await expect(slow).rejects.toThrow(/act must be synchronous/);
  const unsendable = simulate({
    effects: ["mail"],
    handler: (_request, { effects }) => effects.mail(() => {}).catch(() => {}),
  });
  await expect(unsendable).rejects.toThrow(/plain data only/);
});

it("lets a service be called only", async () => {
  const report = await simulate({
    effects: ["mail"],
    traffic: ["retries"],
    budget: { plans: 1 },
    services: () => ({ db: { rows: 1, count: () => 1 } }),
    handler: async (_request, { services }) => {
      await services.db.count();
      return (services.db as unknown as { rows: number }).rows;
    },
  });
  expect(report.findings[0]?.how).toContain("db.rows is no method");
});

it("stops when the caller's signal aborts, and says that it is not complete", async () => {
  const report = await simulate({ ...good, signal: AbortSignal.abort() });
  expect(report.plans.one).toBe(0);
  expect(report.complete).toEqual({ one: false, two: false });
});
