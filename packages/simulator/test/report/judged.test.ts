// Guarantees that quote one sentence are told apart by what they judge.

import { expect, test } from "vitest";
import { JUDGED_IDS, judgedOf } from "../../src/report/judged.ts";
import { SCENARIOS } from "../../src/scenarios/catalogue.ts";

test.each(SCENARIOS.map(({ id, states }) => [id, states] as const))(
  "in %s no two guarantees read the same",
  (_, states) => {
    for (const { guarantee } of states) {
      const alike = states.filter((other) => other.guarantee.sentence === guarantee.sentence);
      if (alike.length > 1) {
        expect(
          judgedOf(guarantee.id),
          `${guarantee.id} needs a line in report/judged.ts`,
        ).toBeDefined();
      }
    }
  },
);

test("every line is of a guarantee that some scenario states", () => {
  const ids = SCENARIOS.flatMap(({ states }) => states.map(({ guarantee }) => guarantee.id));
  expect(JUDGED_IDS.filter((id) => !ids.includes(id))).toEqual([]);
});
