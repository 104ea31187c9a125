// The broken variants still apply to the code as it is; `npm test -- --part mutants` tries them.

import { expect, test } from "vitest";
import { allMutants, defectOf } from "./mutation/catalogue.ts";

const ALGORITHMS = [
  "dedup",
  "fence",
  "lock",
  "register",
  "state-machine",
  "tokens",
  "unique-insert",
];

test("every mutant changes one place of the source that a property test reads", async () => {
  const all = await allMutants();
  const defects = all.map((mutant) => [mutant.id, defectOf(mutant, all)] as const);
  expect(defects.filter(([, defect]) => defect !== undefined)).toEqual([]);
});

test.each(ALGORITHMS)("%s has at least two broken variants", async (algorithm) => {
  const all = await allMutants();
  expect(all.filter(({ id }) => id.startsWith(`${algorithm}/`)).length).toBeGreaterThan(1);
});
