// What every adapter relies on being checked before a write reaches it.

import { createMemoryStore } from "@onceproof/core";
import {
  checkStoreKey,
  checkWrite,
  checkWriteAll,
  utf8Length,
  type Write,
  type WriteAll,
} from "@onceproof/core/advanced";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "./support/property-runs.ts";

const MIB = 2 ** 20;
const OP_ID = "abcdefghijklmnopqrstu_";
const STAMP = { revision: 5, opId: OP_ID };
const NEXT = { value: "v", ttlMs: 1_000 };
const CREATE = { key: "k", opId: OP_ID, expect: "absent", next: NEXT };

describe("a write that is well formed passes", () => {
  test.each<[string, object]>([
    ["a create", CREATE],
    ["a create that never expires", { ...CREATE, next: { value: "", ttlMs: "never" } }],
    ["a create since a revision", { ...CREATE, expect: { absentSince: 0 } }],
    ["a change", { ...CREATE, expect: STAMP }],
    [
      "a change that keeps its end",
      { ...CREATE, expect: STAMP, next: { value: "v", ttlMs: "keep" } },
    ],
    ["a touch", { ...CREATE, expect: STAMP, next: { touch: true, ttlMs: 1 } }],
    ["a removal", { ...CREATE, expect: STAMP, next: "removed" }],
    ["a time to live below a microsecond", { ...CREATE, next: { value: "v", ttlMs: 1e-9 } }],
    ["a key of every character", { ...CREATE, key: "\u0000 {}:%'\"\n😀" }],
    ["a very long key", { ...CREATE, key: "k".repeat(100_000) }],
    ["the largest value", { ...CREATE, next: { value: "x".repeat(MIB), ttlMs: 1 } }],
    [
      "a value of three-byte characters",
      { ...CREATE, next: { value: "€".repeat(MIB / 4), ttlMs: 1 } },
    ],
  ])("%s", (_, write) => {
    expect(() => checkWrite(write as Write, MIB)).not.toThrow();
  });
});

const BAD: [string, unknown, string][] = [
  ["no write", undefined, "writeInvalid"],
  ["null", null, "writeInvalid"],
  ["no key", { ...CREATE, key: undefined }, "keyNotString"],
  ["an empty key", { ...CREATE, key: "" }, "keyEmpty"],
  ["half a surrogate pair in the key", { ...CREATE, key: "a\ud800" }, "keyNotWellFormed"],
  ["no opId", { ...CREATE, opId: undefined }, "writeInvalid"],
  ["a short opId", { ...CREATE, opId: "abc" }, "writeInvalid"],
  ["an opId with a line more", { ...CREATE, opId: `${OP_ID}\n` }, "writeInvalid"],
  ["an opId in a list", { ...CREATE, opId: [OP_ID] }, "writeInvalid"],
  ["no expectation: there is no blind write", { ...CREATE, expect: undefined }, "writeInvalid"],
  ["an expectation of null", { ...CREATE, expect: null }, "writeInvalid"],
  ["an expectation in other words", { ...CREATE, expect: "Absent" }, "writeInvalid"],
  ["a stamp without opId", { ...CREATE, expect: { revision: 5 } }, "writeInvalid"],
  [
    "a stamp with an opId in a list",
    { ...CREATE, expect: { ...STAMP, opId: [OP_ID] } },
    "writeInvalid",
  ],
  ["a stamp without revision", { ...CREATE, expect: { opId: OP_ID } }, "writeInvalid"],
  ["a broken revision", { ...CREATE, expect: { ...STAMP, revision: 1.5 } }, "writeInvalid"],
  ["an unsafe revision", { ...CREATE, expect: { ...STAMP, revision: 2 ** 53 } }, "writeInvalid"],
  ["a negative revision", { ...CREATE, expect: { absentSince: -1 } }, "writeInvalid"],
  ["a revision of NaN", { ...CREATE, expect: { absentSince: Number.NaN } }, "writeInvalid"],
  ["a bigint revision", { ...CREATE, expect: { absentSince: 1n } }, "writeInvalid"],
  ["no next", { ...CREATE, next: undefined }, "writeInvalid"],
  ["a next of null", { ...CREATE, next: null }, "writeInvalid"],
  ["a value alone", { ...CREATE, next: "v" }, "writeInvalid"],
  ["a create that removes", { ...CREATE, next: "removed" }, "writeInvalid"],
  ["a create that touches", { ...CREATE, next: { touch: true, ttlMs: 1 } }, "writeInvalid"],
  ["a create that keeps", { ...CREATE, next: { value: "v", ttlMs: "keep" } }, "durationInvalid"],
  [
    "a touch that keeps",
    { ...CREATE, expect: STAMP, next: { touch: true, ttlMs: "keep" } },
    "durationInvalid",
  ],
  ...[0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "1000", undefined, null, 5n].map(
    (ttlMs): [string, unknown, string] => [
      `a time to live of ${String(ttlMs)}`,
      { ...CREATE, next: { value: "v", ttlMs } },
      "durationInvalid",
    ],
  ),
  [
    "a time to live without a prototype",
    { ...CREATE, next: { value: "v", ttlMs: Object.create(null) } },
    "durationInvalid",
  ],
  ["a value that is no text", { ...CREATE, next: { value: 5, ttlMs: 1 } }, "writeInvalid"],
  [
    "a value with half a surrogate pair",
    { ...CREATE, next: { value: "\udc00", ttlMs: 1 } },
    "writeInvalid",
  ],
  [
    "a value that is too large",
    { ...CREATE, next: { value: "x".repeat(MIB + 1), ttlMs: 1 } },
    "valueTooLarge",
  ],
  [
    "a value of too many bytes",
    { ...CREATE, next: { value: "€".repeat(MIB / 3 + 1), ttlMs: 1 } },
    "valueTooLarge",
  ],
];

