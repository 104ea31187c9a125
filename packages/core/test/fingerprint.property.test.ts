import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { fingerprintOf } from "../src/shared/fingerprint.js";
import { decodeValue, encodeValue } from "../src/shared/value-codec.js";
import { payload } from "./support/payloads.ts";
import { propertyRuns, propertyTimeoutMs } from "./support/property-runs.ts";

vi.setConfig({ testTimeout: propertyTimeoutMs() });

/** The same payload with the fields, the members and the pairs of every level turned around. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(turned);
  }
  if (value instanceof Map) {
    return new Map(
      [...value].map(([key, member]) => [turned(key), turned(member)] as const).reverse(),
    );
  }
  if (value instanceof Set) {
    return new Set([...value].map(turned).reverse());
  }
  if (typeof value !== "object" || value === null || value instanceof Date) {
    return value;
  }
  if (ArrayBuffer.isView(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]) => [key, turned(member)] as const)
      .reverse(),
  );
}

/** What must have the same fingerprint and nothing else, told by a form made another way. */
function kindOf(value: unknown): string {
  if (typeof value !== "object" || value === null) {
    return `${typeof value}:${Object.is(value, -0) ? "-0" : JSON.stringify(String(value))}`;
  }
  const tag = Object.prototype.toString.call(value);
  if (value instanceof Date) {
    return `${tag}${value.getTime()}`;
  }
  if (ArrayBuffer.isView(value)) {
    return `${tag}${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")}`;
  }
  const list = (members: string[]): string =>
    `${tag}(${members.map((member) => `${member.length}:${member}`).join("")})`;
  if (Array.isArray(value)) {
    return list(Array.from(value, kindOf));
  }
  if (value instanceof Map) {
    return list([...value].map(([key, member]) => list([kindOf(key), kindOf(member)])).sort());
  }
  if (value instanceof Set) {
    return list([...value].map(kindOf).sort());
  }
  return list(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => list([key, kindOf(member)]))
      .sort(),
  );
}

test("the order of keys, pairs and members never matters", () => {
  fc.assert(
    fc.property(payload, (value) => {
      expect(fingerprintOf(turned(value))).toBe(fingerprintOf(value));
    }),
    propertyRuns(1_500),
  );
});

test("two payloads have the same fingerprint only when they are the same", () => {
  fc.assert(
    fc.property(fc.array(payload, { minLength: 2, maxLength: 12 }), (values) => {
      const prints = new Map<string, string>();
      for (const value of values) {
        const print = fingerprintOf(value);
        const kind = kindOf(value);
        expect(prints.get(print) ?? kind).toBe(kind);
        prints.set(print, kind);
      }
      expect(new Set(values.map(kindOf)).size).toBe(prints.size);
    }),
    propertyRuns(1_000),
  );
});

test("a change anywhere in a payload changes its fingerprint", () => {
  const one = fc.oneof(fc.integer(), fc.string(), fc.bigInt(), fc.constant(null));
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 5 }), one, one, (path, a, b) => {
      fc.pre(kindOf(a) !== kindOf(b));
      const within = (leaf: unknown): unknown =>
        path.reduceRight<unknown>((inner, key) => new Map([[key, [inner]]]), leaf);
      expect(fingerprintOf(within(a))).not.toBe(fingerprintOf(within(b)));
    }),
    propertyRuns(500),
  );
});

test("taking a fingerprint changes nothing, and a copy has the same one", () => {
  fc.assert(
    fc.property(payload, (value) => {
      const print = fingerprintOf(value);
      let copy: unknown;
      try {
        copy = decodeValue(encodeValue(value));
      } catch {
        return;
      }
      expect(value).toStrictEqual(copy);
      expect(fingerprintOf(copy)).toBe(print);
    }),
    propertyRuns(500),
  );
});
