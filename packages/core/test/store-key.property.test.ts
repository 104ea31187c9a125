import { createFence, createLock, createTokens } from "@onceproof/core";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import type { Algorithm } from "../src/shared/algorithm.js";
import { shortHash } from "../src/shared/hash.js";
import { keyPrefix, prefixEnd, storeKey } from "../src/shared/store-key.js";
import { propertyRuns, propertyTimeoutMs } from "./support/property-runs.ts";
import { createStoreWorld, withWrite } from "./support/store-world.ts";

vi.setConfig({ testTimeout: propertyTimeoutMs() });

const ALGORITHMS: Algorithm[] = [
  ...(["tokens", "dedup", "stateMachine", "uniqueInsert", "lock", "fence", "register"] as const),
];
// Characters that a key on the wire is made of, so that ambiguities are likely.
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom("1", "0", ":", "4:lock", "5:", "1:a", "a", "é", "😀", "\u0000", " "),
      fc.string({ unit: "grapheme" }),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join(""))
  .filter((joined) => joined !== "");
const triple = fc.tuple(text, fc.constantFrom(...ALGORITHMS), text);

test("two triples of name, algorithm and key never share a key on the wire", () => {
  fc.assert(
    fc.property(fc.array(triple, { minLength: 2, maxLength: 30 }), (triples) => {
      const seen = new Map<string, string>();
      for (const [name, algorithm, key] of triples) {
        const wire = storeKey(keyPrefix(name, algorithm), key);
        const known = JSON.stringify([name, algorithm, key]);
        expect(seen.get(wire) ?? known).toBe(known);
        seen.set(wire, known);
      }
    }),
    propertyRuns(1_000),
  );
});

/** What a key on the wire says, read by its length prefixes: three parts and nothing left. */
function read(wire: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < wire.length; ) {
    const colon = wire.indexOf(":", at);
    const length = Number(wire.slice(at, colon));
    expect(wire.slice(at, colon)).toMatch(/^(0|[1-9][0-9]*)$/);
    parts.push(wire.slice(colon + 1, colon + 1 + length));
    at = colon + 1 + length;
  }
  return parts;
}

test("a key on the wire can be read back, so no other triple has it", () => {
  fc.assert(
    fc.property(triple, ([name, algorithm, key]) => {
      expect(read(storeKey(keyPrefix(name, algorithm), key))).toEqual([name, algorithm, key]);
    }),
    propertyRuns(1_000),
  );
});

test("two lists of parts never share a hash, however alike their texts", () => {
  const separator = fc.constantFrom("", ":", ",", "1:", "2:");
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), fc.nat(), separator, (parts, seed, between) => {
      const at = parts.length < 2 ? 0 : seed % (parts.length - 1);
      const merged = [...parts.slice(0, at), parts.slice(at, at + 2).join(between)];
      merged.push(...parts.slice(at + 2));
      const others = [merged, [...parts, ""], ["", ...parts], [...parts].reverse(), parts.slice(1)];
      for (const other of others) {
        const same = JSON.stringify(parts) === JSON.stringify(other);
        expect(shortHash(...parts) === shortHash(...other)).toBe(same);
      }
    }),
    propertyRuns(1_000),
  );
});

test("algorithms of one name do not meet, whatever their keys", async () => {
  const world = createStoreWorld();
  const keys: string[] = [];
  const base = withWrite(world.base, async (write, send) => {
    keys.push(write.key);
    return send(write);
  });
  await createLock(base).acquire("r");
  await createFence(base).admit("r", 1);
  await createTokens(base).issue("r");
  expect(new Set(keys).size).toBe(3);
});

test("the prefix of a key on the wire ends where it was joined", () => {
  fc.assert(
    fc.property(triple, ([name, algorithm, key]) => {
      const prefix = keyPrefix(name, algorithm);
      expect(prefixEnd(storeKey(prefix, key))).toBe(prefix.length);
    }),
    propertyRuns(500),
  );
});

test("of any other key it ends within", () => {
  fc.assert(
    fc.property(text, (key) => {
      const end = prefixEnd(key);
      expect(end >= 0 && end <= key.length, `${end}`).toBe(true);
    }),
    propertyRuns(500),
  );
});
