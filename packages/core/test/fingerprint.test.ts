import { createHash } from "node:crypto";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { fingerprintOf, fingerprintsDiffer } from "../src/shared/fingerprint.js";

class Money {
  constructor(readonly cents: number) {}
  toJSON(): string {
    return `${this.cents}`;
  }
}

describe("the same payload has the same fingerprint", () => {
  test.each<[string, unknown, unknown]>([
    ["in any order of keys", { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ["in any order of keys that look like numbers", { b: 1, 2: 2, 10: 3 }, { 10: 3, b: 1, 2: 2 }],
    ["with an undefined field or without it", { a: 1, b: undefined }, { a: 1 }],
    [
      "in any order of a Map",
      new Map([
        ["a", 1],
        ["b", 2],
      ]),
      new Map([
        ["b", 2],
        ["a", 1],
      ]),
    ],
    ["in any order of a Set", new Set([1, "1", { a: 1 }]), new Set([{ a: 1 }, "1", 1])],
    ["with a prototype or without one", { a: 1 }, Object.assign(Object.create(null), { a: 1 })],
    ["as a Buffer or as bytes", Buffer.from("abc"), new Uint8Array([97, 98, 99])],
    ["as a view of a part", new Uint8Array([9, 1, 2]).subarray(1), new Uint8Array([1, 2])],
    ["as a copy", { d: new Date(5), b: [1n, -0] }, { d: new Date(5), b: [1n, -0] }],
    ["from another realm", { a: [new Date(5)] }, runInNewContext("({ a: [new Date(5)] })")],
    ["as the same Map from another realm", new Map([[1, 2]]), runInNewContext("new Map([[1, 2]])")],
    ["as an instance with the same toJSON", new Money(5), new Money(5)],
  ])("%s", (_, one, other) => {
    expect(fingerprintOf(one)).toBe(fingerprintOf(other));
  });
});

test("large bytes and large texts have a fingerprint like small ones", () => {
  const bytes = new Uint8Array(2 ** 21).fill(7);
  expect(fingerprintOf({ bytes })).toBe(fingerprintOf({ bytes: bytes.slice() }));
  const other = bytes.slice();
  other[2 ** 20] = 8;
  expect(fingerprintOf({ bytes })).not.toBe(fingerprintOf({ bytes: other }));
  const text = "é".repeat(2 ** 20);
  expect(fingerprintOf(text)).not.toBe(fingerprintOf(`${text}e`));
});

test("different payloads have different fingerprints", () => {
  const payloads: unknown[] = [
    ...[undefined, null, true, false, "", "null", "undefined", "true", "0"],
    ...[0, -0, 1, 1n, "1", Number.NaN, "NaN", Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    ...[[], [[]], {}, [{}], [undefined], [null], [0], [-0], [undefined, undefined]],
    ...[["number", "NaN"], ["bigint", "1"], ["undefined"], ["Array"], ["Map"], ["Set"]],
    ...[{ a: 1 }, { a: "1" }, { a: 1n }, { a: null }, { A: 1 }, { a: { a: 1 } }, { "a:1": 1 }],
    ...[["a", 1], [["a", 1]], { 0: "a", 1: 1 }, "a,1", ["a,1"]],
    ...[new Map([["a", 1]]), new Map([["a", "1"]]), new Map([[1, "a"]]), new Map(), new Set()],
    ...[new Set(["a"]), new Set([["a"]]), new Set([["a", 1]]), new Set([1]), new Set(["1"])],
    ...[new Map([[{ a: 1 }, 1]]), new Map([[{ a: 2 }, 1]]), new Map([['{"a":1}', 1]])],
    ...[new Map([["a", undefined]]), new Map([["a", null]]), new Set([undefined]), new Set([""])],
    ...[new Set([new Set()]), new Set([new Map()]), new Set(['["Set"]'])],
    ...[new Date(0), new Date(0).toISOString(), new Date(1), 0 + 5, new Date(Number.NaN)],
    ...[new Uint8Array([1, 0]), new Uint16Array([1]), [1, 0], "AQA", new Uint8Array([1])],
    ...[new Uint8Array(), new Int8Array([1, 0]), new DataView(new Uint8Array([1, 0]).buffer)],
    ...[new Float32Array([0]), new Uint8Array(4), "é", "e\u0301", "\ud800", "\udc00", "\ufffd"],
    ...[
      new Money(5),
      ["Object", "5"],
      JSON.parse('{"__proto__":1}'),
      JSON.parse('{"__proto__":2}'),
    ],
    ...[{ toJSON: 1 }, { constructor: 1 }, "a\u0000", "a"],
  ];
  const seen = new Map<string, unknown>();
  for (const [index, payload] of payloads.entries()) {
    const print = fingerprintOf(payload);
    expect(seen.has(print), `payload ${index} and ${String(seen.get(print))}`).toBe(false);
    seen.set(print, index);
  }
});

describe("a payload that has no fingerprint is refused with a code", () => {
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  class Point {
    readonly x = 1;
  }
  let endless: unknown = 1;
  for (let depth = 0; depth < 100_000; depth += 1) {
    endless = [endless];
  }
  test.each<[string, unknown]>([
    ["a function", () => 1],
    ["a function within", { a: { b: () => 1 } }],
    ["a symbol", Symbol("s")],
    ["a symbol within a Map", new Map([[Symbol("s"), 1]])],
    ["a class instance", new Point()],
    ["a class instance within a Set", new Set([new Point()])],
    ["what contains itself", cyclic],
    ["what is nested without end", endless],
    ["a promise", Promise.resolve()],
    ["a getter that throws", Object.defineProperty({}, "a", { enumerable: true, get: boom })],
    ["a plain object with a toJSON of its own", { toJSON: () => 1 }],
  ])("%s", (_, payload) => {
    expect(() => fingerprintOf(payload)).toThrow(
      expect.objectContaining({ name: "ArgumentError", code: "inputUnencodable" }),
    );
  });
});

describe("fields can be left out", () => {
  test("at the top, and only there", () => {
    const omit = ["at", "trace"];
    const one = { amount: 1, at: 1, trace: "x", meta: { at: 1 } };
    expect(fingerprintOf(one, omit)).toBe(
      fingerprintOf({ amount: 1, at: 2, meta: { at: 1 } }, omit),
    );
    expect(fingerprintOf(one, omit)).toBe(fingerprintOf({ amount: 1, meta: { at: 1 } }));
    expect(fingerprintOf(one, omit)).not.toBe(fingerprintOf({ ...one, meta: { at: 2 } }, omit));
    expect(fingerprintOf(one, [])).toBe(fingerprintOf(one));
  });

  test("of plain objects alone: every other payload keeps its kind and its content", () => {
    const payloads = [
      ...[new Map([["a", 1]]), new Map([["a", 2]]), new Set([1]), new Set([2])],
      ...[new Date(1), new Date(2), [1], [2], { 0: 1 }, new Uint8Array([1]), {}, "a", 1, null],
    ];
    const prints = payloads.map((payload) => fingerprintOf(payload, ["at"]));
    expect(new Set(prints).size).toBe(payloads.length);
    expect(prints).toEqual(payloads.map((payload) => fingerprintOf(payload)));
    class Point {
      readonly x = 1;
    }
    expect(() => fingerprintOf(new Point(), ["at"])).toThrow(
      expect.objectContaining({ code: "inputUnencodable" }),
    );
  });
});

describe("what is compared", () => {
  test("a fingerprint is a version and 128 bits of hash, and shows nothing of the payload", () => {
    expect(fingerprintOf({ card: "4111111111111111" })).toMatch(/^1\.[A-Za-z0-9_-]{22}$/);
  });

  test("those of the same version differ when they are not the same", () => {
    expect(fingerprintsDiffer("1.a", "1.b")).toBe(true);
    expect(fingerprintsDiffer("1.a", "1.a")).toBe(false);
  });

  test("those of two versions, and a missing one, are not known to differ", () => {
    expect(fingerprintsDiffer("1.a", "2.b")).toBe(false);
    expect(fingerprintsDiffer("1.a", "11.a")).toBe(false);
    expect(fingerprintsDiffer(undefined, "1.a")).toBe(false);
    expect(fingerprintsDiffer("1.a", undefined)).toBe(false);
  });

  // What is stored today must be recognised by the next release, or the version must change.
  test.each<[string, unknown]>([
    [
      '{"a":{"c":1.5},"b":[1,"x",null,true]}',
      { b: [1, "x", null, true], a: { d: undefined, c: 1.5 } },
    ],
    ['"Date"("1970-01-01T00:00:00.000Z")', new Date(0)],
    ["[-0,5n,undefined]", [-0, 5n, undefined]],
    ['"Set"("a",1)', new Set(["a", 1])],
    ['"Map"(["k",2])', new Map([["k", 2]])],
    ['"Uint8Array"(AQL_)', new Uint8Array([1, 2, 255])],
  ])("the canonical form of version 1 is fixed: %s", (form, payload) => {
    const digest = createHash("sha256").update(`${form.length}:${form}`).digest();
    const hash = digest.subarray(0, 16).toString("base64url");
    expect(fingerprintOf(payload)).toBe(`1.${hash}`);
  });
});

function boom(): never {
  throw new Error("boom");
}
