// The report of a whole run: every way in which a case can end is told, nothing that a store does
// stops the run, and the text says it plainly.
import { createMemoryStore } from "@onceproof/core";
import type { AtomicStore } from "@onceproof/core/advanced";
import {
  type CaseReport,
  type ConformanceHarness,
  type ConformanceProgress,
  type ConformanceReport,
  formatConformance,
  type RunConformanceOptions,
  runStoreConformance,
} from "@onceproof/simulator/conformance";
import { describe, expect, test } from "vitest";
import { withKeys } from "../src/conformance/broken/breakage.js";
import { overlay } from "../src/overlay.js";

/** A memory store with the members given, in real time. */
function harnessOf(
  members: (store: AtomicStore) => object = () => ({}),
  more: Partial<ConformanceHarness> = {},
): ConformanceHarness {
  return {
    async create() {
      const memory = createMemoryStore();
      return { store: overlay(memory, members(memory)), close: () => memory.close() };
    },
    ...more,
  };
}

const folding: ConformanceHarness = {
  async create() {
    const store = withKeys((key) => key.toLowerCase())(createMemoryStore());
    return { store, close: () => store.close() };
  },
};

function of(report: ConformanceReport, id: string): CaseReport {
  const found = report.cases.find((each) => each.id === id);
  expect(found, id).toBeDefined();
  return found as CaseReport;
}

