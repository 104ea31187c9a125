import { Retryable, type Verify, type VerifyAnswer, type VerifyContext } from "@onceproof/core";
import { describe, expect, test } from "vitest";
import {
  createWorld,
  type DedupWorld,
  LEASE_MS,
  never,
  RETENTION_MS,
} from "./support/dedup-world.ts";
import { createMachine } from "./support/machine.ts";

const UNKNOWN = { outcome: "indeterminate", reason: "verifyUnknown" };

/** A world where the first attempt at "k" crashed and its lease has lapsed. */
async function crashed(): Promise<DedupWorld> {
  const w = createWorld();
  await w.run(w.claims({ onCrash: () => ({ answer: "unknown" }) }).begin("k"));
  await w.runtime.advance(LEASE_MS);
  return w;
}

/** Answers with each in turn, the last one for ever, and keeps what it was asked with. */
function oracle(...answers: readonly (VerifyAnswer | (() => never))[]) {
  const asked: VerifyContext[] = [];
  const verify: Verify = (ctx) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)]!;
    asked.push(ctx);
    return typeof answer === "function" ? answer() : answer;
  };
  return { asked, verify };
}

describe("verify", () => {
  test("is not asked about a first attempt, nor about a recorded one", async () => {
    const w = createWorld();
    const dedup = w.dedup({ onCrash: never });
    expect(await w.run(dedup.run("k", () => 1))).toBe(1);
    expect(await w.run(dedup.run("k", never))).toBe(1);
  });

  test("is not asked while the earlier attempt is alive", async () => {
    const w = createWorld();
    const dedup = w.dedup({ onCrash: never });
    const first = dedup.run("k", () => w.runtime.sleep(5 * LEASE_MS));
    await w.runtime.advance(3.5 * LEASE_MS);
    expect(await w.run(dedup.attempt("k", never, { waitMs: 0 }))).toMatchObject({
      outcome: "inProgress",
    });
    await w.run(first);
  });

  test("done: its value is recorded and given to every caller, the handler never runs", async () => {
    const w = await crashed();
    const value = { receipt: 1n, at: new Date(3) };
    const { asked, verify } = oracle({ answer: "done", value });
    const dedup = w.dedup({ onCrash: verify });
    const first = await w.counter.during(() => w.run(dedup.attempt("k", never)));
    expect(first.result).toStrictEqual({ outcome: "replayed", value });
    expect(first.calls.total).toBe(3);
    expect(await w.run(dedup.run("k", never))).toStrictEqual(value);
    expect(asked).toHaveLength(1);
  });

  test.each([undefined, null, 0, "", false])(
    "done with %s is a value like any other",
    async (value) => {
      const w = await crashed();
      const { verify } = oracle({ answer: "done", value });
      const dedup = w.dedup({ onCrash: verify });
      expect(await w.run(dedup.attempt("k", never))).toStrictEqual({ outcome: "replayed", value });
      expect(await w.run(dedup.attempt("k", never))).toStrictEqual({ outcome: "replayed", value });
    },
  );

  test("failed: the rejection is recorded and replayed with code and message", async () => {
    const w = await crashed();
    const { asked, verify } = oracle({ answer: "failed", code: "declined", message: "no funds" });
    const dedup = w.dedup({ onCrash: verify });
    for (let call = 0; call < 2; call += 1) {
      expect(await w.run(dedup.attempt("k", never))).toMatchObject({
        outcome: "failed",
        error: { code: "declined", message: "no funds" },
      });
    }
    expect(asked).toHaveLength(1);
  });

  test("notDone: the handler runs as the next attempt, with the token that verify raised", async () => {
    const w = await crashed();
    const { asked, verify } = oracle({ answer: "notDone" });
    const dedup = w.dedup({ onCrash: verify });
    const { result, calls } = await w.counter.during(() =>
      w.run(
        dedup.attempt("k", (ctx) => {
          expect(asked).toHaveLength(1);
          expect(ctx).toMatchObject({ attempt: 2, takeover: true, key: "k" });
          expect(asked[0]).toMatchObject({ attempt: 2, key: "k", fencingToken: ctx.fencingToken });
          expect(asked[0]!.childKey("charge")).toBe(ctx.childKey("charge"));
          return "ran";
        }),
      ),
    );
    expect(result).toMatchObject({ outcome: "executed", value: "ran", attempt: 2 });
    expect(calls.total).toBe(3);
  });

  test("the token it raises is above the earlier attempt's and, asked again, above its own", async () => {
    const w = createWorld();
    const begun = await w.run(w.claims({ onCrash: never }).begin("k"));
    await w.runtime.advance(LEASE_MS);
    const { asked, verify } = oracle({ answer: "unknown" });
    const dedup = w.dedup({ onCrash: verify });
    await w.run(dedup.attempt("k", never));
    await w.run(dedup.attempt("k", never));
    const tokens = [
      begun.outcome === "acquired" ? begun.claim.fencingToken : Number.NaN,
      ...asked.map(({ fencingToken }) => fencingToken),
    ];
    expect(tokens).toHaveLength(3);
    expect(tokens[0]! < tokens[1]! && tokens[1]! < tokens[2]!).toBe(true);
  });

  test("unknown: indeterminate, nothing recorded, and asked again by the next caller at once", async () => {
    const w = await crashed();
    const { asked, verify } = oracle(
      { answer: "unknown" },
      { answer: "unknown" },
      { answer: "notDone" },
    );
    const dedup = w.dedup({ onCrash: verify });
    expect(await w.run(dedup.attempt("k", never))).toMatchObject(UNKNOWN);
    expect(await w.run(dedup.inspect("k"))).toMatchObject({ unresolved: true });
    expect(await w.run(dedup.attempt("k", never))).toMatchObject(UNKNOWN);
    expect(await w.run(dedup.run("k", () => "now"))).toBe("now");
    expect(asked).toHaveLength(3);
    expect(w.runtime.monotonicNow()).toBeLessThan(LEASE_MS + 1_000);
  });

  test.each<[string, () => unknown]>([
    ["throws", never],
    ["rejects", () => Promise.reject(new Error("the sink is down"))],
    ["throws nothing at all", () => Promise.reject(undefined)],
    ["throws a Retryable", () => Promise.reject(new Retryable("asked too soon"))],
    ["answers nothing", () => undefined],
    ["answers null", () => null],
    ["answers false", () => false],
    ["answers with a word alone", () => "notDone"],
    ["answers what is not an answer", () => ({ answer: "no" })],
    ["answers an empty object", () => ({})],
  ])("no answer is not no: a verify that %s never lets the handler run", async (_, broken) => {
    const w = await crashed();
    const dedup = w.dedup({ onCrash: broken as Verify });
    expect(await w.run(dedup.attempt("k", never))).toMatchObject(UNKNOWN);
    await w.runtime.advance(3 * RETENTION_MS);
    expect(await w.run(dedup.attempt("k", never))).toMatchObject(UNKNOWN);
    expect(await w.run(dedup.inspect("k"))).toMatchObject({ unresolved: true });
  });

  test("a failing verify hands its error on as the cause", async () => {
    const w = await crashed();
    const cause = new Error("the sink is down");
    const dedup = w.dedup({ onCrash: () => Promise.reject(cause) });
    const error = await w.run(dedup.run("k", never)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "indeterminate", cause });
  });

  test("is asked again after every attempt that ended without a known outcome", async () => {
    const w = await crashed();
    const { asked, verify } = oracle({ answer: "notDone" });
    const dedup = w.dedup({ onCrash: verify });
    const boom = (): never => {
      throw new Error("boom");
    };
    for (let round = 1; round <= 3; round += 1) {
      expect(await w.run(dedup.attempt("k", boom))).toMatchObject({ outcome: "threw" });
      expect(asked).toHaveLength(round);
    }
    expect(asked.map(({ attempt }) => attempt)).toEqual([2, 3, 4]);
  });

  test("is asked by one caller only, while the others wait for what comes of it", async () => {
    const w = await crashed();
    let asked = 0;
    const verify: Verify = async () => {
      asked += 1;
      await w.runtime.sleep(2_000);
      return { answer: "done", value: "found" };
    };
    const dedup = w.dedup({ onCrash: verify });
    const calls = Array.from({ length: 8 }, () => dedup.run("k", never));
    expect(new Set(await w.run(Promise.all(calls)))).toEqual(new Set(["found"]));
    expect(asked).toBe(1);
  });

  test("keeps the lease while it asks, however long that takes", async () => {
    const w = await crashed();
    let asked = 0;
    const verify: Verify = async (ctx) => {
      asked += 1;
      await w.runtime.sleep(6 * LEASE_MS);
      expect(ctx.signal.aborted).toBe(false);
      return { answer: "notDone" };
    };
    const dedup = w.dedup({ onCrash: verify });
    const first = dedup.run("k", () => "ran");
    await w.runtime.advance(4.5 * LEASE_MS);
    expect(await w.run(dedup.attempt("k", never))).toMatchObject({ outcome: "inProgress" });
    expect(await w.run(first)).toBe("ran");
    expect(asked).toBe(1);
  });

  test("an answer that can't be stored is recorded as done", async () => {
    const w = await crashed();
    const { verify } = oracle({ answer: "done", value: () => 1 });
    const dedup = w.dedup({ onCrash: verify });
    await w.run(dedup.attempt("k", never));
    expect(await w.run(dedup.attempt("k", never))).toEqual({ outcome: "valueUnavailable" });
  });

  // Found by the simulator: the sink said *not done*, then the asker stood still beyond its lease.
  test("an answer that comes after the lease runs nothing: another may have acted since", async () => {
    const w = await crashed();
    const machine = createMachine(w.runtime);
    const late = w.dedup({
      onCrash: async () => {
        await machine.sleep(1);
        return { answer: "notDone" };
      },
      store: machine.connect(w.counter.store),
      runtime: machine.runtime,
    });
    const asked = late.attempt("k", never);
    await w.runtime.advance(0);
    machine.pause();
    await w.runtime.advance(LEASE_MS + 1);
    const { verify } = oracle({ answer: "notDone" });
    expect(await w.run(w.dedup({ onCrash: verify }).run("k", () => "theirs"))).toBe("theirs");
    machine.resume();
    expect(await w.run(asked)).toMatchObject({ outcome: "replayed", value: "theirs" });
  });

  test("and where nobody has, the next caller asks again", async () => {
    const w = await crashed();
    const machine = createMachine(w.runtime);
    const { verify } = oracle({ answer: "notDone" });
    const late = w.dedup({
      onCrash: async () => {
        await machine.sleep(1);
        return { answer: "notDone" };
      },
      store: machine.connect(w.counter.store),
      runtime: machine.runtime,
    });
    const asked = late.attempt("k", never);
    await w.runtime.advance(0);
    machine.pause();
    await w.runtime.advance(LEASE_MS + 1);
    machine.resume();
    expect(await w.run(asked)).toMatchObject(UNKNOWN);
    expect(await w.run(w.dedup({ onCrash: verify }).run("k", () => "again"))).toBe("again");
  });
});
