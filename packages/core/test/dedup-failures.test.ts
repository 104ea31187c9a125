import { type Disposition, Final, Retryable } from "@onceproof/core";
import { describe, expect, test } from "vitest";
import {
  createWorld,
  type DedupWorld,
  never,
  type Overrides,
  RETENTION_MS,
  settled,
} from "./support/dedup-world.ts";

const fail = (error: unknown) => (): never => {
  throw error;
};

/** Runs "k" with a handler that throws `error` and tells the result and how the store counts. */
async function attempt(w: DedupWorld, error: unknown, overrides: Overrides = {}) {
  return w.run(w.dedup(overrides).attempt("k", fail(error)));
}

describe("retryable: certainly no effect", () => {
  test("the caller gets its error, and the next attempt runs at once as a clean one", async () => {
    const w = createWorld();
    const dedup = w.dedup();
    const error = new Retryable("later");
    expect(await attempt(w, error)).toEqual({ outcome: "threw", error, disposition: "retryable" });
    const sentMs = w.runtime.monotonicNow();
    const next = await w.run(dedup.attempt("k", (ctx) => [ctx.attempt, ctx.takeover]));
    expect(next).toMatchObject({ outcome: "executed", value: [2, false] });
    expect(w.runtime.monotonicNow()).toBe(sentMs);
  });

  test("costs two calls, and the next attempt three", async () => {
    const w = createWorld();
    const failing = await w.counter.during(() => attempt(w, new Retryable("later")));
    expect(failing.calls.total).toBe(2);
    const next = await w.counter.during(() => w.run(w.dedup().run("k", () => 1)));
    expect(next.calls.total).toBe(3);
  });

  test("attempts are counted through any number of retries", async () => {
    const w = createWorld();
    const dedup = w.dedup();
    const seen: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      await w.run(
        dedup.attempt("k", (ctx) => {
          seen.push(ctx.attempt);
          throw new Retryable("later");
        }),
      );
    }
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });

  test("callers that waited run it themselves, one after another", async () => {
    const w = createWorld();
    const dedup = w.dedup();
    let runs = 0;
    const flaky = async (): Promise<string> => {
      runs += 1;
      await w.runtime.sleep(500);
      if (runs < 3) {
        throw new Retryable("later");
      }
      return "at last";
    };
    const calls = Array.from({ length: 4 }, () => settled(dedup.run("k", flaky)));
    const results = await w.run(Promise.all(calls));
    expect(runs).toBe(3);
    const errors = results.filter(({ error }) => error !== undefined);
    expect(errors).toHaveLength(2);
    expect(results.filter(({ value }) => value === "at last")).toHaveLength(2);
  });
});

describe("final: a business rejection", () => {
  test("is recorded, and replayed as an error with the same code and message", async () => {
    const w = createWorld();
    const dedup = w.dedup();
    const error = new Final("declined", "no funds");
    expect(await attempt(w, error)).toEqual({
      outcome: "failed",
      error,
      replayed: false,
      recorded: true,
    });
    const again = await w.counter.during(() => w.run(dedup.attempt("k", never)));
    expect(again.calls.total).toBe(1);
    expect(again.result).toMatchObject({
      outcome: "failed",
      replayed: true,
      error: { code: "declined", message: "no funds" },
    });
    const { error: thrown } = await w.run(settled(dedup.run("k", never)));
    expect(thrown).toBeInstanceOf(Error);
    expect(thrown).toMatchObject({ code: "declined", message: "no funds", onceproof: "final" });
  });

  test("the first caller gets its own error object from run", async () => {
    const w = createWorld();
    const error = new Final("declined", "no funds");
    const { error: thrown } = await w.run(settled(w.dedup().run("k", fail(error))));
    expect(thrown).toBe(error);
  });

  test("ends with the retention like any outcome", async () => {
    const w = createWorld();
    const dedup = w.dedup();
    await attempt(w, new Final("declined", "no"));
    await w.runtime.advance(RETENTION_MS - 0.001);
    expect(await w.run(dedup.attempt("k", never))).toMatchObject({ outcome: "failed" });
    await w.runtime.advance(0.001);
    expect(await w.run(dedup.run("k", () => 1))).toBe(1);
  });

  test.each([
    ["", ""],
    ["c", ""],
    ["code\n1{}", 'message\n\u0000😀 " \\'],
    ["x".repeat(2_000), "y".repeat(20_000)],
  ])("any code and message survive (%j)", async (code, message) => {
    const w = createWorld();
    await attempt(w, new Final(code, message));
    const again = await w.run(w.dedup().attempt("k", never));
    expect(again).toMatchObject({ outcome: "failed", replayed: true, error: { code, message } });
  });

  test.each([
    ["lone surrogates", "\ud800", "\udc00 tail"],
    ["a message over the store's limit", "large", "m".repeat(1_200_000)],
  ])("what can't be stored as it is still ends the key: %s", async (_, code, message) => {
    const w = createWorld();
    const error = new Final(code, message);
    const first = await attempt(w, error);
    expect(first).toMatchObject({ outcome: "failed", error, replayed: false });
    const again = await w.run(w.dedup({ onCrash: "rerun" }).attempt("k", never));
    expect(again).toMatchObject({ outcome: "failed", replayed: true });
  });
});

