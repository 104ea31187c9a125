// The broken stores that ship with the kit: each is rejected by the case that is named for it, and
// by no case of a clause that it does not break.
import {
  type BrokenStore,
  brokenStores,
  type Clause,
  runStoreConformance,
} from "@onceproof/simulator/conformance";
import { describe, expect, test } from "vitest";
import { faultyMemory, plainly, type Wrap } from "./support/memory-harness.js";

/** Runs the kit and returns the cases that reject the store. */
async function rejectedBy(
  createWrap: () => Wrap,
): Promise<readonly { readonly id: string; readonly clause: Clause }[]> {
  const { cases } = await runStoreConformance(faultyMemory(createWrap));
  return cases.filter(({ outcome }) => outcome === "failed");
}

function clausesOf(broken: BrokenStore): Clause[] {
  return [broken.clause, ...(Object.keys(broken.alsoBreaks ?? {}) as Clause[])];
}

describe("a store that breaks one clause", () => {
  test("is rejected for that alone: none of the cases rejects the one that is then broken", async () => {
    expect(await rejectedBy(() => plainly)).toEqual([]);
  });

  test.each(brokenStores)("$clause $id: $flaw", async (broken) => {
    const rejections = await rejectedBy(broken.create);
    expect(rejections.map(({ id }) => id)).toContain(broken.rejectedBy);
    const clauses = new Set(rejections.map(({ clause }) => clause));
    // Both ways: no unrelated clause rejects it, and none is called related that does not.
    expect([...clauses].sort()).toEqual(clausesOf(broken).sort());
  });
});

describe("the broken stores", () => {
  test("name a case of the clause that they break, and a reason for each other clause", () => {
    for (const { id, clause, rejectedBy: named, alsoBreaks = {} } of brokenStores) {
      expect(named.startsWith(`${clause}.`), id).toBe(true);
      expect(
        Object.values(alsoBreaks).every((reason) => reason.length > 10),
        id,
      ).toBe(true);
    }
  });

  test("leave out no clause, and no id is there twice", () => {
    expect(new Set(brokenStores.map(({ id }) => id)).size).toBe(brokenStores.length);
    const all = ["multiKey", "transactional", "watchable", "sweepable"];
    const clauses = [...[...Array(12).keys()].map((number) => `S${number}`), ...all];
    expect(new Set(brokenStores.map(({ clause }) => clause))).toEqual(new Set(clauses));
  });
});