describe("a report", () => {
  test("counts what passed and what was skipped, each with its reason", async () => {
    const report = await runStoreConformance(harnessOf(), { clauses: ["S6", "S8", "S9"] });
    expect(report.ok).toBe(true);
    expect(report.counts).toMatchObject({ failed: 0, skipped: 9, notRun: 0 });
    expect(of(report, "S6.6-stall").message).toBe("the harness can't stall the server");
    expect(report.capabilities?.durability).toBe("process");
  });

  test("names the law that failed and what was seen", async () => {
    const report = await runStoreConformance(folding, { clauses: ["S8"] });
    expect(report.ok).toBe(false);
    const failed = of(report, "S8.1-case");
    expect(failed).toMatchObject({ outcome: "failed", clause: "S8" });
    expect(failed.law).toBe("keys that differ only in case are distinct");
    expect(failed.message).toMatch(/^a create of key "Key", beside its like, must be applied; got/);
    expect(failed.error?.message).toContain("S8.1-case");
  });

  test("tells known gaps apart from failures, and those that pass from both", async () => {
    const knownGaps = { "S8.1-case": "the collation folds case", "S8.4-emoji": "three bytes" };
    const report = await runStoreConformance({ ...folding, knownGaps }, { clauses: ["S8"] });
    expect(of(report, "S8.1-case")).toMatchObject({ outcome: "knownGap" });
    expect(of(report, "S8.1-case").message).toMatch(/^the collation folds case\n\(a create of/);
    expect(of(report, "S8.4-emoji")).toMatchObject({ outcome: "gapClosed" });
    expect(report.ok).toBe(false);
  });

  test("is written as plain text, a line for each clause and a part for each kind", async () => {
    const knownGaps = {
      "S8.1-case": "the collation folds case",
      "S8.20-long": "the same",
      "S8.22-neighbours": "the same",
    };
    const report = await runStoreConformance({ ...folding, knownGaps }, { clauses: ["S7", "S8"] });
    expect(String(report)).toBe(formatConformance(report));
    const text = formatConformance({ ...report, tookMs: 1234 });
    expect(
      text.replaceAll(/; got .*/g, "; got …").replaceAll(/got "[^"]*"/g, 'got "…"'),
    ).toMatchInlineSnapshot(`
      "Store conformance: NOT OK. 22 cases: 15 passed, 1 failed, 3 skipped, 3 known gaps.
      seed 1, 1.2 s; the store declares: clock "store", durability "process"

        S7 the store's time     5 passed, 1 skipped
        S8 keys and namespaces  10 passed, 1 failed, 2 skipped, 3 known gaps

      Failed:
        S8.3-accents: keys that differ only in accents or normal form are distinct
            a create of key "Å", beside its like, must be applied; got …

      Known gaps:
        S8.1-case: keys that differ only in case are distinct
            the collation folds case
            (a create of key "Key", beside its like, must be applied; got …
        S8.20-long: over-long keys that differ only at their end are distinct
            the same
            (a create of key "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkA", beside its like, must be applied; got …
        S8.22-neighbours: a write to one key leaves its neighbours as they are
            the same
            (a create on an absent key must be applied; got …

      Skipped:
        the harness can't step the store's clock back: S7.6
        the harness has no client of another namespace: S8.24, S8.25
      "
    `);
  });

  test("has no escape sequences", async () => {
    const report = await runStoreConformance(folding, { clauses: ["S8"] });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
    expect(String(report)).not.toMatch(/\u001b/);
  });
});

describe("a run goes on, whatever happens", () => {
  const quick: RunConformanceOptions = { clauses: ["S4"], caseTimeoutMs: 500 };

  test("a store that hangs fails each case by name once its time is over", async () => {
    let closed = 0;
    const harness: ConformanceHarness = {
      async create() {
        const memory = createMemoryStore();
        const store = overlay(memory, { read: () => new Promise(() => {}) });
        const close = async (): Promise<void> => {
          closed += 1;
        };
        return { store, close };
      },
    };
    const report = await runStoreConformance(harness, quick);
    expect(of(report, "S4.5-not-stale").outcome).toBe("passed");
    expect(of(report, "S4.6-under-races")).toMatchObject({
      outcome: "failed",
      message: "it had not ended after 500 ms, and was given up",
    });
    expect(closed).toBe(report.cases.length);
  });

  test("a data set that cannot be made or cleared away fails the case", async () => {
    const create = async (): Promise<never> => {
      throw new Error("connection refused");
    };
    const none = await runStoreConformance({ create }, quick);
    expect(none.counts.failed).toBe(none.cases.length);
    expect(none.cases[0]?.message).toBe("the harness' create threw Error: connection refused");
    const unclosable: ConformanceHarness = {
      async create() {
        const close = async (): Promise<never> => Promise.reject(new Error("still in use"));
        return { store: createMemoryStore(), close };
      },
    };
    const messages = (await runStoreConformance(unclosable, quick)).cases.map((c) => c.message);
    expect(new Set(messages)).toEqual(new Set(["the fixture's close threw Error: still in use"]));
  });

  test("a fixture without a store is told so", async () => {
    const create = async (): Promise<never> => ({ close: async () => {} }) as never;
    const { cases } = await runStoreConformance({ create }, quick);
    expect(cases[0]?.message).toMatch(/the fixture's store must be a store: an object, got undef/);
  });

  test("an abort ends the run: the rest is reported as not run", async () => {
    const controller = new AbortController();
    const onProgress = (progress: ConformanceProgress): void => {
      if (progress.event === "ended" && progress.index === 1) {
        controller.abort();
      }
    };
    const { signal } = controller;
    const report = await runStoreConformance(harnessOf(), { ...quick, signal, onProgress });
    expect(report.cases.map(({ outcome }) => outcome).slice(0, 3)).toEqual([
      "passed",
      "passed",
      "notRun",
    ]);
    expect(report.ok).toBe(false);
  });

  test("an abort ends the case that is running", async () => {
    const controller = new AbortController();
    const hanging = harnessOf(() => ({ write: () => new Promise(() => {}) }));
    const report = await runStoreConformance(hanging, {
      clauses: ["S4"],
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    expect(report.cases[0]).toMatchObject({
      outcome: "notRun",
      message: "the run was aborted in it",
    });
  });

  test("it tells which case it is at, and frees what all share at its end", async () => {
    const events: string[] = [];
    const harness = harnessOf(undefined, {
      destroy: async () => {
        events.push("destroyed");
      },
    });
    await runStoreConformance(harness, {
      clauses: ["S10"],
      onProgress: (progress) => {
        const id = progress.event === "started" ? progress.id : progress.result.id;
        events.push(`${progress.event} ${id} ${progress.index + 1}/${progress.of}`);
      },
    });
    expect(events.slice(0, 2)).toEqual(["started S10.1-create 1/5", "ended S10.1-create 1/5"]);
    expect(events.at(-1)).toBe("destroyed");
  });

  test("what cannot be freed at the end is told, and is no verdict on the store", async () => {
    const harness = harnessOf(undefined, {
      destroy: async () => Promise.reject(new Error("the server does not stop")),
    });
    const report = await runStoreConformance(harness, { clauses: ["S10"] });
    expect(report.ok).toBe(true);
    expect(String(report)).toContain("destroy threw Error: the server does not stop");
  });

  test.each([
    [{ clauses: ["S12"] }, /there is no clause "S12"/],
    [{ caseTimeoutMs: 0 }, /caseTimeoutMs must be above 0/],
  ])("options that say something wrong are refused: %j", async (options, message) => {
    const running = runStoreConformance(harnessOf(), options as RunConformanceOptions);
    await expect(running).rejects.toThrow(message);
  });
});
