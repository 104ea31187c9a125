import { createDedup } from "@onceproof/core";
import { describe, expect, test } from "vitest";
import {
  createWorld,
  type DedupWorld,
  LEASE_MS,
  never,
  RETENTION_MS,
  rejection,
  settled,
} from "./support/dedup-world.ts";
import { createMachine, type Machine } from "./support/machine.ts";

const PARKED = { outcome: "indeterminate", reason: "parked" };

/** A dedup that runs in a process of its own. */
function onMachine(w: DedupWorld, onCrash: "park" | "rerun") {
  const machine = createMachine(w.runtime);
  const store = machine.connect(w.counter.store);
  const dedup = createDedup({ store, name: "pay", onCrash, runtime: machine.runtime });
  return { machine, dedup };
}

/** A process starts a handler for "k" and crashes within it, after what `act` does. */
async function crash(
  w: DedupWorld,
  onCrash: "park" | "rerun",
  act: (machine: Machine) => void = () => {},
): Promise<void> {
  const { machine, dedup } = onMachine(w, onCrash);
  void dedup.attempt("k", async () => {
    act(machine);
    await machine.sleep(1_000);
    machine.crash();
    await machine.sleep(1);
  });
  await w.runtime.advance(1_000);
  expect(machine.crashed).toBe(true);
}

describe("a crash under rerun", () => {
  test("is noticed when the lease has lapsed, and not before", async () => {
    const w = createWorld();
    const dedup = w.dedup({ onCrash: "rerun", waitMs: 0 });
    await w.run(w.claims({ onCrash: "rerun" }).begin("k"));
    await w.runtime.advance(LEASE_MS - 0.001);
    const early = await w.run(dedup.attempt("k", never));
    expect(early).toMatchObject({ outcome: "inProgress" });
    await w.runtime.advance(0.001);
    const result = await w.run(
      dedup.attempt("k", (ctx) => {
        expect(ctx).toMatchObject({ attempt: 2, takeover: true });
        return "second";
      }),
    );
    expect(result).toMatchObject({ outcome: "executed", value: "second", attempt: 2 });
    expect(await w.run(dedup.run("k", never))).toBe("second");
  });

  test("costs the next attempt one call more", async () => {
    const w = createWorld();
    await crash(w, "rerun");
    await w.runtime.advance(LEASE_MS);
    const dedup = w.dedup({ onCrash: "rerun" });
    const { calls } = await w.counter.during(() => w.run(dedup.run("k", () => 1)));
    expect(calls.total).toBe(3);
  });

  test("leads to one takeover, however many callers wait for it", async () => {
    const w = createWorld();
    await crash(w, "rerun");
    await w.runtime.advance(LEASE_MS - 5_000);
    const dedup = w.dedup({ onCrash: "rerun" });
    const attempts: number[] = [];
    const calls = Array.from({ length: 15 }, () =>
      dedup.run("k", async (ctx) => {
        attempts.push(ctx.attempt);
        await w.runtime.sleep(500);
        return "once";
      }),
    );
    expect(new Set(await w.run(Promise.all(calls)))).toEqual(new Set(["once"]));
    expect(attempts).toEqual([2]);
  });

  test("the token of a takeover is above the crashed attempt's", async () => {
    const w = createWorld();
    const begun = await w.run(w.claims({ onCrash: "rerun" }).begin("k"));
    await w.runtime.advance(LEASE_MS);
    const result = await w.run(w.dedup({ onCrash: "rerun" }).attempt("k", () => 1));
    const first = begun.outcome === "acquired" ? begun.claim.fencingToken : Number.NaN;
    expect(result.outcome === "executed" && result.fencingToken > first).toBe(true);
  });

  test("leaves evidence for the retention, not only for the lease", async () => {
    const w = createWorld();
    await crash(w, "rerun");
    await w.runtime.advance(RETENTION_MS - 1_001);
    const seen = await w.run(
      w.dedup({ onCrash: "rerun" }).attempt("k", (ctx) => [ctx.attempt, ctx.takeover]),
    );
    expect(seen).toMatchObject({ outcome: "executed", value: [2, true] });
  });

  test("counts attempts through one crash after another", async () => {
    const w = createWorld();
    for (let round = 1; round <= 4; round += 1) {
      const begun = await w.run(w.claims({ onCrash: "rerun" }).begin("k"));
      const expected = { attempt: round, takeover: round > 1 };
      expect(begun).toMatchObject({ outcome: "acquired", claim: expected });
      await w.runtime.advance(LEASE_MS);
    }
  });

  test("is judged again when the owner renews just before it is taken over", async () => {
    // The second caller finds the lease lapsed, and its takeover is slow to arrive.
    const w = createWorld({ plan: [{ call: 3, fault: "delay", requestMs: 500, replyMs: 0 }] });
    const begun = await w.run(w.claims({ onCrash: "rerun" }).begin("k"));
    const claim = begun.outcome === "acquired" ? begun.claim : never();
    await w.runtime.advance(LEASE_MS);
    const dedup = w.dedup({ onCrash: "rerun" });
    const second = dedup.attempt("k", never);
    await w.runtime.advance(100);
    expect(await w.run(claim.renew())).toBe("applied");
    await w.runtime.advance(1_000);
    expect(await w.run(claim.complete("first"))).toMatchObject({ outcome: "executed" });
    expect(await w.run(second)).toEqual({ outcome: "replayed", value: "first" });
  });

  test("the pause of a process beyond its lease is a crash to the others", async () => {
    const w = createWorld();
    const { machine, dedup } = onMachine(w, "rerun");
    const late = dedup.attempt("k", async () => {
      machine.pause();
      await machine.sleep(1);
      return "late";
    });
    await w.runtime.advance(LEASE_MS);
    const other = w.dedup({ onCrash: "rerun" });
    expect(await w.run(other.run("k", () => "taken over"))).toBe("taken over");
    machine.resume();
    expect(await w.run(late)).toEqual({ outcome: "replayed", value: "taken over" });
    expect(await w.run(other.run("k", never))).toBe("taken over");
  });
});

