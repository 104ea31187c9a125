// A store that can't be reached for a while, after the handler or one of its steps has run.

import { Final, Retryable, StoreError } from "@onceproof/core";
import { describe, expect, test } from "vitest";
import { createWorld, type DedupWorld, never, settled } from "./support/dedup-world.ts";

const SETTLE_MS = 10_000;

/** From now on, for this long, the store can't be reached. */
function outage(w: DedupWorld, forMs: number): void {
  w.runtime.setTimer(w.cut({ fault: "unavailable" }), forMs);
}

/** Charges, and the store goes away before that is recorded. */
function charging(w: DedupWorld, forMs: number) {
  const effects: string[] = [];
  const charge = (): string => {
    effects.push("charged");
    outage(w, forMs);
    return "receipt";
  };
  return { effects, charge };
}

const UNAVAILABLE = { code: "unavailable" };

describe("an outage while a step's result is recorded", () => {
  test.each([1, 500, 5_000, SETTLE_MS - 1_000])("of %d ms goes unnoticed", async (forMs) => {
    const w = createWorld();
    const { effects, charge } = charging(w, forMs);
    const first = w.dedup().attempt("k", (ctx) => ctx.step("charge", charge));
    expect(await w.run(first)).toMatchObject({
      outcome: "executed",
      value: "receipt",
      recorded: true,
    });
    expect(await w.run(w.dedup().run("k", never))).toBe("receipt");
    expect(effects).toEqual(["charged"]);
  });

  test("that outlasts the settling is indeterminate, never unavailable", async () => {
    const w = createWorld();
    const { effects, charge } = charging(w, SETTLE_MS + 5_000);
    const run = settled(w.dedup().run("k", (ctx) => ctx.step("charge", charge)));
    const { error } = await w.run(run);
    expect(error).toMatchObject({ code: "indeterminate", cause: UNAVAILABLE });
    expect((error as Error).cause).toBeInstanceOf(StoreError);
    expect(effects).toEqual(["charged"]);
    const left = await w.run(w.dedup().inspect("k"));
    expect(left).toMatchObject({ state: "open", unresolved: true });
    const parked = await w.run(w.dedup().attempt("k", never));
    expect(parked).toMatchObject({ outcome: "indeterminate", reason: "parked" });
  });

  test("that outlasts everything, its lease too, is indeterminate as well", async () => {
    const w = createWorld();
    const { charge } = charging(w, 600_000);
    const run = settled(w.dedup().run("k", (ctx) => ctx.step("charge", charge)));
    expect((await w.run(run)).error).toMatchObject({ code: "indeterminate", cause: UNAVAILABLE });
  });

  test("is awaited for as long as settleMs says", async () => {
    const w = createWorld();
    const { charge } = charging(w, 2_000);
    const dedup = w.dedup({ settleMs: 1_000 });
    const run = settled(dedup.run("k", (ctx) => ctx.step("charge", charge)));
    expect((await w.run(run)).error).toMatchObject({ code: "indeterminate", cause: UNAVAILABLE });
  });

  test.each([
    [5_000, undefined],
    [SETTLE_MS + 5_000, "indeterminate"],
  ])("of %d ms, in a claim: %s", async (forMs, code) => {
    const w = createWorld();
    const { effects, charge } = charging(w, forMs);
    const begun = await w.run(w.claims().begin("k"));
    const claim = begun.outcome === "acquired" ? begun.claim : never();
    const { value, error } = await w.run(settled(claim.step("charge", charge)));
    expect(value).toBe(code === undefined ? "receipt" : undefined);
    expect((error as { code?: unknown } | undefined)?.code).toBe(code);
    expect(effects).toEqual(["charged"]);
  });
});

describe("an outage while an attempt finishes", () => {
  test("that is over within settleMs goes unnoticed: recorded, and replayed", async () => {
    const w = createWorld();
    const first = w.dedup().attempt("k", () => {
      outage(w, 3_000);
      return 7;
    });
    expect(await w.run(first)).toMatchObject({ outcome: "executed", value: 7, recorded: true });
    expect(await w.run(w.dedup().attempt("k", never))).toEqual({ outcome: "replayed", value: 7 });
  });

  test("of one refused call only goes unnoticed too", async () => {
    const w = createWorld();
    const first = w.dedup().attempt("k", () => {
      w.inject({ fault: "unavailable" });
      return 7;
    });
    expect(await w.run(first)).toMatchObject({ value: 7, recorded: true });
    expect(await w.run(w.dedup().run("k", never))).toBe(7);
  });

  test("a rejection is recorded after it", async () => {
    const w = createWorld();
    const first = w.dedup().attempt("k", () => {
      outage(w, 3_000);
      throw new Final("declined", "no funds");
    });
    expect(await w.run(first)).toMatchObject({ outcome: "failed", recorded: true });
    expect(await w.run(w.dedup().attempt("k", never))).toMatchObject({
      outcome: "failed",
      replayed: true,
      error: { code: "declined" },
    });
  });

  test("the key is given back after it: clean or marked", async () => {
    for (const [error, unresolved] of [
      [new Retryable("later"), false],
      [new Error("boom"), true],
    ] as const) {
      const w = createWorld();
      const first = w.dedup().attempt("k", () => {
        outage(w, 3_000);
        throw error;
      });
      expect(await w.run(first)).toMatchObject({ outcome: "threw", error });
      expect(await w.run(w.dedup().inspect("k"))).toMatchObject({ state: "open", unresolved });
    }
  });

  test("that outlasts the settling loses no value: recorded is unknown", async () => {
    const w = createWorld();
    const first = w.dedup().attempt("k", () => {
      outage(w, SETTLE_MS + 5_000);
      return 7;
    });
    expect(await w.run(first)).toMatchObject({ value: 7, recorded: "unknown" });
    expect(w.runtime.monotonicNow()).toBeGreaterThanOrEqual(SETTLE_MS);
  });
});
