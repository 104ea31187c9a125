import { isDeepStrictEqual } from "node:util";
import type { Dedup } from "@onceproof/core";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { createWorld, type DedupWorld, LEASE_MS, never } from "./support/dedup-world.ts";
import { propertyRuns, propertyTimeoutMs } from "./support/property-runs.ts";

vi.setConfig({ testTimeout: propertyTimeoutMs() });

const MISMATCH = { outcome: "mismatch" };

/** Whether two payloads count as the same under one key. */
async function same(a: unknown, b: unknown, omit?: readonly string[]): Promise<boolean> {
  const w = createWorld();
  const dedup = w.dedup(omit === undefined ? {} : { fingerprintOmit: omit });
  await w.run(dedup.run("k", () => 1, { fingerprint: a }));
  const { outcome } = await w.run(dedup.attempt("k", never, { fingerprint: b }));
  expect(["replayed", "mismatch"]).toContain(outcome);
  return outcome === "replayed";
}

describe("fingerprints", () => {
  test("key order does not matter, at any depth", async () => {
    expect(await same({ a: 1, b: { c: 2, d: [3] } }, { b: { d: [3], c: 2 }, a: 1 })).toBe(true);
    expect(await same({ "\u{1f600}": 1, "\uff5e": 2 }, { "\uff5e": 2, "\u{1f600}": 1 })).toBe(true);
    expect(await same({ 10: 1, 9: 2, a: 3 }, { a: 3, 9: 2, 10: 1 })).toBe(true);
  });

  test("the order of a list matters", async () => {
    expect(await same([1, 2], [2, 1])).toBe(false);
  });

  test.each<[string, unknown, unknown]>([
    ["a number and its text", 1, "1"],
    ["nested number and text", { a: [1] }, { a: ["1"] }],
    ["a bigint and a number", 1n, 1],
    ["a bigint and its text", 1n, "1"],
    ["a date and its text", new Date(0), new Date(0).toISOString()],
    ["a date and its number", new Date(0), 0],
    ["null and the text null", null, "null"],
    ["null and undefined inside a list", [null], [undefined]],
    ["null and NaN", null, Number.NaN],
    ["NaN and its text", Number.NaN, "NaN"],
    ["true and its text", true, "true"],
    ["a Map and an object", new Map([["a", 1]]), { a: 1 }],
    ["two Maps", new Map([["a", 1]]), new Map([["a", 2]])],
    ["an empty Map and an empty object", new Map(), {}],
    ["two Sets", new Set([1]), new Set([2])],
    ["a Set and a list", new Set([1]), [1]],
    ["bytes and a list", new Uint8Array([1]), [1]],
    ["two byte arrays", new Uint8Array([1]), new Uint8Array([2])],
    ["a list and an object", [1], { 0: 1 }],
    ["an empty text and nothing", "", null],
    ["composed and decomposed text", "é", "e\u0301"],
    ["dates", new Date(0), new Date(1)],
    ["an object and its JSON", { a: 1 }, '{"a":1}'],
    ["what an encoding of a date might be", new Date(0), { $date: "1970-01-01T00:00:00.000Z" }],
    ["lists of lists", [[1], [2]], [[1, 2]]],
    ["large integers", 2 ** 53, "9007199254740992"],
    ["bigints beyond doubles", 9_007_199_254_740_993n, 9_007_199_254_740_992n],
  ])("are typed: %s differ", async (_, a, b) => {
    expect(await same(a, b)).toBe(false);
    expect(await same(b, a)).toBe(false);
    expect(await same(a, a)).toBe(true);
    expect(await same(b, b)).toBe(true);
  });

  test("leave out the fields that the factory names, at the top only", async () => {
    const omit = ["timestamp", "nonce"];
    expect(await same({ a: 1, timestamp: 1, nonce: "x" }, { a: 1, timestamp: 2 }, omit)).toBe(true);
    expect(await same({ a: 1, timestamp: 1 }, { a: 2, timestamp: 1 }, omit)).toBe(false);
    expect(await same({ a: { nonce: 1 } }, { a: { nonce: 2 } }, omit)).toBe(false);
  });

  test("are not compared when either side leaves them out", async () => {
    const w = createWorld();
    const dedup = w.dedup();
    await w.run(dedup.run("a", () => 1, { fingerprint: 1 }));
    expect(await w.run(dedup.run("a", never))).toBe(1);
    await w.run(dedup.run("b", () => 1));
    expect(await w.run(dedup.run("b", never, { fingerprint: 1 }))).toBe(1);
  });

  test("payloads count as the same exactly when they are deep-equal, key order apart", async () => {
    const leaf = fc.constantFrom<unknown>(
      ...[null, undefined, true, false, "", "a", "1", "null", 0, -0, 1, 1.5, Number.NaN],
      ...[0n, 1n, new Date(0), new Date(1), new Map(), new Map([["a", 1]]), new Set(), [], {}],
      ...[new Set(["a"]), new Uint8Array(), new Uint8Array([1]), [1], ["a"], { a: 1 }],
    );
    const base = fc.dictionary(fc.string(), leaf, { maxKeys: 4, noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(base, fc.string(), leaf, leaf, async (fields, name, one, two) => {
        const a = { ...fields, list: [{ [name]: one }] };
        const b = { list: [{ [name]: two }], ...fields };
        expect(await same(a, structuredClone(a))).toBe(true);
        expect(await same(a, b)).toBe(isDeepStrictEqual(a, b));
      }),
      propertyRuns(400),
    );
  });
});

describe("another payload is a mismatch in every state", () => {
  const boom = (): never => {
    throw new Error("boom");
  };
  const STATES: readonly [string, (dedup: Dedup, w: DedupWorld) => Promise<unknown>][] = [
    ["done", (dedup) => dedup.attempt("k", () => 1, { fingerprint: "one" })],
    [
      "done without a storable value",
      (dedup) => dedup.attempt("k", () => () => 1, { fingerprint: "one" }),
    ],
    [
      "failed",
      async (dedup) => {
        const { Final } = await import("@onceproof/core");
        return dedup.attempt("k", () => Promise.reject(new Final("no", "no")), {
          fingerprint: "one",
        });
      },
    ],
    [
      "open after a retryable failure",
      async (dedup) => {
        const { Retryable } = await import("@onceproof/core");
        return dedup.attempt("k", () => Promise.reject(new Retryable("later")), {
          fingerprint: "one",
        });
      },
    ],
    ["unresolved", (dedup) => dedup.attempt("k", boom, { fingerprint: "one" })],
    [
      "resolved as done",
      async (dedup) => {
        await dedup.attempt("k", boom, { fingerprint: "one" });
        return dedup.resolve("k", { outcome: "done", value: 1 });
      },
    ],
    [
      "resolved as failed",
      async (dedup) => {
        await dedup.attempt("k", boom, { fingerprint: "one" });
        return dedup.resolve("k", { outcome: "failed", code: "no", message: "no" });
      },
    ],
    [
      "resolved as not done",
      async (dedup) => {
        await dedup.attempt("k", boom, { fingerprint: "one" });
        return dedup.resolve("k", { outcome: "notDone" });
      },
    ],
  ];

  test.each(STATES)("%s", async (_, prepare) => {
    for (const onCrash of ["park", "rerun", () => ({ answer: "unknown" }) as const] as const) {
      const w = createWorld();
      const dedup = w.dedup({ onCrash });
      await w.run(prepare(dedup, w));
      const before = await w.run(w.faulty.direct.read("3:pay5:dedup1:k"));
      const other = dedup.attempt("k", never, { fingerprint: "two" });
      expect(await w.run(other)).toEqual(MISMATCH);
      const after = await w.run(w.faulty.direct.read("3:pay5:dedup1:k"));
      expect(after.entry).toEqual(before.entry);
    }
  });

  test("running, at once and without waiting for the first caller", async () => {
    const w = createWorld();
    const dedup = w.dedup();
    const first = dedup.run("k", () => w.runtime.sleep(5_000), { fingerprint: "one" });
    await w.runtime.advance(10);
    const sentMs = w.runtime.monotonicNow();
    expect(await w.run(dedup.attempt("k", never, { fingerprint: "two" }))).toEqual(MISMATCH);
    expect(w.runtime.monotonicNow()).toBe(sentMs);
    await w.run(first);
  });

  test.each(["park", "rerun"] as const)("crashed, under %s", async (onCrash) => {
    const w = createWorld();
    await w.run(w.claims({ onCrash }).begin("k", { fingerprint: "one" }));
    await w.runtime.advance(LEASE_MS);
    const dedup = w.dedup({ onCrash });
    expect(await w.run(dedup.attempt("k", never, { fingerprint: "two" }))).toEqual(MISMATCH);
  });

  test("taken over: the payload of the first attempt binds the next ones", async () => {
    const w = createWorld();
    const dedup = w.dedup({ onCrash: "rerun" });
    await w.run(w.claims().begin("k", { fingerprint: "one" }));
    await w.runtime.advance(LEASE_MS);
    await w.run(dedup.run("k", () => 1, { fingerprint: "one" }));
    expect(await w.run(dedup.attempt("k", never, { fingerprint: "two" }))).toEqual(MISMATCH);
  });

  test("a caller without a fingerprint does not unbind the key by taking over", async () => {
    const w = createWorld();
    const dedup = w.dedup({ onCrash: "rerun" });
    await w.run(w.claims().begin("k", { fingerprint: "one" }));
    await w.runtime.advance(LEASE_MS);
    await w.run(dedup.run("k", () => 1));
    expect(await w.run(dedup.attempt("k", never, { fingerprint: "two" }))).toEqual(MISMATCH);
    expect(await w.run(dedup.run("k", never, { fingerprint: "one" }))).toBe(1);
  });
});

test("a mismatch is an error with a code, and tells nothing of either payload", async () => {
  const w = createWorld();
  const dedup = w.dedup();
  await w.run(dedup.run("k", () => 1, { fingerprint: { card: "4111-secret" } }));
  const error = await w
    .run(dedup.run("k", never, { fingerprint: { card: "4222-secret" } }))
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "mismatch" });
  expect(String((error as Error).stack)).not.toContain("secret");
  const { entry } = await w.run(w.faulty.direct.read("3:pay5:dedup1:k"));
  expect(entry?.value).not.toContain("secret");
});
