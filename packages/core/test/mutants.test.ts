// The broken variants still apply to the code as it is; `npm test -- --part mutants` tries them.

import { expect, test } from "vitest";
import { allMutants, defectOf, testedMutants } from "./mutation/catalogue.ts";

const ALGORITHMS = [
  "contract",
  "dedup",
  "fence",
  "lock",
  "register",
  "state-machine",
  "tokens",
  "unique-insert",
];

test("every mutant changes one place of the source, and names a test that is there", () => {
  const all = allMutants();
  const defects = all.map((mutant) => [mutant.id, defectOf(mutant, all)] as const);
  expect(defects.filter(([, defect]) => defect !== undefined)).toEqual([]);
});

test.each(ALGORITHMS)("%s has at least two broken variants", (algorithm) => {
  expect(testedMutants().filter(({ id }) => id.startsWith(`${algorithm}/`)).length).toBeGreaterThan(
    1,
  );
});
