import type { DedupContext } from "@onceproof/core";
import type { DedupClaim } from "@onceproof/core/advanced";
import { describe, expect, test } from "vitest";
import {
  createWorld,
  type DedupWorld,
  LEASE_MS,
  never,
  RETENTION_MS,
  rejectionCode,
} from "./support/dedup-world.ts";

const RERUN = { onCrash: "rerun" } as const;

/** Starts an attempt at "k" that its test then abandons. */
async function begin(w: DedupWorld): Promise<DedupClaim<unknown>> {
  const begun = await w.run(w.claims(RERUN).begin("k"));
  if (begun.outcome !== "acquired") {
    throw new Error(begun.outcome);
  }
  return begun.claim;
}

describe("a step", () => {
  test("gives its value and costs one call", async () => {
    const w = createWorld();
    const { result, calls } = await w.counter.during(() =>
      w.run(w.dedup().run("k", (ctx) => ctx.step("charge", () => ({ receipt: 1 })))),
    );
    expect(result).toEqual({ receipt: 1 });
    expect(calls.total).toBe(3);
  });

  test("once recorded is not run again by a later attempt, and costs that nothing", async () => {
    const w = createWorld();
    const value = { at: new Date(7), amount: 3n, tags: new Set(["a"]), none: undefined };
    const first = await begin(w);
    await w.run(first.step("charge", () => value));
    await w.runtime.advance(LEASE_MS);
    const { result, calls } = await w.counter.during(() =>
      w.run(w.dedup(RERUN).run("k", (ctx) => ctx.step("charge", never))),
    );
    expect(result).toStrictEqual(value);
    expect(calls.total).toBe(3);
  });

  test.each([undefined, null, 0, "", false])("recorded with %s is recorded", async (value) => {
    const w = createWorld();
    await w.run((await begin(w)).step("s", () => value));
    await w.runtime.advance(LEASE_MS);
    expect(await w.run(w.dedup(RERUN).run("k", (ctx) => ctx.step("s", never)))).toBe(value);
  });

  test("called again in the same attempt gives the recorded value, without a call", async () => {
    const w = createWorld();
    const values = await w.run(
      w.dedup().run("k", async (ctx) => {
        const one = await ctx.step("s", () => [1]);
        const before = w.counter.counts().total;
        const two = await ctx.step("s", never);
        expect(w.counter.counts().total).toBe(before);
        return [one, two];
      }),
    );
    expect(values).toEqual([[1], [1]]);
  });

  test("survives any number of attempts, failures among them", async () => {
    const w = createWorld();
    const dedup = w.dedup(RERUN);
    const ran: string[] = [];
    const work = async (ctx: DedupContext): Promise<string> => {
      for (const name of ["a", "b", "c"]) {
        await ctx.step(name, () => ran.push(name));
        if (ctx.attempt < 4) {
          throw ctx.attempt === 2 ? new Error("unknown") : { onceproof: "retryable" };
        }
      }
      return "done";
    };
    for (let attempt = 1; attempt < 4; attempt += 1) {
      await w.run(dedup.attempt("k", work));
    }
    expect(await w.run(dedup.run("k", work))).toBe("done");
    expect(ran).toEqual(["a", "b", "c"]);
  });

  test("is kept by a resolution that it was not done", async () => {
    const w = createWorld();
    await w.run((await begin(w)).step("s", () => "kept"));
    await w.runtime.advance(LEASE_MS);
    await w.run(w.dedup().resolve("k", { outcome: "notDone" }));
    expect(await w.run(w.dedup().run("k", (ctx) => ctx.step("s", never)))).toBe("kept");
  });

  test("is kept by a verify that answers notDone", async () => {
    const w = createWorld();
    await w.run((await begin(w)).step("s", () => "kept"));
    await w.runtime.advance(LEASE_MS);
    const dedup = w.dedup({ onCrash: () => ({ answer: "notDone" }) });
    expect(await w.run(dedup.run("k", (ctx) => ctx.step("s", never)))).toBe("kept");
  });

  test("that throws is not recorded, and its error is the caller's", async () => {
    const w = createWorld();
    const error = new Error("declined");
    let runs = 0;
    const result = await w.run(
      w.dedup().run("k", async (ctx) => {
        const fail = (): never => {
          runs += 1;
          throw error;
        };
        await expect(ctx.step("s", fail)).rejects.toBe(error);
        await expect(ctx.step("s", fail)).rejects.toBe(error);
        return ctx.step("s", () => "third");
      }),
    );
    expect(result).toBe("third");
    expect(runs).toBe(2);
  });

  test("steps of any name are apart, also such as an object inherits", async () => {
    const w = createWorld();
    const names = ["__proto__", "constructor", "toString", "", "a", "A", "é", "1", "\n"];
    const first = await begin(w);
    for (const [index, name] of names.filter((each) => each !== "").entries()) {
      await w.run(first.step(name, () => index));
    }
    await w.runtime.advance(LEASE_MS);
    const seen = await w.run(
      w.dedup(RERUN).run("k", async (ctx) => {
        const values: unknown[] = [];
        for (const name of names.filter((each) => each !== "")) {
          values.push(await ctx.step(name, never));
        }
        return values;
      }),
    );
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test("steps in parallel are all recorded", async () => {
    const w = createWorld();
    const names = Array.from({ length: 12 }, (_, index) => `step ${index}`);
    const first = await begin(w);
    const ran: string[] = [];
    await w.run(
      Promise.all(
        names.map((name, index) =>
          first.step(name, async () => {
            await w.runtime.sleep((index * 7) % 5);
            ran.push(name);
            return name;
          }),
        ),
      ),
    );
    await w.runtime.advance(LEASE_MS);
    const dedup = w.dedup(RERUN);
    expect(await w.run(dedup.inspect("k"))).toMatchObject({ state: "running", started: true });
    const again = await w.run(
      dedup.run("k", (ctx) => Promise.all(names.map((name) => ctx.step(name, never)))),
    );
    expect(again).toEqual(names);
    expect(ran).toHaveLength(names.length);
  });

  test("one name asked for in parallel runs once", async () => {
    const w = createWorld();
    let runs = 0;
    const result = await w.run(
      w.dedup().run("k", (ctx) =>
        Promise.all(
          [1, 2, 3].map(() =>
            ctx.step("s", async () => {
              await w.runtime.sleep(5);
              runs += 1;
              return runs;
            }),
          ),
        ),
      ),
    );
    expect(result).toEqual([1, 1, 1]);
    expect(runs).toBe(1);
  });

  test("steps beside renewals and lost replies stay recorded", async () => {
    const w = createWorld();
    const dedup = w.dedup(RERUN);
    const first = dedup.attempt("k", async (ctx) => {
      for (let index = 0; index < 30; index += 1) {
        if (index % 5 === 0) {
          w.inject({ fault: "dropReply" });
        }
        await ctx.step(`s${index}`, () => w.runtime.sleep(LEASE_MS / 7).then(() => index));
      }
      const again = [];
      for (let index = 0; index < 30; index += 1) {
        again.push(await ctx.step(`s${index}`, never));
      }
      return again.length;
    });
    expect(await w.run(first)).toMatchObject({ outcome: "executed", value: 30, attempt: 1 });
  });

  test("after the attempt ended runs nothing and writes nothing", async () => {
    const w = createWorld();
    let leaked: DedupContext | undefined;
    await w.run(
      w.dedup().run("k", (ctx) => {
        leaked = ctx;
        return "v";
      }),
    );
    const before = w.counter.counts().total;
    expect(await rejectionCode(w.run(leaked!.step("late", never)))).toBe("leaseLost");
    expect(await rejectionCode(w.run(leaked!.started()))).toBe("leaseLost");
    expect(w.counter.counts().total).toBe(before);
    expect(await w.run(w.dedup().run("k", never))).toBe("v");
  });

  test("of an attempt that was taken over is refused, and does not undo the new one", async () => {
    const w = createWorld();
    const first = await begin(w);
    await w.runtime.advance(LEASE_MS);
    const second = w.dedup(RERUN).run("k", async (ctx) => {
      await ctx.step("mine", () => "second");
      await w.runtime.sleep(5_000);
      return ctx.step("mine", never);
    });
    await w.runtime.advance(1_000);
    expect(await rejectionCode(w.run(first.step("mine", () => "first")))).toBe("leaseLost");
    expect(await w.run(second)).toBe("second");
  });

  test("without an answer is told indeterminate", async () => {
    const w = createWorld();
    const first = await begin(w);
    const restore = w.cut({ fault: "dropRequest" });
    expect(await rejectionCode(w.run(first.step("s", () => 1)))).toBe("indeterminate");
    restore();
  });

  test.each<[string, unknown]>([
    ["a function", () => 1],
    ["a value over the store's limit", "x".repeat(1_200_000)],
  ])("with a result that can't be stored gives it, and is known as run: %s", async (_, value) => {
    const w = createWorld();
    const first = await begin(w);
    const result = await w.run(first.step("s", () => value).catch((error: unknown) => error));
    expect(result === value || (result as { code?: unknown }).code === "valueUnavailable").toBe(
      true,
    );
    await w.runtime.advance(LEASE_MS);
    const again = w.dedup(RERUN).run("k", (ctx) => ctx.step("s", never));
    expect(await rejectionCode(w.run(again))).toBe("valueUnavailable");
  });

  test("that outgrows the record together with others does not keep the attempt from ending", async () => {
    const w = createWorld();
    const dedup = w.dedup(RERUN);
    const large = '"'.repeat(100_000);
    const ran: number[] = [];
    const work = async (ctx: DedupContext): Promise<string> => {
      for (let index = 0; index < 8; index += 1) {
        const value = await ctx
          .step(`s${index}`, () => {
            ran.push(index);
            return large;
          })
          .catch((error: { readonly code: unknown }) => error.code);
        expect([large, "valueUnavailable"]).toContain(value);
      }
      throw new Error(`attempt ${ctx.attempt}`);
    };
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const { outcome } = await w.run(dedup.attempt("k", work));
      expect(outcome).toBe("threw");
      expect(await w.run(dedup.inspect("k"))).toMatchObject({ state: "open", unresolved: true });
    }
    expect(ran).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(await w.run(dedup.run("k", () => "done"))).toBe("done");
  });

  test("does not shorten how long the record is kept", async () => {
    const w = createWorld();
    const first = await begin(w);
    await w.run(first.step("s", () => "kept"));
    await w.runtime.advance(RETENTION_MS - 1);
    expect(await w.run(w.dedup(RERUN).run("k", (ctx) => ctx.step("s", never)))).toBe("kept");
  });

  test.each(["", "x".repeat(2_000), "\ud800", 7 as unknown as string])(
    "a bad name (%j) is refused before anything runs",
    async (name) => {
      const w = createWorld();
      const first = await begin(w);
      const before = w.counter.counts().total;
      const code = await rejectionCode(w.run(first.step(name, never)));
      expect(code).toMatch(/^key/);
      expect(w.counter.counts().total).toBe(before);
    },
  );
});
