import { Final, type Resolution, Retryable } from "@onceproof/core";
import { describe, expect, test } from "vitest";
import {
  createWorld,
  type DedupWorld,
  LEASE_MS,
  never,
  RETENTION_MS,
  rejectionCode,
} from "./support/dedup-world.ts";

const boom = (): never => {
  throw new Error("boom");
};

describe("inspect", () => {
  const look = (w: DedupWorld) => w.run(w.dedup().inspect("k"));

  test("reads once and changes nothing", async () => {
    const w = createWorld();
    expect(await look(w)).toEqual({ state: "none" });
    await w.run(w.dedup().run("k", () => 1));
    const before = await w.run(w.faulty.direct.read("3:pay5:dedup1:k"));
    const { calls } = await w.counter.during(() => look(w));
    expect(calls).toMatchObject({ read: 1, write: 0, total: 1 });
    expect((await w.run(w.faulty.direct.read("3:pay5:dedup1:k"))).entry).toEqual(before.entry);
  });

  test("does not say started of an attempt that only acquired", async () => {
    const w = createWorld();
    await w.run(w.claims().begin("k"));
    expect(await look(w)).toEqual({
      state: "running",
      attempt: 1,
      unresolved: false,
      steps: [],
      leaseLeftMs: LEASE_MS,
      started: false,
    });
    await w.runtime.advance(LEASE_MS);
    expect(await look(w)).toMatchObject({ leaseLeftMs: 0, started: false });
  });

  test("says started after ctx.started(), a step or a renewal, and keeps saying so", async () => {
    for (const act of ["started", "step", "renew"] as const) {
      const w = createWorld();
      const begun = await w.run(w.claims().begin("k"));
      if (begun.outcome !== "acquired") {
        throw new Error(begun.outcome);
      }
      const { claim } = begun;
      await w.run<unknown>(act === "step" ? claim.step("s", () => 1) : claim[act]());
      const steps = act === "step" ? ["s"] : [];
      expect(await look(w)).toMatchObject({ state: "running", started: true, steps });
      await w.runtime.advance(LEASE_MS);
      expect(await look(w)).toMatchObject({ leaseLeftMs: 0, started: true });
    }
  });

  test("started() costs one call, and nothing the second time or none", async () => {
    const w = createWorld();
    const { calls } = await w.counter.during(() =>
      w.run(w.dedup().run("k", (ctx) => ctx.started())),
    );
    expect(calls.total).toBe(3);
  });

  test("does not say started of a takeover because its predecessor had", async () => {
    const w = createWorld();
    const begun = await w.run(w.claims({ onCrash: "rerun" }).begin("k"));
    await w.run(begun.outcome === "acquired" ? begun.claim.started() : never());
    await w.runtime.advance(LEASE_MS);
    await w.run(w.claims({ onCrash: "rerun" }).begin("k"));
    expect(await look(w)).toMatchObject({ state: "running", attempt: 2, started: false });
  });

  test("tells open, done, failed, expired and early apart", async () => {
    const w = createWorld();
    const dedup = w.dedup();
    await w.run(dedup.attempt("open", () => Promise.reject(new Retryable("later"))));
    await w.run(dedup.attempt("unresolved", boom));
    await w.run(dedup.attempt("done", () => undefined));
    await w.run(dedup.attempt("failed", () => Promise.reject(new Final("declined", "no"))));
    const old = { issuedAtMs: w.runtime.wallNow() - RETENTION_MS - 1 };
    await w.run(dedup.attempt("expired", never, old));
    const early = { issuedAtMs: w.runtime.wallNow() + 3_600_000 };
    await w.run(dedup.attempt("early", never, early));
    const states = ["open", "unresolved", "done", "failed", "expired", "early"].map((key) =>
      dedup.inspect(key),
    );
    expect(await w.run(Promise.all(states))).toEqual([
      { state: "open", attempt: 1, unresolved: false, steps: [] },
      expect.objectContaining({ attempt: 1, unresolved: true, steps: [] }),
      { state: "done", attempt: 1, value: undefined },
      { state: "failed", attempt: 1, code: "declined", message: "no" },
      { state: "expired", attempt: 1 },
      { state: "early", attempt: 1 },
    ]);
  });

  test("fails with unavailable when the store is away", async () => {
    const w = createWorld();
    w.inject({ fault: "unavailable" });
    expect(await rejectionCode(w.run(w.dedup().inspect("k")))).toBe("unavailable");
  });
});

