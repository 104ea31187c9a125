// Keys on Cluster: no two store keys share a Redis key, and what is written together shares a tag.
import fc from "fast-check";
import { expect, test } from "vitest";
import { hashTag } from "../src/hash-slot.js";
import { checkOneSlot, taggedRedisKey } from "../src/tagged-key.js";

const part = fc
  .oneof(
    fc.string(),
    fc.stringMatching(/^[0-9:{}#]*$/),
    fc.string({ minLength: 200, maxLength: 300 }),
  )
  .map((text) => `${text.length}:${text}`);
const algorithm = fc.constantFrom("5:dedup", "12:stateMachine", "8:register", "12:uniqueInsert");
const parts = fc.tuple(part, algorithm, part).map((all) => all.join(""));
const plain = fc.oneof(fc.string({ minLength: 1 }), fc.stringMatching(/^[0-9:{}#a]+$/));
const coreKey = fc.oneof(
  parts,
  fc.tuple(parts, part).map((all) => all.join("")),
);
const key = fc.oneof(
  coreKey,
  plain,
  // What another key becomes is a key, too.
  coreKey.map((inner) => taggedRedisKey("", inner).slice(1)),
  plain.map((inner) => `{${inner}}`),
);
const prefix = fc.constantFrom("", "p", "{p", "{p}", "}");

test("two keys share a Redis key only if prefix and key are the same", () => {
  fc.assert(
    fc.property(prefix, key, prefix, key, (p, a, q, b) => {
      expect(taggedRedisKey(p, a) === taggedRedisKey(q, b)).toBe(p === q && a === b);
    }),
  );
});

test("a key and what it becomes never share a Redis key", () => {
  fc.assert(
    fc.property(key, (a) => {
      const becomes = taggedRedisKey("", a).slice(1);
      expect(taggedRedisKey("", becomes) === taggedRedisKey("", a)).toBe(becomes === a);
    }),
  );
});

test("an entity and its requests share a tag, whatever their characters and lengths", () => {
  const entity = fc.tuple(part, fc.constantFrom("12:stateMachine", "8:register"), part);
  fc.assert(
    fc.property(prefix, entity, part, part, (p, of, a, b) => {
      const at = of.join("");
      const keys = [at, at + a, at + b].map((each) => taggedRedisKey(p, each));
      expect(new Set(keys.map(hashTag)).size).toBe(1);
      checkOneSlot(keys);
    }),
  );
});

test("a tag of the user's own is kept: in the prefix, in a name, in a key", () => {
  for (const [keyPrefix, ...keys] of [
    ["{own}", "a", "1:n12:uniqueInsert5:email1:a"],
    ["p", "{own}a", "b{own}"],
    ["p", "5:{own}12:uniqueInsert5:email1:a", "5:{own}12:uniqueInsert5:phone1:b"],
    ["p", "1:n12:uniqueInsert5:email6:{own}a", "1:n12:uniqueInsert5:phone6:{own}b"],
  ] as const) {
    expect(keys.map((each) => hashTag(taggedRedisKey(keyPrefix, each)))).toEqual(["own", "own"]);
  }
});

test("keys of two tags are refused with what to do", () => {
  const keys = ["1:n12:uniqueInsert5:email1:a", "1:n12:uniqueInsert5:phone1:b"];
  expect(() => checkOneSlot(keys.map((each) => taggedRedisKey("p", each)))).toThrow(
    expect.objectContaining({ code: "crossSlot", message: expect.stringContaining("keyPrefix") }),
  );
});
