// Payloads come from any directory, and the seed alone decides how they are shuffled.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandom } from "@onceproof/simulator";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readPayloads } from "../src/disasters/webhook-payloads.js";
import { shuffle } from "../src/disasters/webhook-replay.js";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "onceproof-payloads-"));
});
afterEach(() => rm(directory, { recursive: true }));

it("reads GitHub's examples unless told otherwise", async () => {
  const payloads = await readPayloads();
  expect(payloads.length).toBeGreaterThan(300);
  expect(new Set(payloads.map(({ event }) => event)).size).toBeGreaterThan(50);
});

it("takes each JSON file for one payload, named by its file", async () => {
  await writeFile(join(directory, "b.json"), "[1, 2]");
  await writeFile(join(directory, "a.json"), '{"action":"opened"}');
  await writeFile(join(directory, "notes.txt"), "not a payload");
  expect(await readPayloads(directory)).toEqual([
    { event: "a", body: { action: "opened" } },
    { event: "b", body: [1, 2] },
  ]);
});

it("refuses a directory without payloads", async () => {
  await expect(readPayloads(directory)).rejects.toThrow("holds no JSON file");
});

it("delivers everything at least once, in an order that the seed decides", async () => {
  const payloads = await readPayloads();
  const ids = (seed: number) => shuffle(payloads, createRandom(seed)).map(({ id }) => id);
  expect(ids(1)).toEqual(ids(1));
  expect(ids(1)).not.toEqual(ids(2));
  expect(new Set(ids(1)).size).toBe(payloads.length);
  expect(ids(1).length).toBeGreaterThan(payloads.length * 1.3);
  expect(ids(1)).not.toEqual([...ids(1)].sort());
});