describe("a write that is not is a TypeError with a code", () => {
  test.each(BAD)("%s", async (_, write, code) => {
    const expected = expect.objectContaining({ name: "ArgumentError", code });
    expect(() => checkWrite(write as Write, MIB)).toThrow(expected);
    const store = createMemoryStore();
    await expect(store.write(write as Write)).rejects.toThrow(expected);
    expect(store.size).toBe(0);
  });
});

describe("a write of several keys", () => {
  const { opId, ...step } = CREATE;
  test.each<[string, unknown, string | undefined]>([
    ["passes with different keys", { opId, writes: [step, { ...step, key: "j" }] }, undefined],
    ["needs an opId", { writes: [step] }, "writeInvalid"],
    ["needs a write", { opId, writes: [] }, "writeInvalid"],
    ["needs a list", { opId, writes: step }, "writeInvalid"],
    ["needs writes", { opId }, "writeInvalid"],
    ["needs something", undefined, "writeInvalid"],
    ["takes no key twice", { opId, writes: [step, step] }, "writeInvalid"],
    ["checks each", { opId, writes: [step, { ...step, key: "" }] }, "keyEmpty"],
    ["checks that each is one", { opId, writes: [step, null] }, "writeInvalid"],
  ])("%s", (_, all, code) => {
    const check = (): void => checkWriteAll(all as WriteAll, MIB);
    if (code === undefined) {
      expect(check).not.toThrow();
    } else {
      expect(check).toThrow(expect.objectContaining({ name: "ArgumentError", code }));
    }
  });
});

test("a key that cannot name an entry is refused, whatever it is", () => {
  for (const key of [undefined, null, 5, {}, Symbol("k"), "", "\ud800"]) {
    expect(() => checkStoreKey(key)).toThrow(expect.objectContaining({ name: "ArgumentError" }));
  }
});

test("the length in bytes is what an encoder says", () => {
  const encoder = new TextEncoder();
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
      expect(utf8Length(text)).toBe(encoder.encode(text).length);
    }),
    propertyRuns(2_000),
  );
});
