import { createFence, createLock, createTokens } from "@onceproof/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Algorithm } from "../src/shared/algorithm.js";
import { shortHash } from "../src/shared/hash.js";
import { keyPrefix, storeKey } from "../src/shared/store-key.js";
import { propertyRuns } from "./support/property-runs.ts";
import { createStoreWorld, withWrite } from "./support/store-world.ts";

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

test("nor do two that cut the same text at other places", () => {
  fc.assert(
    fc.property(text, fc.nat(), fc.nat(), (whole, a, b) => {
      const cut = (at: number): [string, string] => [
        whole.slice(0, at % whole.length),
        whole.slice(at % whole.length),
      ];
      const wire = (at: number): string => storeKey(keyPrefix(cut(at)[0], "lock"), cut(at)[1]);
      fc.pre(a % whole.length !== b % whole.length);
      expect(wire(a)).not.toBe(wire(b));
    }),
    propertyRuns(500),
  );
});

test("two lists of parts never share a hash", () => {
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 4 }),
      fc.array(text, { maxLength: 4 }),
      (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other);
        expect(shortHash(...one) === shortHash(...other)).toBe(same);
      },
    ),
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
