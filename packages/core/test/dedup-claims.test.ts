import { Final, Retryable } from "@onceproof/core";
import type { Begun, DedupClaim } from "@onceproof/core/advanced";
import { describe, expect, test } from "vitest";
import {
  createWorld,
  type DedupWorld,
  LEASE_MS,
  never,
  type Overrides,
  RETENTION_MS,
  rejectionCode,
  settled,
} from "./support/dedup-world.ts";

function claimOf<T>(begun: Begun<T>): DedupClaim<T> {
  if (begun.outcome !== "acquired") {
    throw new Error(`expected a claim, got ${begun.outcome}`);
  }
  return begun.claim;
}

async function begin(w: DedupWorld, overrides: Overrides = {}): Promise<DedupClaim<unknown>> {
  return claimOf(await w.run(w.claims(overrides).begin<unknown>("k")));
}

describe("a claim", () => {
  test("is dedup in separate steps: two calls, and shared with the dedup of that name", async () => {
    const w = createWorld();
    const { calls } = await w.counter.during(async () => {
      const claim = await begin(w);
      expect(claim).toMatchObject({ key: "k", attempt: 1, takeover: false });
      expect(await w.run(claim.complete("v"))).toMatchObject({
        outcome: "executed",
        value: "v",
        recorded: true,
        fencingToken: claim.fencingToken,
      });
    });
    expect(calls.total).toBe(2);
    expect(await w.run(w.dedup().run("k", never))).toBe("v");
    const again = await w.counter.during(() => w.run(w.claims().begin("k")));
    expect(again.result).toEqual({ outcome: "replayed", value: "v" });
    expect(again.calls.total).toBe(1);
  });

  test("child keys are those of a handler", async () => {
    const w = createWorld();
    const claim = await begin(w);
    await w.run(claim.fail(new Retryable("later")));
    const child = await w.run(w.dedup().run("k", (ctx) => ctx.childKey("charge")));
    expect(child).toBe(claim.childKey("charge"));
  });

  test.each([
    [new Retryable("later"), { outcome: "threw", disposition: "retryable" }],
    [new Error("boom"), { outcome: "threw", disposition: "unknown" }],
    [new Final("no", "no"), { outcome: "failed", replayed: false }],
  ])("fail(%s) records what a handler that threw it would have", async (error, result) => {
    const w = createWorld();
    const claim = await begin(w);
    expect(await w.run(claim.fail(error))).toMatchObject({ ...result, error });
    const viaHandler = w.dedup();
    await w.run(
      viaHandler.attempt("other", () => {
        throw error;
      }),
    );
    expect(await w.run(viaHandler.inspect("k"))).toEqual(await w.run(viaHandler.inspect("other")));
  });

  test("that is never ended counts as a crash when its lease has run out", async () => {
    const w = createWorld();
    await begin(w);
    await w.runtime.advance(LEASE_MS - 0.001);
    const waiting = await w.run(w.dedup({ waitMs: 0 }).attempt("k", never));
    expect(waiting).toMatchObject({ outcome: "inProgress" });
    await w.runtime.advance(0.001);
    expect(await w.run(w.dedup().attempt("k", never))).toMatchObject({ reason: "parked" });
  });

  test("its signal fires a margin before the lease runs out", async () => {
    const w = createWorld();
    const claim = await begin(w);
    await w.runtime.advance(0.9 * LEASE_MS - 1);
    expect(claim.signal.aborted).toBe(false);
    await w.runtime.advance(1);
    expect(claim.signal.aborted).toBe(true);
    expect(claim.signal.reason).toMatchObject({ code: "leaseLost" });
  });

  test("renew costs one call and begins the lease anew", async () => {
    const w = createWorld();
    const claim = await begin(w);
    for (let round = 0; round < 5; round += 1) {
      await w.runtime.advance(0.8 * LEASE_MS);
      const { result, calls } = await w.counter.during(() => w.run(claim.renew()));
      expect(result).toBe("applied");
      expect(calls.total).toBe(1);
    }
    expect(claim.signal.aborted).toBe(false);
    expect(await w.run(claim.complete("v"))).toMatchObject({ outcome: "executed" });
  });

  test("autoRenew keeps it alive until it ends", async () => {
    const w = createWorld();
    const claim = claimOf(await w.run(w.claims().begin("k", { autoRenew: true })));
    await w.runtime.advance(9 * LEASE_MS);
    expect(claim.signal.aborted).toBe(false);
    expect(await w.run(claim.complete("v"))).toMatchObject({ outcome: "executed" });
    expect(w.runtime.pendingTimers).toBe(0);
  });

  test("renew of what another took over is lost, and takes nothing back", async () => {
    const w = createWorld();
    const claim = await begin(w, { onCrash: "rerun" });
    await w.runtime.advance(LEASE_MS);
    const second = await begin(w, { onCrash: "rerun" });
    expect(await w.run(claim.renew())).toBe("lost");
    expect(await w.run(second.renew())).toBe("applied");
    expect(await w.run(second.complete("second"))).toMatchObject({ outcome: "executed" });
    expect(await w.run(claim.complete("first"))).toEqual({
      outcome: "replayed",
      value: "second",
    });
  });

  test("acquired while a verify is unanswered is told so", async () => {
    const w = createWorld();
    await begin(w);
    await w.runtime.advance(LEASE_MS);
    const claims = w.claims({ onCrash: () => ({ answer: "unknown" }) });
    expect(await w.run(claims.begin("k"))).toMatchObject({ reason: "verifyUnknown" });
  });
});

