// What a harness or a store does wrong is told by what it did: a hook that does nothing, a name that
// the kit does not know, what is missing, and an answer that is none.
import { createMemoryStore } from "@onceproof/core";
import type { AtomicStore } from "@onceproof/core/advanced";
import { createVirtualRuntime } from "@onceproof/simulator";
import {
  type Clause,
  type ConformanceFixture,
  type ConformanceHarness,
  runStoreConformance,
  storeConformance,
} from "@onceproof/simulator/conformance";
import { describe, expect, test } from "vitest";
import { overlay } from "../src/overlay.js";

/** A memory store on a driven clock, with these members of the fixture and of the store instead. */
function harnessOf(
  fixture: object,
  members: (store: AtomicStore) => object = () => ({}),
): ConformanceHarness {
  return {
    async create() {
      const runtime = createVirtualRuntime();
      const memory = createMemoryStore({ runtime });
      return {
        store: overlay(memory, members(memory)),
        advance: async (byMs) => runtime.jumpWall(byMs),
        stepBack: async (byMs) => runtime.jumpWall(-byMs),
        close: () => memory.close(),
        ...fixture,
      } as ConformanceFixture;
    },
  };
}

/** What each failed case says, by id. */
async function failures(
  harness: ConformanceHarness,
  ...clauses: readonly Clause[]
): Promise<Readonly<Record<string, string>>> {
  const { cases } = await runStoreConformance(harness, { clauses, caseTimeoutMs: 5_000 });
  const failed = cases.filter(({ outcome }) => outcome === "failed");
  return Object.fromEntries(failed.map(({ id, message = "" }) => [id, message]));
}

describe("a clock hook that does nothing", () => {
  test("fails every case that rests on it, and ends", async () => {
    const idle = harnessOf({ advance: async () => {} });
    const found = await failures(idle, "S0", "S2", "S3", "S5");
    expect(found["S2.7-long"]).toBe("advance(34473600000) did not move the store's clock");
    expect(found["S2.1-read-agrees-with-clock"]).toMatch(/^advance\(5\) did not move/);
    expect(found["S2.5-kept"]).toMatch(/^advance\(60\) did not move/);
    expect(Object.keys(found)).toEqual(
      expect.arrayContaining([
        "S0.10-absent-since-forgotten",
        "S3.7-remembered",
        "S3.8-after-tombstone",
      ]),
    );
  });

  test("is told of stepBack too", async () => {
    const found = await failures(harnessOf({ stepBack: async () => {} }), "S2");
    expect(Object.keys(found)).toEqual(["S2.8-step-back-unwritten", "S2.9-step-back-written"]);
    expect(found["S2.8-step-back-unwritten"]).toMatch(/^stepBack\(5000\) did not move .* leave st/);
  });

  test("and one that takes another unit is told the unit", async () => {
    const seconds: ConformanceHarness = {
      async create() {
        const fixture = await harnessOf({}).create();
        const { advance } = fixture;
        return { ...fixture, advance: async (byMs) => advance?.(byMs / 1_000) };
      },
    };
    const found = await failures(seconds, "S2");
    expect(found["S2.7-long"]).toMatch(/instead of 34473600000000: does advance take milliseconds/);
  });

  test("and a store that counts milliseconds is asked whether it does", async () => {
    const coarse = harnessOf({}, (store) => ({
      read: async (key: string) => {
        const { now, ...rest } = await store.read(key);
        return { ...rest, now: Math.floor(now / 1_000) };
      },
    }));
    const found = await failures(coarse, "S7");
    expect(found["S7.5-unit"]).toMatch(/by 100: does it count milliseconds\? It must count micro/);
  });
});

describe("a name that the kit does not know", () => {
  test("is refused with the nearest, for a fixture and for a harness", async () => {
    const found = await failures(harnessOf({ advanse: async () => {} }), "S10");
    expect(found["S10.1-create"]).toMatch(/a fixture has no "advanse"; did you mean "advance"\?/);
    const unlike = await failures(harnessOf({ folder: "x" }), "S10");
    expect(unlike["S10.1-create"]).toMatch(/a fixture has no "folder"; it has store, peer, /);
    const harness = { ...harnessOf({}), knownGap: {} };
    expect(() => storeConformance(harness)).toThrow(/a harness has no "knownGap".*"knownGaps"/);
  });

  test("is the harness' own affair where it is of a class", async () => {
    class Fixture {
      readonly folder: string = "x";
      readonly store: AtomicStore = createMemoryStore();
      close(): Promise<void> {
        return this.store.close();
      }
    }
    const harness: ConformanceHarness = { create: async () => new Fixture() };
    expect(await failures(harness, "S10")).toEqual({});
  });
});

describe("what is missing of a store is named", () => {
  const { capabilities } = createMemoryStore();
  const without = (name: string): object => ({ ...capabilities, [name]: undefined });
  test.each([
    [{ write: 1 }, /it lacks write$/],
    [{ write: 1, close: "no", capabilities: null }, /it lacks write, close, capabilities$/],
    [
      { capabilities: without("tombstoneMs") },
      /store: tombstoneMs must be a number, got undefined$/,
    ],
    [
      { capabilities: { ...capabilities, clock: "mine" } },
      /clock must be one of "store", "client"/,
    ],
    [{ capabilities: {} }, /clock must .*durability must .*failoverMay.*operationTimeoutMs must/],
  ])("%j", async (members, message) => {
    const memory = createMemoryStore();
    const { read, write, close } = memory;
    const store = { read, write, close, capabilities, ...members };
    const found = await failures(harnessOf({ store }), "S10");
    expect(found["S10.1-create"]).toMatch(message);
  });
});

describe("an answer that is none is told as such", () => {
  test.each([
    ["write", async () => {}, /^write resolved to undefined; it must answer with an outcome/],
    ["write", () => {}, /^write returned no promise; it must answer/],
    ["write", async () => true, /^write resolved to what is no answer; .*; got true/],
    ["read", async () => {}, /^read resolved to undefined; it must answer with the store's now/],
  ])("%s: %s", async (name, call, message) => {
    const found = await failures(
      harnessOf({}, () => ({ [name]: call })),
      "S0",
    );
    expect(found["S0.1-create-unused"]).toMatch(message);
  });
});

test("a store that refuses for ever what it should apply ends the cases that try again", async () => {
  const refusing = harnessOf({}, (store) => ({
    write: async (write: Parameters<AtomicStore["write"]>[0]) =>
      typeof write.expect === "object" && "revision" in write.expect
        ? { outcome: "refused", ...(await store.read(write.key)) }
        : store.write(write),
  }));
  const found = await failures(refusing, "S1");
  expect(found["S1.5-no-lost-update"]).toMatch(/^of 1000 compare-and-sets under .* none applied/);
});

describe("what is wrong with a harness is not told as the store's fault", () => {
  test("one data set for all cases", async () => {
    const store = createMemoryStore();
    const harness: ConformanceHarness = { create: async () => ({ store, close: async () => {} }) };
    const found = await failures(harness, "S0");
    expect(found["S0.5-absent-since-removed"]).toMatch(
      /must be applied; does the harness' create make an empty data set each time\?/,
    );
  });

  test("a stall that returns nothing to end it by", async () => {
    const found = await failures(harnessOf({ stall: () => {} }), "S11");
    expect(found["S11.7-stall"]).toMatch(/stall must return a function that ends it/);
  });

  test("an option that is none", async () => {
    const running = runStoreConformance(harnessOf({}), { clause: ["S1"] } as object);
    await expect(running).rejects.toThrow(/a run has no "clause"; did you mean "clauses"\?/);
  });
});