describe("unknown: nobody can judge", () => {
  test("the caller gets its own error, and the record is marked at once, not deleted", async () => {
    const w = createWorld();
    const error = new Error("socket hang up");
    const result = await attempt(w, error);
    expect(result).toEqual({ outcome: "threw", error, disposition: "unknown" });
    expect(await w.run(w.dedup().inspect("k"))).toMatchObject({ attempt: 1, unresolved: true });
  });

  test("run rejects with that same error", async () => {
    const w = createWorld();
    const error = new Error("socket hang up");
    const { error: thrown } = await w.run(settled(w.dedup().run("k", fail(error))));
    expect(thrown).toBe(error);
  });

  test("park: the next caller is parked without waiting for the lease", async () => {
    const w = createWorld();
    await attempt(w, new Error("socket hang up"));
    const parked = await w.run(w.dedup().attempt("k", never));
    expect(parked).toEqual({ outcome: "indeterminate", reason: "parked" });
    expect(w.runtime.monotonicNow()).toBe(0);
  });

  test("rerun: the next attempt runs at once and knows that it takes over", async () => {
    const w = createWorld();
    await attempt(w, new Error("socket hang up"), { onCrash: "rerun" });
    const next = w.dedup({ onCrash: "rerun" });
    const result = await w.run(next.attempt("k", (ctx) => [ctx.attempt, ctx.takeover]));
    expect(result).toMatchObject({ outcome: "executed", value: [2, true] });
    expect(w.runtime.monotonicNow()).toBe(0);
  });

  test.each(["park", "rerun", never] as const)(
    "the mark outlives every retention, under %s too",
    async (onCrash) => {
      const w = createWorld();
      await attempt(w, new Error("socket hang up"), { onCrash });
      await w.runtime.advance(100 * RETENTION_MS);
      const dedup = w.dedup({ onCrash });
      expect(await w.run(dedup.inspect("k"))).toMatchObject({ attempt: 1, unresolved: true });
    },
  );

  test("the mark stays through a takeover that certainly did nothing", async () => {
    const w = createWorld();
    const dedup = w.dedup({ onCrash: "rerun" });
    await attempt(w, new Error("socket hang up"), { onCrash: "rerun" });
    await w.run(dedup.attempt("k", fail(new Retryable("later"))));
    const left = await w.run(dedup.inspect("k"));
    expect(left).toMatchObject({ state: "open", attempt: 2, unresolved: true });
    await w.runtime.advance(100 * RETENTION_MS);
    const parked = await w.run(w.dedup({ onCrash: "park" }).attempt("k", never));
    expect(parked).toEqual({ outcome: "indeterminate", reason: "parked" });
    const third = await w.run(dedup.attempt("k", (ctx) => [ctx.attempt, ctx.takeover]));
    expect(third).toMatchObject({ outcome: "executed", value: [3, true] });
  });

  test("the mark stays through a takeover that crashed in turn, beyond the retention", async () => {
    const w = createWorld();
    await attempt(w, new Error("socket hang up"), { onCrash: "rerun" });
    await w.run(w.claims({ onCrash: "rerun" }).begin("k"));
    await w.runtime.advance(3 * RETENTION_MS);
    expect(await w.run(w.dedup({ onCrash: "rerun" }).inspect("k"))).toMatchObject({
      attempt: 2,
      unresolved: true,
    });
  });

  test.each([undefined, null, 0, "text", false, {}, Symbol("s")])(
    "whatever is thrown, %s as well, is handed on and marked",
    async (thrown) => {
      const w = createWorld();
      const result = await attempt(w, thrown);
      expect(result).toStrictEqual({ outcome: "threw", error: thrown, disposition: "unknown" });
      const parked = await w.run(w.dedup().attempt("k", never));
      expect(parked).toMatchObject({ outcome: "indeterminate", reason: "parked" });
    },
  );

  test("an error with a throwing getter or a revoked proxy is unknown and nothing worse", async () => {
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const spiky = Object.defineProperty(new Error("spiky"), "onceproof", { get: never });
    for (const error of [spiky, revoked.proxy]) {
      const w = createWorld();
      const result = await attempt(w, error);
      expect(result).toMatchObject({ outcome: "threw", disposition: "unknown" });
      const parked = await w.run(w.dedup().attempt("k", never));
      expect(parked).toMatchObject({ outcome: "indeterminate" });
    }
  });
});

