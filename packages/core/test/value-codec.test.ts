import { describe, expect, test } from "vitest";
import { decodeValue, encodeValue } from "../src/shared/value-codec.js";

const again = (value: unknown): unknown => decodeValue(encodeValue(value));

describe("values come back deep-equal", () => {
  const cyclic: { name: string; self?: unknown } = { name: "c" };
  cyclic.self = cyclic;

  test.each<[string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["false", false],
    ["zero", 0],
    ["minus zero", -0],
    ["NaN", Number.NaN],
    ["infinities", [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]],
    ["the empty text", ""],
    ["text of every kind", '\u0000\n"\\</script>\u2028é😀'],
    ["half a surrogate pair", "\ud800"],
    ["half a surrogate pair beside what JSON lacks", { text: "\udc00x", more: undefined }],
    ["half a surrogate pair as a key", new Map([["\ud83d", 1n]])],
    ["an undefined field", { a: undefined, b: { c: undefined } }],
    ["minus zero within", [{ a: -0 }]],
    ["a hole", Object.assign([], { 0: 1, 2: 3 })],
    ["a very sparse list", Object.assign([], { 5000: 1, length: 6_000 })],
    ["a bigint", 123_456_789_012_345_678_901_234_567_890n],
    ["a Date", new Date(1_800_000_000_123)],
    ["an invalid Date", new Date(Number.NaN)],
    ["a Map of anything to anything", new Map<unknown, unknown>([[{ a: 1 }, new Set([1n])]])],
    ["a Set with -0 and NaN", new Set([0, Number.NaN, "0"])],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 })],
    ["a regular expression", /a+/giu],
    ["a URL", new URL("https://example.org/?a=1")],
    ["bytes", new Uint8Array([0, 1, 255])],
    ["a view of a part", new Uint8Array([9, 1, 2, 9]).subarray(1, 3)],
    ["floats", new Float64Array([-0, Number.NaN, 1.5])],
    ["big integers", new BigUint64Array([2n ** 63n])],
    ["an ArrayBuffer", new Uint8Array([1, 2, 3]).buffer],
    ["a DataView of a part", new DataView(new Uint8Array([9, 1, 2]).buffer, 1)],
    ["what contains itself", cyclic],
    ["the same object twice", [cyclic, cyclic]],
    ["keys that look like numbers or prototypes", { 1: "a", constructor: 1, toString: 2n }],
  ])("%s", (_, value) => {
    expect(again(value)).toStrictEqual(value);
  });

  test("deep nesting", () => {
    let deep: unknown = { leaf: 1n };
    for (let depth = 0; depth < 500; depth += 1) {
      deep = depth % 2 === 0 ? [deep] : { deep };
    }
    expect(again(deep)).toStrictEqual(deep);
  });

  test("a Node Buffer comes back as its bytes", () => {
    expect(again({ body: Buffer.from("abc") })).toEqual({ body: new Uint8Array([97, 98, 99]) });
  });
});

describe("what is stored", () => {
  test("is text that every store keeps as it is", () => {
    for (const value of ["\ud800", { a: "\udc00", b: undefined }, new Map([["\ud800", 1]])]) {
      expect(encodeValue(value)).not.toMatch(/\p{Surrogate}/u);
    }
  });

  // Two views may share one buffer, whose other bytes are someone else's.
  test("holds no bytes beside those of a view", () => {
    const pool = new Uint8Array(10_000).fill(0x61);
    const secret = new TextEncoder().encode("a secret beside it");
    pool.set(secret, 100);
    for (const view of [pool.subarray(0, 3), new DataView(pool.buffer, 0, 3)]) {
      const text = encodeValue({ view });
      expect(text.length).toBeLessThan(100);
      expect(new Uint8Array((again({ view }) as { view: DataView }).view.buffer)).toHaveLength(3);
    }
  });

  test("takes the plain way for plain JSON", () => {
    expect(encodeValue({ a: [1, "b", null, true] })).toBe('j{"a":[1,"b",null,true]}');
  });
});

describe("values that cannot be stored throw", () => {
  class Point {
    readonly x = 1;
  }
  test.each<[string, unknown]>([
    ["a function", () => 1],
    ["a function within", { a: [() => 1] }],
    ["a symbol", Symbol("s")],
    ["an object with symbol keys", { [Symbol("s")]: 1 }],
    ["a class instance", new Point()],
    ["a promise", Promise.resolve(1)],
    ["a WeakMap", new WeakMap()],
    ["an object with a toJSON of its own", { a: 1, toJSON: () => 2 }],
  ])("%s", (_, value) => {
    expect(() => encodeValue(value)).toThrow();
  });

  test("an own __proto__ comes back, or is refused, but never becomes a prototype", () => {
    const value: unknown = JSON.parse('{"__proto__":{"admin":true}}');
    const decoded = again(value) as { admin?: boolean };
    expect(decoded.admin).toBeUndefined();
    expect(Object.keys(decoded)).toEqual(["__proto__"]);
    expect(() => encodeValue({ more: undefined, value })).toThrow();
  });

  // Each level holds the one below twice: a walk of every path would never end.
  test("a value with very many paths ends, one way or the other", () => {
    let shared: unknown = [1];
    for (let depth = 0; depth < 60; depth += 1) {
      shared = [shared, shared];
    }
    expect(encodeValue(shared).length).toBeLessThan(10_000);
  });
});

test("text of another format is refused with a code", () => {
  for (const text of ["", "x1", "J{}"]) {
    expect(() => decodeValue(text)).toThrow(expect.objectContaining({ code: "formatUnknown" }));
  }
});
