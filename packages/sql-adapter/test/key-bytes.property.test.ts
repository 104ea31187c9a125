// No two store keys name the same row, whatever their characters and length.
import fc from "fast-check";
import { expect, test } from "vitest";
import { keyBytes } from "../src/shared/key-bytes.js";

const key = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1 }),
  fc.string({ unit: "binary", minLength: 1, maxLength: 3000 }),
  fc.string({ minLength: 1020, maxLength: 1030 }),
  fc.string().map((text) => `#sha256:${text}`),
);

test("two keys are the same bytes only if they are the same key", () => {
  fc.assert(
    fc.property(key, key, (a, b) => {
      expect(keyBytes(a).equals(keyBytes(b))).toBe(a === b);
    }),
  );
});

test("the bytes always fit into an index row", () => {
  fc.assert(
    fc.property(key, (a) => {
      expect(keyBytes(a).length).toBeLessThanOrEqual(1024);
    }),
  );
});

test("a key cannot be made to meet another one's hash", () => {
  const long = "k".repeat(2000);
  const hashed = keyBytes(long).toString("utf8");
  expect(keyBytes(hashed).equals(keyBytes(long))).toBe(false);
});