describe("classification", () => {
  const outcomeOf = async (error: unknown, classify: (error: unknown) => unknown) => {
    const w = createWorld();
    const result = await attempt(w, error, { classify: classify as () => Disposition });
    return result.outcome === "threw" ? result.disposition : result.outcome;
  };

  test("classify judges errors that are not branded", async () => {
    const error = new Error("E_BUSY");
    expect(await outcomeOf(error, () => "retryable")).toBe("retryable");
    expect(await outcomeOf(error, () => "unknown")).toBe("unknown");
    expect(await outcomeOf(error, () => "final")).toBe("failed");
    expect(await outcomeOf(error, (seen) => (seen === error ? "retryable" : "final"))).toBe(
      "retryable",
    );
  });

  test("classify is not asked about Retryable and Final", async () => {
    expect(await outcomeOf(new Retryable("later"), () => "final")).toBe("retryable");
    expect(await outcomeOf(new Final("no", "no"), () => "retryable")).toBe("failed");
  });

  test.each<[string, () => unknown]>([
    ["throws", never],
    ["answers nothing", () => undefined],
    ["answers another word", () => "Retryable"],
    ["answers a promise", () => Promise.resolve("retryable")],
    ["answers with an inherited name", () => "constructor"],
  ])("a classify that %s leaves the outcome unknown", async (_, classify) => {
    expect(await outcomeOf(new Error("x"), classify)).toBe("unknown");
  });

  test("what classify calls final is replayed with the error's own code and message", async () => {
    const w = createWorld();
    const classify = (): Disposition => "final";
    await attempt(w, Object.assign(new Error("no funds"), { code: "E_FUNDS" }), { classify });
    expect(await w.run(w.dedup().attempt("k", never))).toMatchObject({
      outcome: "failed",
      error: { code: "E_FUNDS", message: "no funds" },
    });
  });

  test.each<[string, unknown]>([
    ["a text", "text"],
    ["nothing", undefined],
    ["null", null],
    ["a number", 42],
    ["an object whose message is no text", { message: 1, code: 2 }],
    ["an object without a prototype", Object.create(null)],
    ["an object that throws when looked at", Object.defineProperty({}, "code", { get: never })],
  ])("even %s may be called final", async (_, thrown) => {
    const w = createWorld();
    const classify = (): Disposition => "final";
    expect(await attempt(w, thrown, { classify })).toMatchObject({ outcome: "failed" });
    const again = await w.run(w.dedup().attempt("k", never));
    expect(again).toMatchObject({ outcome: "failed", replayed: true });
    const { error } = again as { error: { code: unknown; message: unknown } };
    expect([typeof error.code, typeof error.message]).toEqual(["string", "string"]);
  });

  test("errors of another copy of the package count by their brand", async () => {
    const w = createWorld();
    const retryable = { onceproof: "retryable", code: "retryable", message: "later" };
    expect(await attempt(w, retryable)).toMatchObject({ disposition: "retryable" });
    const final = { onceproof: "final", code: "declined", message: "no" };
    expect(await attempt(w, final)).toMatchObject({ outcome: "failed", error: final });
    expect(await w.run(w.dedup().attempt("k", never))).toMatchObject({
      outcome: "failed",
      error: { code: "declined", message: "no" },
    });
  });

  test("subclasses of Retryable and Final count as they do", async () => {
    class Busy extends Retryable {}
    class Declined extends Final {}
    const w = createWorld();
    expect(await attempt(w, new Busy("later"))).toMatchObject({ disposition: "retryable" });
    expect(await attempt(w, new Declined("no", "no"))).toMatchObject({ outcome: "failed" });
  });
});
