// What is packed is unpacked exactly, and a record of another format is never taken for a removal.
import fc from "fast-check";
import { expect, test } from "vitest";
import { liveEntry, packStamp, packTtl, unpack } from "../src/packed-entry.js";

const instant = fc.integer({ min: 1, max: 2 ** 52 });
const opId = fc
  .array(fc.constantFrom(..."ABCxyz019-_"), { minLength: 22, maxLength: 22 })
  .map((letters) => letters.join(""));

function pack(kind: string, stamp: string, writtenAt: number, ttl: string, value: string): string {
  return `${stamp}${kind}${String(writtenAt).padStart(16, "0")}${ttl}${value}`;
}

test("a packed entry is unpacked exactly", () => {
  const ttlMs = fc.oneof(fc.integer({ min: 1, max: 1e12 }), fc.constant("never" as const));
  fc.assert(
    fc.property(opId, instant, instant, ttlMs, fc.string(), (id, revision, at, ttl, value) => {
      const stamp = { revision, opId: id };
      const packed = pack("v", packStamp(stamp), at, packTtl(ttl), value);
      const life = ttl === "never" ? {} : { expiresAt: at + ttl * 1000 };
      expect(unpack(packed).entry).toEqual({ value, stamp, writtenAt: at, ...life });
    }),
  );
});

test("a time to live is never rounded down", () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e12, noNaN: true }), (ttlMs) => {
      const micros = Number(packTtl(ttlMs));
      expect(micros).toBeGreaterThanOrEqual(ttlMs * 1000);
      expect(micros - ttlMs * 1000).toBeLessThan(1);
    }),
  );
});

test("an entry is live before its end and not at it", () => {
  const stamp = packStamp({ revision: 5, opId: "a".repeat(22) });
  const state = unpack(pack("v", stamp, 5, packTtl(1), "v"));
  expect(liveEntry(state, 1004)).toBeDefined();
  expect(liveEntry(state, 1005)).toBeUndefined();
});

test("a record of a later format is told, not taken for nothing", () => {
  const stamp = packStamp({ revision: 5, opId: "a".repeat(22) });
  expect(() => unpack(pack("w", stamp, 5, packTtl(1), "v"))).toThrow(
    expect.objectContaining({ code: "formatUnknown" }),
  );
  const other = (kind: string, length: number): string =>
    "a".repeat(38) + kind + "b".repeat(length);
  for (const text of ["something else", other("v", 60), other("r", 60), other("v", 0)]) {
    expect(() => unpack(text)).toThrow(expect.objectContaining({ code: "formatUnknown" }));
  }
});
