import type { Runtime } from "@onceproof/core/advanced";
import { createVirtualRuntime } from "@onceproof/simulator";
import { describe, expect, test } from "vitest";
import { base64url } from "../src/shared/base64url.js";
import { randomId } from "../src/shared/random-id.js";

describe("an id", () => {
  test("is 22 base64url characters, an opId as every store takes it", () => {
    const runtime = createVirtualRuntime();
    for (let count = 0; count < 500; count += 1) {
      expect(randomId(runtime)).toMatch(/^[A-Za-z0-9_-]{22}$/);
    }
  });

  test("bears 16 bytes of the runtime's randomness and nothing else, each byte used once", () => {
    const drawn: number[] = [];
    const virtual = createVirtualRuntime({ seed: 7 });
    const runtime: Runtime = {
      ...virtual,
      randomBytes(length) {
        const bytes = virtual.randomBytes(length);
        drawn.push(...bytes);
        return bytes;
      },
    };
    const ids = Array.from({ length: 300 }, () => randomId(runtime));
    const bytes = ids.flatMap((id) => [...Buffer.from(id, "base64url")]);
    expect(bytes).toHaveLength(300 * 16);
    expect(drawn.slice(0, bytes.length)).toEqual(bytes);
  });

  test("never repeats, also across batches and runtimes", () => {
    const runtimes = [1, 2, 3].map((seed) => createVirtualRuntime({ seed }));
    const ids = new Set<string>();
    for (let count = 0; count < 3_000; count += 1) {
      ids.add(randomId(runtimes[count % 3]!));
    }
    expect(ids.size).toBe(3_000);
  });

  test("of a seeded runtime is the same in every run", () => {
    const draw = (): string[] => {
      const runtime = createVirtualRuntime({ seed: 5 });
      return Array.from({ length: 100 }, () => randomId(runtime));
    };
    expect(draw()).toEqual(draw());
  });

  test("takes both values of every bit", () => {
    const runtime = createVirtualRuntime();
    const ones = new Array<number>(128).fill(0);
    for (let count = 0; count < 1_000; count += 1) {
      const bytes = Buffer.from(randomId(runtime), "base64url");
      for (let bit = 0; bit < 128; bit += 1) {
        ones[bit]! += (bytes[bit >> 3]! >> (bit & 7)) & 1;
      }
    }
    expect(Math.min(...ones)).toBeGreaterThan(400);
    expect(Math.max(...ones)).toBeLessThan(600);
  });
});

test("base64url is what Node calls base64url, for any bytes and any part of them", () => {
  const bytes = createVirtualRuntime().randomBytes(64);
  for (let start = 0; start < 16; start += 1) {
    for (let length = 0; length < 40; length += 1) {
      const part = Buffer.from(bytes.subarray(start, start + length));
      expect(base64url(bytes, start, length)).toBe(part.toString("base64url"));
    }
  }
  expect(base64url(bytes)).toBe(Buffer.from(bytes).toString("base64url"));
  const large = new Uint8Array(2 ** 20).fill(251);
  expect(base64url(large)).toBe(Buffer.from(large).toString("base64url"));
});
