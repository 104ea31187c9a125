// The runner must not call a run good that shows nothing, or that went wrong.

import { expect, it } from "vitest";
import type { Disaster } from "../src/disaster.js";
import { runDisaster } from "../src/run.js";

const good: Disaster = {
  name: "good",
  title: "A disaster",
  counted: "effects",
  expected: 1,
  algorithm: "none",
  factories: [],
  source: import.meta.url,
  unprotected: async () => ({ effects: 2 }),
  protected: async () => ({
    effects: 1,
    problems: [],
    calls: { first: 1, duplicate: 1, mean: 1.5 },
  }),
};

const run = (disaster: Disaster, signal = new AbortController().signal) =>
  runDisaster(disaster, { seed: 1, signal, onStep: () => {} });

it("finds nothing wrong where the damage shows without protection only", async () => {
  expect(await run(good)).toMatchObject({ without: 2, with: 1, problems: [] });
});

it("says so when nothing went wrong without protection", async () => {
  const row = await run({ ...good, unprotected: async () => ({ effects: 1 }) });
  expect(row.problems).toEqual([expect.stringContaining("proves nothing")]);
});

it("says so when the protected count is wrong", async () => {
  const calls = { first: 1, duplicate: 1, mean: 1.5 };
  const row = await run({ ...good, protected: async () => ({ effects: 3, problems: [], calls }) });
  expect(row.problems).toEqual([expect.stringContaining("counted 3 instead of 1")]);
});

it("passes on what the disaster itself found wrong", async () => {
  const calls = { first: 1, duplicate: 1, mean: 1.5 };
  const problems = ["two receipts"];
  const row = await run({ ...good, protected: async () => ({ effects: 1, problems, calls }) });
  expect(row.problems).toEqual(problems);
});

it("names a disaster that breaks down, with what was counted before", async () => {
  const row = await run({ ...good, protected: () => Promise.reject(new Error("no route")) });
  expect(row).toMatchObject({ without: 2, problems: ["broke down: no route"] });
  expect(row.with).toBeUndefined();
});

it("rejects when it is stopped, without waiting for the disaster", async () => {
  const controller = new AbortController();
  const hanging = { ...good, unprotected: () => new Promise<never>(() => {}) };
  const running = run(hanging, controller.signal);
  controller.abort(new Error("stopped"));
  await expect(running).rejects.toThrow();
});
