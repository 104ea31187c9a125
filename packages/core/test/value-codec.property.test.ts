import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { decodeValue, encodeValue } from "../src/shared/value-codec.js";
import { payload } from "./support/payloads.ts";
import { propertyRuns, propertyTimeoutMs } from "./support/property-runs.ts";

vi.setConfig({ testTimeout: propertyTimeoutMs() });

/** A field named `__proto__` is refused beside what JSON lacks. */
const storable = payload.filter((value) => !hasProtoKey(value));

function hasProtoKey(value: unknown): boolean {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  const members: unknown[] =
    value instanceof Map
      ? [...value].flat()
      : value instanceof Set
        ? [...value]
        : ArrayBuffer.isView(value)
          ? []
          : Object.values(value);
  return Object.hasOwn(value, "__proto__") || members.some(hasProtoKey);
}

/** Every object that can be reached. */
function objectsIn(value: unknown, seen = new Set<unknown>()): Set<unknown> {
  if (typeof value === "object" && value !== null && !seen.has(value)) {
    seen.add(value);
    const members =
      value instanceof Map ? [...value].flat() : value instanceof Set ? [...value] : [];
    const fields = ArrayBuffer.isView(value) ? [value.buffer] : Object.values(value);
    for (const member of [...members, ...fields]) {
      objectsIn(member, seen);
    }
  }
  return seen;
}

test("decoding what was encoded gives a deep-equal value", () => {
  fc.assert(
    fc.property(storable, (value) => {
      expect(decodeValue(encodeValue(value))).toStrictEqual(value);
    }),
    propertyRuns(2_000),
  );
});

test("what is decoded shares nothing with what was encoded", () => {
  fc.assert(
    fc.property(storable, (value) => {
      const before = objectsIn(value);
      for (const object of objectsIn(decodeValue(encodeValue(value)))) {
        expect(before.has(object)).toBe(false);
      }
    }),
    propertyRuns(500),
  );
});

test("encoding changes nothing, and twice gives the same text", () => {
  fc.assert(
    fc.property(storable, (value) => {
      const text = encodeValue(value);
      expect(text).not.toMatch(/\p{Surrogate}/u);
      expect(encodeValue(decodeValue(text))).toBe(text);
    }),
    propertyRuns(500),
  );
});
