// What the README and docs/writing-an-adapter.md say: the adapter meets every clause that its harness
// lets the kit judge, on a real file that two processes share, and the kit notices when it does not.
import { breakHarness, brokenStores, storeConformance } from "@onceproof/simulator/conformance";
import { afterAll, describe, expect, test } from "vitest";
import { createLmdbHarness } from "../src/harness.js";

const skipped = new Map<string, string[]>();
const harness = {
  ...createLmdbHarness(),
  onSkip: ({ id }: { readonly id: string }, reason: string): void => {
    skipped.set(reason, [...(skipped.get(reason) ?? []), id]);
  },
};
afterAll(() => harness.destroy?.());

describe("the LMDB store", () => {
  for (const { title, run } of storeConformance(harness)) {
    test(title, () => run());
  }

  test("leaves out what an embedded store has no such thing as, and nothing else", () => {
    const reasons = Object.fromEntries([...skipped].map(([reason, ids]) => [reason, ids.length]));
    expect(reasons).toEqual({
      "the harness can't lose a reply": 6,
      "the harness can't lose a request": 2,
      "the store has no transactions": 8,
      "the store has no watch": 5,
    });
  });
});

describe("the harness lets the kit notice a store that", () => {
  const needless = ["transactional", "watchable", "S6"];
  const judged = brokenStores.filter(
    ({ clause, rejectedBy }) => !needless.includes(clause) && rejectedBy !== "S11.5-settles",
  );
  test.each(judged)("$flaw ($rejectedBy)", async (broken) => {
    const cases = storeConformance(breakHarness(harness, broken));
    const named = cases.find(({ id }) => id === broken.rejectedBy);
    await expect(named?.run()).rejects.toThrow(broken.rejectedBy);
  });
});
