// The checker against an independent judge on 300,000 random small histories of all models.

import { checkHistory } from "@onceproof/simulator/checker";
import { expect, test } from "vitest";
import { fuzz } from "./support/fuzz.ts";
import { SMALL } from "./support/histories.ts";
import { judge, judgeLiterally } from "./support/judge.ts";
import { historyOf, sources } from "./support/worlds.ts";

const SEED = Number(process.env.ONCEPROOF_SEED ?? 1);
const COUNT = 300_000;

test(`judges ${COUNT} histories as the definition does (ONCEPROOF_SEED=${SEED})`, () => {
  const { tried, violated, wrong } = fuzz(checkHistory, { seed: SEED, count: COUNT });
  expect(wrong).toBeUndefined();
  const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);
  expect(sum(tried)).toBe(COUNT);
  expect(sum(violated) / COUNT).toBeGreaterThan(0.4);
  expect(sum(violated) / COUNT).toBeLessThan(0.6);
  for (const [at, count] of tried.entries()) {
    expect(violated[at]! / count).toBeGreaterThan(0.15);
    expect(violated[at]! / count).toBeLessThan(0.85);
  }
}, 240_000);

test("judges longer histories as the definition does", () => {
  const shape = { ...SMALL, most: 12, unknown: 0.2, spoilt: 0.1, span: 40, longest: 15 };
  const { wrong } = fuzz(checkHistory, { seed: SEED, count: 10_000, shape });
  expect(wrong).toBeUndefined();
}, 60_000);

test("accepts whatever a correct object answers", () => {
  for (let number = 0; number < 20_000; number += 1) {
    const shape = { most: 14, unknown: 0.2, spoilt: 0, span: 40, longest: 10 };
    const { model, history } = historyOf(SEED, number, shape);
    const { verdict } = checkHistory(model, history);
    expect(`history ${number}, ${model.name}: ${verdict}`).toMatch(/linearizable$/);
  }
}, 60_000);

test("the judge is right by the letter of the definition", () => {
  const single = sources.map(({ model }) => model.partitionKey?.length !== 1);
  for (let number = 0; number < 3_000; number += 1) {
    const { model, history } = historyOf(SEED, number, { ...SMALL, most: 5 });
    // Word for word it knows no partitions.
    if (single[number % sources.length] || model.name === "atomic store") {
      expect(`${number} ${judge(model, history)}`).toBe(
        `${number} ${judgeLiterally(model, history)}`,
      );
    }
  }
});
