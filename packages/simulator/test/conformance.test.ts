import { createMemoryStore } from "@onceproof/core";
import { ArgumentError, type AtomicStore } from "@onceproof/core/advanced";
import { countCalls } from "@onceproof/simulator";
import {
  type ConformanceHarness,
  ConformanceSkip,
  type Need,
  storeConformance,
} from "@onceproof/simulator/conformance";
import { describe, expect, test } from "vitest";
import { withKeys } from "../src/conformance/broken/breakage.js";
import { drivenMemory, faultyMemory, type Wrap } from "./support/memory-harness.js";
import { registerCases } from "./support/register-cases.js";

// A memory store alone is no server: nothing to restart, nothing durable, no messages.
const NO_NETWORK: readonly Need[] = ["restart", "durable", "loseReply", "loseRequest", "stall"];

describe("the memory store, its clock driven", () => {
  registerCases(drivenMemory(), { lacks: NO_NETWORK });
});

describe("the memory store in real time, with one client", () => {
  const harness: ConformanceHarness = {
    async create() {
      const store = createMemoryStore();
      return { store, close: () => store.close() };
    },
  };
  const lacks = ["peer", "otherNamespace", "otherNamespaceTail", "advance", "stepBack"] as const;
  registerCases(harness, { lacks: [...lacks, ...NO_NETWORK] });
});

describe("the memory store, its calls counted", () => {
  const counted = (): Wrap => (store) => countCalls(store).store;
  registerCases(drivenMemory(counted), { lacks: NO_NETWORK });
});

describe.each([0, 5])("the memory store behind a network of %s ms without faults", (latencyMs) => {
  const harness = faultyMemory(undefined, latencyMs);
  registerCases(harness);
});

describe("the kit", () => {
  const plain = (): AtomicStore => {
    const memory = createMemoryStore();
    return {
      capabilities: memory.capabilities,
      read: (key) => memory.read(key),
      write: (write) => memory.write(write),
      close: () => memory.close(),
    };
  };
  const bare: ConformanceHarness = {
    async create() {
      const store = plain();
      return { store, close: () => store.close() };
    },
  };
  const find = (harness: ConformanceHarness, id: string): ReturnType<typeof storeConformance>[0] =>
    storeConformance(harness).find((conformanceCase) => conformanceCase.id === id)!;

  test("has ids and titles that name each case once", () => {
    const cases = storeConformance(bare);
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
    expect(new Set(cases.map(({ title }) => title)).size).toBe(cases.length);
    for (const { id, clause, title } of cases) {
      expect(id.startsWith(`${clause}.`)).toBe(true);
      expect(title.startsWith(`${clause}.`)).toBe(true);
    }
  });

  test("tells the runner's context of a skip and its reason", async () => {
    const reasons: string[] = [];
    const context = { skip: (reason: string) => reasons.push(reason) };
    await find(bare, "multiKey.1-all").run(context);
    await find(bare, "S3.7-remembered").run(context);
    await find(bare, "S3.12-restart").run(context);
    expect(reasons).toEqual([
      "the store has no writeAll",
      "the harness drives no clock",
      "the harness can't restart the store",
    ]);
  });

  test("hides no skip when nobody can be told", async () => {
    await expect(find(bare, "sweepable.1-live").run()).rejects.toThrow(ConformanceSkip);
  });

  /** The bare harness over a store that folds the case of keys. */
  const folding: ConformanceHarness = {
    async create() {
      const store = withKeys((key) => key.toLowerCase())(plain());
      return { store, close: () => store.close() };
    },
  };

  test("prints the reason of a known gap instead of failing", async () => {
    const told: string[] = [];
    const harness = {
      ...folding,
      knownGaps: { "S8.1-case": "the server's collation folds case" },
      onSkip: ({ id }: { id: string }, reason: string) => told.push(`${id}: ${reason}`),
    };
    await find(harness, "S8.1-case").run();
    expect(told).toEqual(["S8.1-case: known gap: the server's collation folds case"]);
  });

  test("fails where a known gap has been closed, so that none outlives its cause", async () => {
    const harness = { ...bare, knownGaps: { "S8.4-emoji": "three bytes per character" } };
    await expect(find(harness, "S8.4-emoji").run()).rejects.toThrow(
      /^S8\.4-emoji .*it passes; take it out of knownGaps/,
    );
  });

  test.each([
    [{ "S8.4-emojis": "no such id" }, /knownGaps names no case: "S8.4-emojis".*"S8.4-emoji"/],
    [{ "S8.04-case": "no such id" }, /did you mean "S8.1-case"/],
    [{ "S8.4": "no name" }, /did you mean "S8.4-emoji"/],
    [{ "S10.99": "no such id" }, /names no case: "S10.99"; S10 has S10.1-create, .*S10.5-bad$/],
    [{ "S99.1": "no such id" }, /the clauses are S0, S1, .*sweepable$/],
    [{ "S8.4-emoji": " " }, /"S8.4-emoji" needs a reason/],
  ])("refuses the known gaps %j before anything runs", (knownGaps, message) => {
    const harness = { ...bare, knownGaps } as ConformanceHarness;
    expect(() => storeConformance(harness)).toThrow(message);
    expect(() => storeConformance(harness)).toThrow(ArgumentError);
  });

  test("closes the fixture of a case that fails, and names the case", async () => {
    let closed = 0;
    const harness: ConformanceHarness = {
      async create() {
        const store = plain();
        store.read = async () => ({ now: 0 });
        const close = async (): Promise<void> => {
          closed += 1;
        };
        return { store, close };
      },
    };
    await expect(find(harness, "S0.1-create-unused").run()).rejects.toThrow(
      /^S0\.1-create-unused \(a create applies/,
    );
    expect(closed).toBe(1);
  });
});