describe("an ended claim", () => {
  const ENDS: readonly [string, (claim: DedupClaim<unknown>) => Promise<unknown>][] = [
    ["complete", (claim) => claim.complete("second")],
    ["fail finally", (claim) => claim.fail(new Final("second", "second"))],
    ["fail retryably", (claim) => claim.fail(new Retryable("second"))],
    ["fail", (claim) => claim.fail(new Error("second"))],
    ["renew", (claim) => claim.renew()],
    ["step", (claim) => claim.step("second", never)],
    ["started", (claim) => claim.started()],
  ];

  test.each(ENDS)("changes nothing any more: %s after complete", async (_, again) => {
    const w = createWorld();
    const claim = await begin(w);
    await w.run(claim.complete("first"));
    const before = w.counter.counts().total;
    expect(await rejectionCode(w.run(again(claim)))).toBe("leaseLost");
    expect(w.counter.counts().total).toBe(before);
    expect(await w.run(w.dedup().run("k", never))).toBe("first");
  });

  // Of two endings asked for together the second used to be written over the first.
  test.each(ENDS)(
    "changes nothing even in the same moment: %s beside complete",
    async (_, again) => {
      const w = createWorld();
      const claim = await begin(w);
      const both = Promise.all([settled(claim.complete("first")), settled(again(claim))]);
      const [first, second] = await w.run(both);
      expect(first.value).toMatchObject({ outcome: "executed", value: "first", recorded: true });
      expect(second.error).toMatchObject({ code: "leaseLost" });
      expect(await w.run(w.dedup().run("k", never))).toBe("first");
      // A renewal after the finish would have made the outcome live for ever.
      await w.runtime.advance(RETENTION_MS);
      expect(await w.run(w.dedup().inspect("k"))).toEqual({ state: "none" });
    },
  );

  test("a step that is under way when the claim ends is refused its record", async () => {
    const w = createWorld();
    const claim = await begin(w);
    const step = settled(claim.step("slow", () => w.runtime.sleep(1_000)));
    expect(await w.run(claim.complete("v"))).toMatchObject({ outcome: "executed" });
    expect((await w.run(step)).error).toMatchObject({ code: "leaseLost" });
    expect(await w.run(w.dedup().run("k", never))).toBe("v");
  });
});