describe("resolve", () => {
  const DONE: Resolution = { outcome: "done", value: { receipt: 9n } };
  const FAILED: Resolution = { outcome: "failed", code: "declined", message: "no" };
  const NOT_DONE: Resolution = { outcome: "notDone" };
  const ALL = [DONE, FAILED, NOT_DONE];

  /** Ways in which an attempt at "k" ends without a known outcome. */
  const UNRESOLVED: readonly [string, (w: DedupWorld) => Promise<unknown>][] = [
    [
      "crashed",
      async (w) => {
        await w.run(w.claims().begin("k", { fingerprint: 1 }));
        await w.runtime.advance(LEASE_MS);
      },
    ],
    ["threw", (w) => w.run(w.dedup().attempt("k", boom, { fingerprint: 1 }))],
    [
      "not answered by verify",
      async (w) => {
        await w.run(w.dedup().attempt("k", boom, { fingerprint: 1 }));
        await w.run(w.dedup({ onCrash: () => ({ answer: "unknown" }) }).attempt("k", never));
      },
    ],
  ];

  describe.each(UNRESOLVED)("of an attempt that %s", (_, prepare) => {
    test("done gives every caller that value for the retention", async () => {
      const w = createWorld();
      await prepare(w);
      const dedup = w.dedup();
      const { result, calls } = await w.counter.during(() => w.run(dedup.resolve("k", DONE)));
      expect(result).toEqual({ outcome: "resolved" });
      expect(calls.total).toBe(2);
      expect(await w.run(dedup.run("k", never))).toStrictEqual({ receipt: 9n });
      const other = await w.run(dedup.attempt("k", never, { fingerprint: 2 }));
      expect(other).toEqual({ outcome: "mismatch" });
      await w.runtime.advance(RETENTION_MS - 0.001);
      expect(await w.run(dedup.run("k", never))).toStrictEqual({ receipt: 9n });
      await w.runtime.advance(0.001);
      expect(await w.run(dedup.run("k", () => "forgotten"))).toBe("forgotten");
    });

    test("failed replays the rejection", async () => {
      const w = createWorld();
      await prepare(w);
      expect(await w.run(w.dedup().resolve("k", FAILED))).toEqual({ outcome: "resolved" });
      expect(await w.run(w.dedup().attempt("k", never))).toMatchObject({
        outcome: "failed",
        replayed: true,
        error: { code: "declined", message: "no" },
      });
    });

    test("notDone lets the next attempt run as a clean one, counted on", async () => {
      const w = createWorld();
      await prepare(w);
      expect(await w.run(w.dedup().resolve("k", NOT_DONE))).toEqual({ outcome: "resolved" });
      expect(await w.run(w.dedup().inspect("k"))).toMatchObject({
        state: "open",
        unresolved: false,
      });
      const result = await w.run(w.dedup().attempt("k", (ctx) => [ctx.attempt > 1, ctx.takeover]));
      expect(result).toMatchObject({ outcome: "executed", value: [true, false] });
    });

    test("lost replies and doubled sends do not resolve twice", async () => {
      for (const fault of [
        { fault: "dropReply" },
        { fault: "dropRequest" },
        { fault: "duplicate", afterMs: 5 },
      ] as const) {
        const w = createWorld();
        await prepare(w);
        const resolving = w.dedup().resolve("k", DONE);
        await w.runtime.advance(0);
        const again = w.dedup();
        expect(await w.run(resolving)).toEqual({ outcome: "resolved" });
        w.inject(fault);
        expect(await w.run(again.resolve("k", FAILED).catch(() => "unavailable"))).not.toEqual({
          outcome: "resolved",
        });
        expect(await w.run(again.run("k", never))).toStrictEqual({ receipt: 9n });
      }
    });
  });

  test("settles its own write when the reply is lost", async () => {
    const w = createWorld({ plan: [{ call: 4, fault: "dropReply" }] });
    await w.run(w.dedup().attempt("k", boom));
    expect(await w.run(w.dedup().resolve("k", DONE))).toEqual({ outcome: "resolved" });
    expect(w.faulty.struck).toHaveLength(1);
  });

  test("is indeterminate when no answer comes", async () => {
    const w = createWorld();
    await w.run(w.dedup().attempt("k", boom));
    const resolving = w.dedup().resolve("k", DONE);
    w.cut({ fault: "dropRequest" });
    expect(await w.run(resolving)).toMatchObject({ outcome: "indeterminate" });
  });

  test.each(ALL)("never overwrites a recorded outcome ($outcome)", async (resolution) => {
    const w = createWorld();
    const dedup = w.dedup();
    await w.run(dedup.run("done", () => "v"));
    await w.run(dedup.attempt("failed", () => Promise.reject(new Final("f", "m"))));
    const result = { outcome: "alreadyRecorded" };
    expect(await w.run(dedup.resolve("done", resolution))).toEqual(result);
    expect(await w.run(dedup.resolve("failed", resolution))).toEqual(result);
    expect(await w.run(dedup.run("done", never))).toBe("v");
    expect(await w.run(dedup.inspect("failed"))).toMatchObject({ state: "failed", code: "f" });
  });

  test.each(ALL)("never touches a live attempt ($outcome)", async (resolution) => {
    const w = createWorld();
    const running = w.dedup().run("k", () => w.runtime.sleep(5_000).then(() => "v"));
    await w.runtime.advance(10);
    expect(await w.run(w.dedup().resolve("k", resolution))).toEqual({
      outcome: "inProgress",
      retryAfterMs: 1_000,
      leaseEndsInMs: LEASE_MS - 10,
    });
    await w.run(running);
    expect(await w.run(w.dedup().run("k", never))).toBe("v");
  });

  test.each(ALL)("finds nothing where nothing is unresolved ($outcome)", async (resolution) => {
    const w = createWorld();
    const dedup = w.dedup();
    await w.run(dedup.attempt("open", () => Promise.reject(new Retryable("later"))));
    expect(await w.run(dedup.resolve("none", resolution))).toEqual({ outcome: "notFound" });
    expect(await w.run(dedup.resolve("open", resolution))).toEqual({ outcome: "notFound" });
    expect(await w.run(dedup.run("none", () => 1))).toBe(1);
    expect(await w.run(dedup.run("open", () => 1))).toBe(1);
  });

  test("a late owner whose key a person resolved returns what the person recorded", async () => {
    const w = createWorld();
    const begun = await w.run(w.claims().begin("k"));
    await w.runtime.advance(LEASE_MS);
    await w.run(w.dedup().resolve("k", DONE));
    const claim = begun.outcome === "acquired" ? begun.claim : never();
    expect(await w.run(claim.complete("mine"))).toStrictEqual({
      outcome: "replayed",
      value: { receipt: 9n },
    });
  });

  test("of two people at once one decides, and both see it", async () => {
    const w = createWorld();
    await w.run(w.dedup().attempt("k", boom));
    const both = await w.run(
      Promise.all([w.dedup().resolve("k", DONE), w.dedup().resolve("k", FAILED)]),
    );
    expect(both.map(({ outcome }) => outcome).sort()).toEqual(["alreadyRecorded", "resolved"]);
  });

  test("a value that can't be stored is refused or recorded as unavailable, never half", async () => {
    const w = createWorld();
    await w.run(w.dedup().attempt("k", boom));
    await w.run(
      w
        .dedup()
        .resolve("k", { outcome: "done", value: () => 1 })
        .catch(() => {}),
    );
    const after = await w.run(w.dedup().attempt("k", never));
    expect(["valueUnavailable", "indeterminate"]).toContain(after.outcome);
  });

  test.each([undefined, null, "done", {}, { outcome: "Done" }, { outcome: "constructor" }])(
    "what is no resolution (%j) is refused with a code, before anything is sent",
    async (bad) => {
      const w = createWorld();
      await w.run(w.dedup().attempt("k", boom));
      const before = w.counter.counts().total;
      const code = await rejectionCode(w.run(w.dedup().resolve("k", bad as Resolution)));
      expect(code).toBe("optionInvalid");
      expect(w.counter.counts().total).toBe(before);
    },
  );
});
