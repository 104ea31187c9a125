// What an adapter may know of core's keys: which of them belong to one entity.
import fc from "fast-check";
import { expect, test } from "vitest";
import { entityKeyOf } from "../src/adapter/entity-key.js";
import { keyPrefix, storeKey } from "../src/shared/store-key.js";

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme" }),
  fc.stringMatching(/^[0-9:{}]*$/),
);
const algorithm = fc.constantFrom("stateMachine" as const, "register" as const, "dedup" as const);

test("an entity and its requests share the part that names the entity", () => {
  fc.assert(
    fc.property(text, algorithm, text, text, (name, of, id, requestId) => {
      const entity = storeKey(keyPrefix(name, of), id);
      expect(entityKeyOf(entity)).toBe(entity);
      expect(entityKeyOf(storeKey(entity, requestId))).toBe(entity);
    }),
  );
});

test("a unique insert's keys belong to no entity", () => {
  fc.assert(
    fc.property(text, text, text, (name, field, key) => {
      const at = storeKey(storeKey(keyPrefix(name, "uniqueInsert"), field), key);
      expect(entityKeyOf(at)).toBeUndefined();
    }),
  );
});

test.each([
  "",
  "a",
  "1",
  "1:",
  ":",
  "1:a",
  "1:a1:b",
  "1:a1:b2:c",
  "1:a:b1:c",
  "1:a99999999999999999999:b1:c",
])("%j is no key of core's", (key) => {
  expect(entityKeyOf(key)).toBeUndefined();
});
