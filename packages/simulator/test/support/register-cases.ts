// Registers the conformance cases that apply to a store. What it lacks is declared and checked
// against the store itself, so that nothing is hidden, and nothing counts as skipped or as passed.

import {
  type ConformanceHarness,
  ConformanceSkip,
  type Need,
  storeConformance,
} from "@onceproof/simulator/conformance";
import { expect, test } from "vitest";

/** What does not apply: needs that are not met, and single cases, each with the reason. */
export interface NotApplicable {
  readonly lacks?: readonly Need[];
  /** Beside the harness' known gaps, which are held to be gaps still. */
  readonly cases?: Readonly<Record<string, string>>;
}

/** Registers a test for each case that applies, and one that holds the rest to its declaration. */
export function registerCases(
  harness: ConformanceHarness,
  notApplicable: NotApplicable = {},
): void {
  const { lacks = [] } = notApplicable;
  const cases = { ...notApplicable.cases, ...harness.knownGaps };
  const all = storeConformance(harness);
  const left = all.filter(
    ({ id, needs }) => id in cases || needs.some((need) => lacks.includes(need)),
  );
  for (const { title, run } of all.filter((each) => !left.includes(each))) {
    test(title, () => run());
  }
  if (left.length === 0) {
    return;
  }
  const why = [...lacks, ...Object.values(cases)].join("; ");
  test(`${left.length} cases do not apply (${why})`, async () => {
    for (const { id, run } of left) {
      const outcome = await run().then(
        () => "ran",
        (error: unknown) => error,
      );
      expect(outcome, `${id} is declared not to apply`).toBeInstanceOf(ConformanceSkip);
    }
  });
}
