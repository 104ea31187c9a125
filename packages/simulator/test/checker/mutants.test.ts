// The fuzz finds every broken pruning, and takes no harmless variant for broken.

import { expect, test } from "vitest";
import { type Check, fuzz } from "./support/fuzz.ts";
import { harmless } from "./support/harmless.ts";
import { load } from "./support/load-mutant.ts";
import { broken } from "./support/mutants.ts";

const SEED = 1;
const AT_MOST = 300_000;
const FOR_HARMLESS = 6_000;

// A broken variant may search for ever, so that only a budget makes it answer.
const bounded =
  (check: Check): Check =>
  (model, history) =>
    check(model, history, { maxSteps: 100_000 });

test.each(broken)("the fuzz finds a checker that $name", async (mutant) => {
  expect(fuzz(bounded(await load(mutant)), { seed: SEED, count: AT_MOST }).wrong).toBeDefined();
});

test.each(harmless)("the fuzz finds no fault when $name", async (mutant) => {
  expect(fuzz(await load(mutant), { seed: SEED, count: FOR_HARMLESS }).wrong).toBeUndefined();
});
