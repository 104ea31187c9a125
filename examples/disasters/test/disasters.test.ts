// Each disaster happens without protection and not with it, whatever the seed.

import { describe, expect, it } from "vitest";
import { allDisasters } from "../src/disasters/index.js";
import { readPayloads } from "../src/disasters/webhook-payloads.js";
import { runDisaster } from "../src/run.js";

const SEEDS = [1, 2, 3];
const disasters = allDisasters(await readPayloads());

describe.each(disasters)("$name", (disaster) => {
  it.each(SEEDS)("happens without protection and not with it (seed %i)", async (seed) => {
    const { signal } = new AbortController();
    const row = await runDisaster(disaster, { seed, signal, onStep: () => {} });
    expect(row.problems).toEqual([]);
    expect(row.with).toBe(disaster.expected);
    expect(row.without).not.toBe(disaster.expected);
    expect(row.calls?.first).toBeGreaterThan(0);
    expect(row.calls?.duplicate).toBeLessThanOrEqual(row.calls?.first ?? 0);
  });
});

// What README and the table say of the algorithms' cost.
it("costs the store calls that the algorithms promise", async () => {
  const { signal } = new AbortController();
  const calls: Record<string, unknown> = {};
  for (const disaster of disasters.filter(({ name }) => name in PROMISED)) {
    const row = await runDisaster(disaster, { seed: 1, signal, onStep: () => {} });
    calls[disaster.name] = { first: row.calls?.first, duplicate: row.calls?.duplicate };
  }
  expect(calls).toEqual(PROMISED);
});

const PROMISED: Record<string, { first: number; duplicate: number }> = {
  "double-click": { first: 2, duplicate: 1 },
  "lost-reply": { first: 1, duplicate: 1 },
  "redelivered-message": { first: 2, duplicate: 1 },
  "payment-callback": { first: 2, duplicate: 1 },
  "form-submit": { first: 3, duplicate: 2 },
  // Two moves of two calls each; the duplicate's first look at each finds its answer.
  "paid-again": { first: 4, duplicate: 2 },
  "stalled-worker": { first: 2, duplicate: 2 },
};
