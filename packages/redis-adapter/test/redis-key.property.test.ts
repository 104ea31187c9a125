// No two store keys share a Redis key, whatever their characters, their length and the prefix.
import fc from "fast-check";
import { expect, test } from "vitest";
import { redisKey } from "../src/redis-key.js";

const key = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1 }),
  fc.string({ unit: "binary", minLength: 1, maxLength: 2000 }),
  fc.string({ minLength: 508, maxLength: 516 }),
  fc.string().map((text) => `#sha256:${text}`),
);
const prefix = fc.string().filter((text) => !text.includes("|"));

test("two keys share a Redis key only if prefix and key are the same", () => {
  fc.assert(
    fc.property(prefix, key, prefix, key, (p, a, q, b) => {
      expect(redisKey(p, a) === redisKey(q, b)).toBe(p === q && a === b);
    }),
  );
});

test("a key cannot be made to meet another one's hash", () => {
  const long = "k".repeat(2000);
  const hashed = redisKey("p", long).slice("p|".length);
  expect(redisKey("p", hashed)).not.toBe(redisKey("p", long));
});
