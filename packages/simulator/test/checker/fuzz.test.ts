// The checker against an independent judge on 300,000 random small histories of all models.

import { checkHistory } from "@onceproof/simulator/checker";
import { expect, test } from "vitest";
import { fuzz } from "./support/fuzz.ts";

const SEED = Number(process.env.ONCEPROOF_SEED ?? 1);
const COUNT = 300_000;

test(`judges ${COUNT} histories from seed ${SEED} as the definition does`, () => {
  const { tried, violated, wrong } = fuzz(checkHistory, { seed: SEED, count: COUNT });
  expect(wrong).toBeUndefined();
  const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);
  expect(sum(tried)).toBe(COUNT);
  const share = sum(violated) / COUNT;
  expect(share).toBeGreaterThan(0.4);
  expect(share).toBeLessThan(0.6);
  console.log(
    share,
    tried.map((n, i) => violated[i]! / n),
  );
}, 120_000);
