import { Retryable } from "@onceproof/core";
import { describe, expect, test } from "vitest";
import {
  createWorld,
  type DedupWorld,
  LEASE_MS,
  never,
  type Overrides,
  RETENTION_MS,
  rejectionCode,
} from "./support/dedup-world.ts";

const SKEW_MS = 300_000;

function uuidV7(ms: number): string {
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7abc-8def-0123456789ab`;
}

/** What a call with a key born so long before the store's `now` comes to. */
async function attemptAged(w: DedupWorld, ageMs: number, overrides: Overrides = {}) {
  const issuedAtMs = w.faulty.clock.wallNow() - ageMs;
  let ran = false;
  const { result, calls } = await w.counter.during(() =>
    w.run(
      w.dedup(overrides).attempt(
        "k",
        () => {
          ran = true;
          return "ran";
        },
        { issuedAtMs },
      ),
    ),
  );
  expect(ran).toBe(result.outcome === "executed");
  return { outcome: result.outcome, calls: calls.total, result };
}

describe("a key that bears its birth time", () => {
  test.each([
    ["now", 0, "executed"],
    ["a day less a moment ago", RETENTION_MS - 1, "executed"],
    ["more than the retention ago", RETENTION_MS + 0.001, "expired"],
    ["years ago", 1_000 * RETENTION_MS, "expired"],
    ["ahead by all of the skew", -SKEW_MS, "executed"],
    ["ahead by more than the skew", -SKEW_MS - 0.001, "notYetValid"],
    ["years ahead", -1_000 * RETENTION_MS, "notYetValid"],
  ])("born %s (%d ms): %s", async (_, ageMs, outcome) => {
    expect((await attemptAged(createWorld(), ageMs)).outcome).toBe(outcome);
  });

  test("expired costs one call more, once, and is never run", async () => {
    const w = createWorld();
    expect(await attemptAged(w, RETENTION_MS + 1)).toMatchObject({ outcome: "expired", calls: 2 });
    expect(await attemptAged(w, RETENTION_MS + 1)).toMatchObject({ outcome: "expired", calls: 1 });
    const issuedAtMs = w.runtime.wallNow() - RETENTION_MS - 1;
    const code = await rejectionCode(w.run(w.dedup().run("k", never, { issuedAtMs })));
    expect(code).toBe("expired");
  });

  test("is judged by the store's now alone: a client's clock changes nothing", async () => {
    for (const wrongMs of [-10 * RETENTION_MS, -RETENTION_MS, RETENTION_MS, 10 * RETENTION_MS]) {
      for (const [ageMs, outcome] of [
        [0, "executed"],
        [RETENTION_MS + 1, "expired"],
        [-SKEW_MS - 1, "notYetValid"],
      ] as const) {
        const w = createWorld();
        w.runtime.jumpWall(wrongMs);
        w.faulty.clock.setOffset(-wrongMs);
        expect((await attemptAged(w, ageMs)).outcome).toBe(outcome);
      }
    }
  });

  test("born too early is refused until it becomes valid, and then runs", async () => {
    const w = createWorld();
    const issuedAtMs = w.runtime.wallNow() + SKEW_MS + 60_000;
    const dedup = w.dedup();
    const first = await w.run(dedup.attempt("k", never, { issuedAtMs }));
    expect(first).toEqual({ outcome: "notYetValid", validInMs: 60_000 });
    await w.runtime.advance(59_999);
    const second = await w.run(dedup.attempt("k", never, { issuedAtMs }));
    expect(second).toEqual({ outcome: "notYetValid", validInMs: 1 });
    expect(await rejectionCode(w.run(dedup.run("k", never, { issuedAtMs })))).toBe("notYetValid");
    await w.runtime.advance(1);
    expect(await w.run(dedup.run("k", () => "ran", { issuedAtMs }))).toBe("ran");
  });

  test("is forgotten only once it is expired: a late retry never runs again", async () => {
    // The first case is the edge of the skew, where the record has to live longest. The clock of
    // the store may step back between the judgement and the record.
    for (const aheadMs of [SKEW_MS, 0, -RETENTION_MS / 2]) {
      for (const backMs of [0, 1_000, SKEW_MS - 1]) {
        const w = createWorld();
        const birth = w.runtime.wallNow() + aheadMs;
        const key = { issuedAtMs: birth };
        const dedup = w.dedup();
        await w.run(
          dedup.run(
            "k",
            () => {
              w.faulty.clock.jumpBy(-backMs);
              return "once";
            },
            key,
          ),
        );
        for (const atMs of [
          ...[-1, -0.001, 0, 0.001, 1].map((edgeMs) => birth + RETENTION_MS + edgeMs),
          birth + RETENTION_MS + 2 * SKEW_MS,
          birth + RETENTION_MS + 4 * SKEW_MS,
        ]) {
          const waitMs = atMs - w.faulty.clock.wallNow();
          if (waitMs >= 0) {
            await w.runtime.advance(waitMs);
            const { outcome } = await w.run(dedup.attempt("k", never, key));
            expect(["replayed", "expired"]).toContain(outcome);
          }
        }
      }
    }
  });

  test("a crashed attempt whose key has expired meanwhile is not run again", async () => {
    const w = createWorld();
    const issuedAtMs = w.runtime.wallNow();
    await w.run(w.claims({ onCrash: "rerun" }).begin("k", { issuedAtMs }));
    await w.runtime.advance(RETENTION_MS + 1);
    const dedup = w.dedup({ onCrash: "rerun" });
    expect(await w.run(dedup.attempt("k", never, { issuedAtMs }))).toEqual({ outcome: "expired" });
  });

  test.each(["crashed", "retryable"] as const)(
    "found too early only since the clock stepped back keeps what a %s attempt left",
    async (end) => {
      // The takeover is the fourth call: it arrives at a store whose clock is back before the start.
      const w = createWorld({ plan: [{ call: 4, fault: "clockOffset", offsetMs: -LEASE_MS - 1 }] });
      const key = { issuedAtMs: w.runtime.wallNow() + SKEW_MS };
      const begun = await w.run(w.claims({ onCrash: "rerun" }).begin("k", key));
      const claim = begun.outcome === "acquired" ? begun.claim : never();
      await w.run(claim.step("charge", () => "once"));
      if (end === "retryable") {
        w.faulty.clock.setOffset(-LEASE_MS - 1);
        await w.run(claim.fail(new Retryable("later")));
        w.faulty.clock.setOffset(0);
      }
      await w.runtime.advance(LEASE_MS);
      w.faulty.clock.setOffset(end === "retryable" ? -LEASE_MS - 1 : 0);
      const dedup = w.dedup({ onCrash: "rerun" });
      expect(await w.run(dedup.attempt("k", never, key))).toMatchObject({
        outcome: "notYetValid",
      });
      w.faulty.clock.setOffset(0);
      const again = dedup.run("k", (ctx) => ctx.step("charge", never), key);
      expect(await w.run(again)).toBe("once");
    },
  );

  test("that is expired does not lose an outcome that is still recorded", async () => {
    const w = createWorld();
    const issuedAtMs = w.runtime.wallNow() - RETENTION_MS + 1;
    await w.run(w.dedup().run("k", () => "v", { issuedAtMs }));
    await w.runtime.advance(2);
    expect(await w.run(w.dedup().run("k", never, { issuedAtMs }))).toBe("v");
  });

  test("costs nothing when it is valid", async () => {
    const w = createWorld();
    expect(await attemptAged(w, 0)).toMatchObject({ outcome: "executed", calls: 2 });
  });

  test("an expired key of which the judgement was lost is never run", async () => {
    for (const fault of ["dropReply", "dropRequest"] as const) {
      const w = createWorld({ plan: [{ call: 2, fault }] });
      expect(await attemptAged(w, RETENTION_MS + 1)).toMatchObject({ outcome: "expired" });
      await w.runtime.advance(LEASE_MS);
      expect((await attemptAged(w, RETENTION_MS + 1)).outcome).toBe("expired");
    }
  });
});

describe("where the birth time comes from", () => {
  test("uuidv7 reads it from the key", async () => {
    const w = createWorld();
    const dedup = w.dedup({ keyTime: "uuidv7" });
    const now = w.runtime.wallNow();
    const outcomeOf = async (key: string) => (await w.run(dedup.attempt(key, () => "ran"))).outcome;
    expect(await outcomeOf(uuidV7(now))).toBe("executed");
    expect(await outcomeOf(uuidV7(now - RETENTION_MS + 1))).toBe("executed");
    expect(await outcomeOf(uuidV7(now - RETENTION_MS - 1))).toBe("expired");
    expect(await outcomeOf(uuidV7(now + SKEW_MS))).toBe("executed");
    expect(await outcomeOf(uuidV7(now + SKEW_MS + 1))).toBe("notYetValid");
    expect(await outcomeOf(uuidV7(now + 5).toUpperCase())).toBe("executed");
  });

  test("a function reads it from the key, and a call's issuedAtMs counts before either", async () => {
    const w = createWorld();
    const old = w.runtime.wallNow() - RETENTION_MS - 1;
    const dedup = w.dedup({ keyTime: (key) => Number(key.split("@")[1]) });
    const expired = await w.run(dedup.attempt(`k@${old}`, never));
    expect(expired).toEqual({ outcome: "expired" });
    const issuedAtMs = w.runtime.wallNow();
    expect(await w.run(dedup.run(`k2@${old}`, () => "ran", { issuedAtMs }))).toBe("ran");
  });

  test.each([
    "",
    "k",
    "018f3c1a-0000-4abc-8def-0123456789ab",
    "018f3c1a-0000-7abc-0def-0123456789ab",
    "018f3c1a00007abc8def0123456789ab",
    " 018f3c1a-0000-7abc-8def-0123456789ab",
  ])("%j is no UUIDv7 and is refused before anything is sent", async (key) => {
    const w = createWorld();
    const dedup = w.dedup({ keyTime: "uuidv7" });
    expect(await rejectionCode(w.run(dedup.run(key, never)))).toMatch(/^(optionInvalid|keyEmpty)$/);
    expect(w.counter.counts().total).toBe(0);
  });

  test("a resolution does not need the time that a key bears", async () => {
    const w = createWorld();
    const dedup = w.dedup({ keyTime: "uuidv7" });
    const key = uuidV7(w.runtime.wallNow());
    await w.run(dedup.attempt(key, never));
    expect(await w.run(dedup.resolve(key, { outcome: "done", value: 1 }))).toEqual({
      outcome: "resolved",
    });
    expect(await w.run(dedup.run(key, never))).toBe(1);
  });

  test("a key resolved by a person stays recorded until the key itself is expired", async () => {
    const w = createWorld();
    const dedup = w.dedup({ keyTime: "uuidv7" });
    const birth = w.runtime.wallNow() + SKEW_MS;
    const key = uuidV7(birth);
    await w.run(dedup.attempt(key, () => Promise.reject(new Error("boom"))));
    await w.run(dedup.resolve(key, { outcome: "done", value: 1 }));
    await w.runtime.advance(RETENTION_MS + SKEW_MS);
    expect(["replayed", "expired"]).toContain((await w.run(dedup.attempt(key, never))).outcome);
  });
});