describe("a late owner", () => {
  /** An owner that wakes with `end` after another took over and ended as `next` does. */
  async function lateOwner(
    end: () => unknown,
    next: (w: DedupWorld) => Promise<unknown>,
  ): Promise<unknown> {
    const w = createWorld();
    const { machine, dedup } = onMachine(w, "rerun");
    const late = dedup.attempt("k", async () => {
      machine.pause();
      await machine.sleep(1);
      return end();
    });
    await w.runtime.advance(LEASE_MS);
    const other = w.dedup({ onCrash: "rerun" }).attempt("k", () => next(w));
    void settled(other);
    await w.runtime.advance(10);
    machine.resume();
    return w.run(late);
  }

  test("waits for the new owner and returns what that one records", async () => {
    const next = (w: DedupWorld): Promise<string> => w.runtime.sleep(3_000).then(() => "new");
    expect(await lateOwner(() => "old", next)).toEqual({ outcome: "replayed", value: "new" });
  });

  test("gives its own rejection up for a recorded value", async () => {
    const { Final } = await import("@onceproof/core");
    const reject = (): never => {
      throw new Final("declined", "no");
    };
    const next = (): Promise<string> => Promise.resolve("new");
    expect(await lateOwner(reject, next)).toEqual({ outcome: "replayed", value: "new" });
  });

  test("gives its own value up for a recorded rejection", async () => {
    const { Final } = await import("@onceproof/core");
    const next = (): Promise<never> => Promise.reject(new Final("declined", "no"));
    expect(await lateOwner(() => "old", next)).toMatchObject({
      outcome: "failed",
      replayed: true,
      error: { code: "declined", message: "no" },
    });
  });

  test("is told superseded when nothing is recorded within its wait", async () => {
    const next = (w: DedupWorld): Promise<void> => w.runtime.sleep(3_600_000);
    expect(await lateOwner(() => "old", next)).toEqual({
      outcome: "indeterminate",
      reason: "superseded",
    });
  });

  test("is told superseded, not unavailable, when it can't look: its handler did run", async () => {
    for (const fault of ["unavailable", "dropReply"] as const) {
      const next = (w: DedupWorld): Promise<void> => {
        // From within the wait until beyond it.
        w.runtime.setTimer(() => w.cut({ fault }), 5_000);
        return w.runtime.sleep(3_600_000);
      };
      expect(await lateOwner(() => "old", next)).toMatchObject({
        outcome: "indeterminate",
        reason: "superseded",
      });
    }
  });

  test("is told superseded when the new owner ended without an outcome", async () => {
    const next = (): Promise<never> => Promise.reject(new Error("who knows"));
    expect(await lateOwner(() => "old", next)).toMatchObject({ outcome: "indeterminate" });
  });
});

