import { createDedup } from "@onceproof/core";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { createWorld, never, rejectionCode } from "./support/dedup-world.ts";
import { propertyRuns, propertyTimeoutMs } from "./support/property-runs.ts";

vi.setConfig({ testTimeout: propertyTimeoutMs() });

const NESTED = {
  at: new Date(1_800_000_000_123),
  amount: 12_345_678_901_234_567_890n,
  rates: new Map<unknown, unknown>([
    ["eur", 1.1],
    [{ deep: [1] }, new Map([[1, "one"]])],
  ]),
  tags: new Set<unknown>(["a", 1, null, new Set([2])]),
  bytes: new Uint8Array([0, 1, 255, 128]),
  missing: undefined,
  nothing: null,
  nan: Number.NaN,
  minus: -0,
  infinite: [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  text: "ä😀\u0000\u2028\n\"\\'</script>",
  list: [[], {}, [undefined], ""],
};

describe("a duplicate's value", () => {
  test.each([
    ["a Date", new Date(0)],
    ["an invalid Date", new Date(Number.NaN)],
    ["a bigint", -1n],
    ["a Map", new Map([["a", new Map([["b", 1]])]])],
    ["a Set", new Set([1, "1"])],
    ["bytes", new Uint8Array(1024).fill(200)],
    ["a part of a buffer", new Uint8Array([1, 2, 3, 4]).subarray(1, 3)],
    ["undefined inside", { a: undefined, b: [undefined] }],
    ["NaN inside", [Number.NaN]],
    ["minus zero inside", { a: -0 }],
    ["a key called __proto__", JSON.parse('{"__proto__":{"a":1},"b":2}')],
    ["keys like those of an encoding", { type: "Date", value: 0, $: [], "": 1, constructor: 2 }],
    ["text of every kind", NESTED.text],
    ["all of it, nested", NESTED],
  ])("is deep-equal to the first caller's: %s", async (_, value: unknown) => {
    const w = createWorld();
    const dedup = w.dedup();
    expect(await w.run(dedup.run("k", () => value))).toBe(value);
    expect(await w.run(dedup.attempt("k", never))).toStrictEqual({ outcome: "replayed", value });
    expect(await w.run(dedup.inspect("k"))).toStrictEqual({ state: "done", attempt: 1, value });
  });

  test("is not touched by what the first caller does to its own", async () => {
    const w = createWorld();
    const dedup = w.dedup();
    const mine = (await w.run(dedup.run("k", () => ({ items: [1], at: new Date(5) })))) as {
      items: number[];
      at: Date;
    };
    mine.items.push(2);
    mine.at.setTime(0);
    const theirs = await w.run(dedup.run("k", never));
    expect(theirs).toStrictEqual({ items: [1], at: new Date(5) });
    (theirs as { items: number[] }).items.push(3);
    expect(await w.run(dedup.run("k", never))).toStrictEqual({ items: [1], at: new Date(5) });
  });

  test("is deep-equal for every value of the promised kinds", async () => {
    const key = fc.string({ unit: "binary", maxLength: 6 });
    const leaf = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.double(),
      fc.integer(),
      fc.bigInt(),
      fc.boolean(),
      fc.constantFrom<unknown>(undefined, null, "", 0, -0, Number.NaN),
      fc.date({ noInvalidDate: false }),
      fc.uint8Array(),
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, depthIdentifier: "v" },
        leaf,
        fc.array(tie("value"), { depthIdentifier: "v", maxLength: 4 }),
        fc.dictionary(key, tie("value"), {
          depthIdentifier: "v",
          maxKeys: 4,
          noNullPrototype: true,
        }),
        fc
          .array(fc.tuple(tie("value"), tie("value")), { depthIdentifier: "v", maxLength: 3 })
          .map((pairs) => new Map(pairs)),
        fc
          .array(tie("value"), { depthIdentifier: "v", maxLength: 3 })
          .map((items) => new Set(items)),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(value, async (original) => {
        const w = createWorld();
        const dedup = createDedup({
          store: w.faulty.direct,
          name: "v",
          onCrash: "park",
          runtime: w.runtime,
        });
        await dedup.run("k", () => original);
        expect(await dedup.attempt("k", never)).toStrictEqual({
          outcome: "replayed",
          value: original,
        });
      }),
      propertyRuns(300),
    );
  });

  test("is deep-equal or declared unavailable for any value whatever, never another", async () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withObjectString: true,
      withSparseArray: true,
      withTypedArray: true,
      withUnicodeString: true,
    });
    await fc.assert(
      fc.asyncProperty(anything, async (original) => {
        const w = createWorld();
        const dedup = createDedup({
          store: w.faulty.direct,
          name: "v",
          onCrash: "park",
          runtime: w.runtime,
        });
        expect(await dedup.run("k", () => original)).toBe(original);
        const again = await dedup.attempt("k", never);
        if (again.outcome !== "valueUnavailable") {
          expect(again).toStrictEqual({ outcome: "replayed", value: original });
        }
      }),
      propertyRuns(300),
    );
  });
});

describe("a result that can't be stored", () => {
  const CIRCULAR: { self?: unknown } = {};
  CIRCULAR.self = [CIRCULAR];
  class Account {
    readonly balance = 1;
  }
  const REVOKED = Proxy.revocable({}, {});
  REVOKED.revoke();

  test.each<[string, unknown]>([
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["an object with a method", { call: () => 1 }],
    ["an instance of a class", new Account()],
    ["a throwing getter", Object.defineProperty({}, "x", { enumerable: true, get: never })],
    ["a revoked proxy", { inner: REVOKED.proxy }],
    ["a value over the store's limit", "x".repeat(1_100_000)],
    ["bytes over the store's limit", new Uint8Array(1_000_000)],
    ["a promise inside", [Promise.resolve(1)]],
  ])("is given to the first caller, recorded as done and never run again: %s", async (_, value) => {
    const w = createWorld();
    const dedup = w.dedup();
    const first = await w.counter.during(() => w.run(dedup.attempt("k", () => value)));
    expect(first.result).toMatchObject({ outcome: "executed", recorded: true });
    expect((first.result as { value: unknown }).value).toBe(value);
    expect(first.calls.total).toBe(2);
    expect(await w.run(dedup.attempt("k", never))).toEqual({ outcome: "valueUnavailable" });
    expect(await rejectionCode(w.run(dedup.run("k", never)))).toBe("valueUnavailable");
    expect(await w.run(dedup.inspect("k"))).toEqual({
      state: "done",
      attempt: 1,
      valueUnavailable: true,
    });
  });

  test.each<[string, unknown]>([
    ["a circular object", CIRCULAR],
    ["a lone surrogate", { text: "\ud800" }],
    ["an error", new Error("as a value")],
    ["a regular expression", /a/g],
    ["a boxed number", Object(1)],
    ["a typed array", new Float64Array([1, -0])],
    ["a sparse array", Object.assign([], { 0: 1, 2: 3 })],
  ])("or, if it can be, is deep-equal: %s", async (_, value) => {
    const w = createWorld();
    const dedup = w.dedup();
    expect(await w.run(dedup.run("k", () => value))).toBe(value);
    const again = await w.run(dedup.attempt("k", never));
    if (again.outcome !== "valueUnavailable") {
      expect(again).toStrictEqual({ outcome: "replayed", value });
    }
  });
});
