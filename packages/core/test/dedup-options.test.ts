import { ArgumentError, type DedupOptions } from "@onceproof/core";
import { describe, expect, test } from "vitest";
import { createWorld, never, settled } from "./support/dedup-world.ts";

describe("keyTime", () => {
  test.each([
    ["a word", "order-1"],
    ["a UUIDv4", "3f2b8c1e-5d6a-4e7f-9a0b-1c2d3e4f5a6b"],
    ["a UUIDv7 in braces", "{018f3c4e-0000-7abc-8def-0123456789ab}"],
    ["a UUIDv7 cut short", "018f3c4e-0000-7abc-8def-0123456789a"],
  ])("uuidv7 says of %s that the key is no UUIDv7", async (_, key) => {
    const w = createWorld();
    const dedup = w.dedup({ keyTime: "uuidv7" });
    const { result, calls } = await w.counter.during(() => w.run(settled(dedup.run(key, never))));
    expect(result.error).toBeInstanceOf(ArgumentError);
    expect((result.error as Error).message).toMatch(/key.*\b(no|not)\b.*UUIDv7/i);
    expect((result.error as Error).message).not.toContain(key);
    expect(calls.total).toBe(0);
  });
});

describe("fingerprintOmit", () => {
  test.each([5, "time", true, {}])("can't be %j", (fingerprintOmit) => {
    const create = () => createWorld().dedup({ fingerprintOmit } as unknown as DedupOptions);
    expect(create).toThrow(ArgumentError);
    expect(create).toThrow(expect.objectContaining({ code: "optionInvalid" }));
  });

  test.each([[undefined], [[]], [["time"]], [Object.freeze(["time", "trace"])]])(
    "may be %j",
    (fingerprintOmit) => {
      const create = () =>
        createWorld().dedup({ fingerprintOmit: fingerprintOmit as readonly string[] });
      expect(create).not.toThrow();
    },
  );
});
