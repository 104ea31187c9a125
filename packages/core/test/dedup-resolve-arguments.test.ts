// A resolution is typed by a person or a tool: what can't be recorded as it is, is refused.

import { ArgumentError, type Resolution } from "@onceproof/core";
import { describe, expect, test } from "vitest";
import { createWorld, never, settled } from "./support/dedup-world.ts";

const failed = { outcome: "failed", code: "declined", message: "no funds" };

const BAD: readonly (readonly [what: string, resolution: unknown, code: string])[] = [
  ["a function as value", { outcome: "done", value: () => 1 }, "inputUnencodable"],
  ["a symbol as value", { outcome: "done", value: Symbol("s") }, "inputUnencodable"],
  ["a promise as value", { outcome: "done", value: Promise.resolve(1) }, "inputUnencodable"],
  ["no code and no message", { outcome: "failed" }, "optionInvalid"],
  ["no code", { outcome: "failed", message: "x" }, "optionInvalid"],
  ["no message", { outcome: "failed", code: "x" }, "optionInvalid"],
  ["a number as code", { ...failed, code: 1 }, "optionInvalid"],
  ["a number as message", { ...failed, message: 1 }, "optionInvalid"],
  ["a symbol as code", { ...failed, code: Symbol("s") }, "optionInvalid"],
  ["a symbol as message", { ...failed, message: Symbol("s") }, "optionInvalid"],
  ["null as code", { ...failed, code: null }, "optionInvalid"],
  ["an object as message", { ...failed, message: Object.create(null) }, "optionInvalid"],
  ["no outcome", {}, "optionInvalid"],
  ["another outcome", { outcome: "undone" }, "optionInvalid"],
  ["nothing at all", undefined, "optionInvalid"],
];

describe("resolve", () => {
  test.each(BAD)("refuses %s, and writes nothing", async (_, resolution, code) => {
    const w = createWorld();
    const dedup = w.dedup();
    await w.run(dedup.attempt("k", () => Promise.reject(new Error("boom"))));
    const { result, calls } = await w.counter.during(() =>
      w.run(settled(dedup.resolve("k", resolution as Resolution))),
    );
    expect(result.error).toBeInstanceOf(ArgumentError);
    expect(result.error).toMatchObject({ code });
    expect(calls.write).toBe(0);
    expect(await w.run(dedup.inspect("k"))).toMatchObject({ state: "open", unresolved: true });
    const parked = await w.run(dedup.attempt("k", never));
    expect(parked).toMatchObject({ outcome: "indeterminate", reason: "parked" });
    expect(await w.run(dedup.resolve("k", { outcome: "notDone" }))).toEqual({
      outcome: "resolved",
    });
  });
});
