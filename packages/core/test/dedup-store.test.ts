// What a store may answer beside applied, refused and unknown.

import { createDedup, createMemoryStore } from "@onceproof/core";
import type { AtomicStore } from "@onceproof/core/advanced";
import { createVirtualRuntime } from "@onceproof/simulator";
import { describe, expect, test } from "vitest";
import { createWorld, never, rejection, rejectionCode } from "./support/dedup-world.ts";

const AT = "3:pay5:dedup1:k";
const OP_ID = "AAAAAAAAAAAAAAAAAAAAAA";

describe("a store that is full", () => {
  test("refuses new keys with its own code and runs nothing; what is held can still end", async () => {
    const runtime = createVirtualRuntime();
    const store = createMemoryStore({ runtime, maxEntries: 1 });
    const dedup = createDedup({ store, runtime, name: "pay", onCrash: "park" });
    const first = dedup.run("k", async () => {
      expect(await rejectionCode(dedup.run("k2", never))).toBe("full");
      return "v";
    });
    expect(await runtime.run(first)).toBe("v");
    expect(await runtime.run(dedup.run("k", never))).toBe("v");
  });
});

describe("a record that this version does not know", () => {
  test.each(["", "2{}\n", "not a record", "\u0000"])(
    "%j is told, never run over",
    async (value) => {
      const w = createWorld();
      const next = { value, ttlMs: "never" } as const;
      await w.run(w.faulty.direct.write({ key: AT, opId: OP_ID, expect: "absent", next }));
      const dedup = w.dedup({ onCrash: "rerun" });
      for (const call of [
        () => dedup.run("k", never),
        () => dedup.inspect("k"),
        () => dedup.resolve("k", { outcome: "notDone" }),
        () => w.claims().begin("k"),
      ]) {
        expect(await w.run(rejection(call()))).toMatchObject({ code: "formatUnknown" });
      }
      const { entry } = await w.run(w.faulty.direct.read(AT));
      expect(entry).toMatchObject({ value, stamp: { opId: OP_ID } });
    },
  );
});

describe("replies", () => {
  test("are only read: a store may freeze them, or hand the same one to many", async () => {
    const w = createWorld();
    const freeze = <T>(reply: T): T => {
      if (typeof reply === "object" && reply !== null) {
        Object.values(reply).forEach(freeze);
        Object.freeze(reply);
      }
      return reply;
    };
    const { direct } = w.faulty;
    const store: AtomicStore = {
      capabilities: freeze({ ...direct.capabilities }),
      read: (key) => direct.read(key).then(freeze),
      write: (write) => direct.write(freeze(write)).then(freeze),
      close: () => direct.close(),
    };
    const dedup = w.dedup({ store, onCrash: "rerun" });
    const work = dedup.run("k", async (ctx) => {
      await ctx.step("s", () => 1);
      await w.runtime.sleep(50_000);
      return "v";
    });
    const waiting = dedup.run("k", never, { waitMs: 60_000 });
    expect(await w.run(Promise.all([work, waiting]))).toEqual(["v", "v"]);
    await w.run(dedup.attempt("k2", () => Promise.reject(new Error("boom"))));
    expect(await w.run(dedup.run("k2", (ctx) => ctx.attempt))).toBe(2);
  });
});

test("a handler that calls for its own key waits in vain, but not for ever", async () => {
  const w = createWorld();
  const dedup = w.dedup();
  const result = await w.run(dedup.attempt("k", () => dedup.attempt("k", never, { waitMs: 500 })));
  expect(result).toMatchObject({ outcome: "executed", value: { outcome: "inProgress" } });
});