describe("a crash under park", () => {
  test("is left to a person: the handler never runs again", async () => {
    const w = createWorld();
    await crash(w, "park");
    await w.runtime.advance(LEASE_MS);
    const dedup = w.dedup();
    expect(await w.run(dedup.attempt("k", never))).toEqual(PARKED);
    expect(await w.run(dedup.attempt("k", never))).toEqual(PARKED);
    expect(await w.run(rejection(dedup.run("k", never)))).toMatchObject({
      code: "indeterminate",
      name: "IndeterminateError",
    });
  });

  test("stays parked beyond any retention", async () => {
    const w = createWorld();
    await crash(w, "park");
    const dedup = w.dedup();
    await w.runtime.advance(2 * RETENTION_MS);
    expect(await w.run(dedup.attempt("k", never))).toEqual(PARKED);
    await w.runtime.advance(30 * RETENTION_MS);
    expect(await w.run(dedup.attempt("k", never))).toEqual(PARKED);
  });

  test("is told at once, in one call", async () => {
    const w = createWorld();
    await crash(w, "park");
    await w.runtime.advance(LEASE_MS);
    const sentMs = w.runtime.monotonicNow();
    const { calls } = await w.counter.during(() => w.run(w.dedup().attempt("k", never)));
    expect(w.runtime.monotonicNow()).toBe(sentMs);
    expect(calls.total).toBeLessThanOrEqual(2);
  });

  test("a caller that waits for the crashed one learns it when the lease lapses", async () => {
    const w = createWorld();
    await crash(w, "park");
    await w.runtime.advance(LEASE_MS - 5_000);
    const waiter = w.dedup().attempt("k", never);
    expect(await w.run(waiter)).toEqual(PARKED);
    expect(w.runtime.monotonicNow()).toBeLessThan(LEASE_MS + 1_000);
  });

  test("an owner that was only paused still records what it did, after others were parked", async () => {
    const w = createWorld();
    const { machine, dedup } = onMachine(w, "park");
    const late = dedup.attempt("k", async () => {
      machine.pause();
      await machine.sleep(1);
      return "mine";
    });
    await w.runtime.advance(LEASE_MS);
    expect(await w.run(w.dedup().attempt("k", never))).toEqual(PARKED);
    machine.resume();
    expect(await w.run(late)).toMatchObject({ outcome: "executed", value: "mine" });
    expect(await w.run(w.dedup().run("k", never))).toBe("mine");
  });

  test("processes may disagree about onCrash: each follows its own", async () => {
    const w = createWorld();
    await crash(w, "park");
    await w.runtime.advance(LEASE_MS);
    expect(await w.run(w.dedup().attempt("k", never))).toEqual(PARKED);
    expect(await w.run(w.dedup({ onCrash: "rerun" }).run("k", () => "again"))).toBe("again");
  });
});
