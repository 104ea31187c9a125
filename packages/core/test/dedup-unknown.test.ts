// What a lost reply may and may not change: an answer is never guessed, a handler never run twice
// to find out, and a value never thrown away.

import { Final, Retryable } from "@onceproof/core";
import type { Fault } from "@onceproof/simulator";
import { describe, expect, test } from "vitest";
import {
  createWorld,
  type DedupWorld,
  LEASE_MS,
  never,
  rejectionCode,
} from "./support/dedup-world.ts";

const DROP_REPLY: Fault = { fault: "dropReply" };
const DROP_REQUEST: Fault = { fault: "dropRequest" };

async function stored(w: DedupWorld) {
  return w.run(w.dedup({ store: w.faulty.direct }).inspect("k"));
}

describe("acquire without an answer", () => {
  test.each([DROP_REPLY, DROP_REQUEST])(
    "once ($fault): the same write is sent again and the handler runs once",
    async (fault) => {
      const w = createWorld();
      w.inject(fault);
      let runs = 0;
      const { result, calls } = await w.counter.during(() =>
        w.run(w.dedup().attempt("k", () => (runs += 1))),
      );
      expect(result).toMatchObject({ outcome: "executed", value: 1, recorded: true, attempt: 1 });
      expect(calls.total).toBe(3);
      expect(runs).toBe(1);
    },
  );

  test.each([DROP_REPLY, DROP_REQUEST])(
    "until the deadline ($fault): indeterminate, and the handler does not run",
    async (fault) => {
      const w = createWorld();
      const restore = w.cut(fault);
      const result = await w.run(w.dedup({ settleMs: 10_000 }).attempt("k", never));
      expect(result).toMatchObject({ outcome: "indeterminate", reason: "acquireUnknown" });
      expect(w.runtime.monotonicNow()).toBeLessThan(20_000);
      expect(await rejectionCode(w.run(w.dedup().run("k2", never)))).toBe("indeterminate");
      restore();
    },
  );

  test("that had arrived all the same blocks until its lease ends, then counts as a crash", async () => {
    const w = createWorld();
    const restore = w.cut(DROP_REPLY);
    await w.run(w.dedup().attempt("k", never));
    restore();
    expect(await stored(w)).toMatchObject({ state: "running", started: false });
    await w.runtime.advance(LEASE_MS);
    const parked = await w.run(w.dedup().attempt("k", never));
    expect(parked).toEqual({ outcome: "indeterminate", reason: "parked" });
    expect(await w.run(w.dedup({ onCrash: "rerun" }).run("k", () => "ran"))).toBe("ran");
  });

  test("ends with the caller's signal", async () => {
    const w = createWorld();
    w.cut(DROP_REQUEST);
    const controller = new AbortController();
    w.runtime.setTimer(() => controller.abort(), 2_500);
    const { signal } = controller;
    const result = await w.run(w.dedup({ settleMs: 60_000 }).attempt("k", never, { signal }));
    // It was sent, so it may have happened: that is no plain abort.
    expect(result).toMatchObject({ outcome: "indeterminate", reason: "acquireUnknown" });
    expect(w.runtime.monotonicNow()).toBeLessThan(5_000);
  });

  test("a refused connection throws unavailable, and the handler does not run", async () => {
    const w = createWorld();
    w.cut({ fault: "unavailable" });
    const code = await rejectionCode(w.run(w.dedup().attempt("k", never)));
    expect(code).toBe("unavailable");
    expect(await stored(w)).toEqual({ state: "none" });
  });

  test("a refused connection after a lost request is not proof that nothing happened", async () => {
    const w = createWorld();
    w.inject(DROP_REPLY);
    const attempt = w.dedup({ settleMs: 3_000 }).attempt("k", never);
    await w.runtime.advance(1_000);
    w.cut({ fault: "unavailable" });
    const result = await w.run(attempt);
    expect(result).toMatchObject({ outcome: "indeterminate", reason: "acquireUnknown" });
  });

  test("a refusal after a lost create is not proof that it was not applied", async () => {
    const w = createWorld();
    // It is applied late: after the second send was dropped too, before the third.
    w.inject({ fault: "deliverLate", afterMs: 2_001 });
    let runs = 0;
    const result = await w.run(w.dedup().attempt("k", () => (runs += 1)));
    expect(result).toMatchObject({ outcome: "executed", attempt: 1 });
    expect(runs).toBe(1);
  });

  test.each([DROP_REPLY, DROP_REQUEST])(
    "a takeover without an answer ($fault) is settled in the same way",
    async (fault) => {
      // Of its calls the first is the refused create, the second the takeover.
      const w = createWorld({ plan: [{ call: 3, ...fault }] });
      await w.run(w.claims({ onCrash: "rerun" }).begin("k"));
      await w.runtime.advance(LEASE_MS);
      const dedup = w.dedup({ onCrash: "rerun" });
      const { result, calls } = await w.counter.during(() =>
        w.run(dedup.attempt("k", (ctx) => ctx.attempt)),
      );
      expect(result).toMatchObject({ outcome: "executed", value: 2 });
      expect(calls.total).toBe(4);
      expect(w.faulty.struck).toHaveLength(1);
    },
  );
});

describe("finish without an answer", () => {
  test.each([DROP_REPLY, DROP_REQUEST])(
    "once ($fault): the same write is sent again and the value is recorded",
    async (fault) => {
      const w = createWorld();
      const result = await w.run(
        w.dedup().attempt("k", () => {
          w.inject(fault);
          return "v";
        }),
      );
      expect(result).toMatchObject({ outcome: "executed", value: "v", recorded: true });
      expect(await stored(w)).toMatchObject({ state: "done", value: "v" });
    },
  );

  test.each([DROP_REPLY, DROP_REQUEST, { fault: "unavailable" }] as const)(
    "until the deadline ($fault): the value, honestly not known as recorded",
    async (fault) => {
      const w = createWorld();
      const value = { receipt: 1 };
      const dedup = w.dedup();
      const result = await w.run(
        dedup.attempt("k", () => {
          w.cut(fault);
          return value;
        }),
      );
      expect(result).toMatchObject({ outcome: "executed", recorded: "unknown" });
      expect((result as { value: unknown }).value).toBe(value);
    },
  );

  test("run returns that value too", async () => {
    const w = createWorld();
    const value = await w.run(
      w.dedup().run("k", () => {
        w.cut(DROP_REQUEST);
        return "v";
      }),
    );
    expect(value).toBe("v");
  });

  test("a store that is closed meanwhile does not lose the value", async () => {
    const w = createWorld();
    const result = await w.run(
      w.dedup().attempt("k", async () => {
        await w.faulty.store.close();
        return "v";
      }),
    );
    expect(result).toMatchObject({ outcome: "executed", value: "v", recorded: "unknown" });
  });

  test("until the deadline for a rejection: the caller's error, not known as recorded", async () => {
    const w = createWorld();
    const error = new Final("declined", "no");
    const result = await w.run(
      w.dedup().attempt("k", () => {
        w.cut(DROP_REQUEST);
        throw error;
      }),
    );
    expect(result).toEqual({ outcome: "failed", error, replayed: false, recorded: "unknown" });
  });

  test.each([new Error("boom"), new Retryable("later")])(
    "until the deadline for %s: the caller still gets that error",
    async (error) => {
      const w = createWorld();
      const result = await w.run(
        w.dedup().attempt("k", () => {
          w.cut(DROP_REQUEST);
          throw error;
        }),
      );
      expect(result).toMatchObject({ outcome: "threw", error });
    },
  );

  test("an unrecorded value is followed by a crash: parked, never run again under park", async () => {
    const w = createWorld();
    let restore = (): void => {};
    await w.run(
      w.dedup().attempt("k", () => {
        restore = w.cut(DROP_REQUEST);
        return "v";
      }),
    );
    restore();
    await w.runtime.advance(2 * LEASE_MS);
    expect(await w.run(w.dedup().attempt("k", never))).toEqual({
      outcome: "indeterminate",
      reason: "parked",
    });
  });

  test("a finish that arrives late is the outcome for everybody", async () => {
    const w = createWorld();
    const restore: (() => void)[] = [];
    const result = await w.run(
      w.dedup({ settleMs: 1_000 }).attempt("k", () => {
        w.inject({ fault: "deliverLate", afterMs: 5_000 });
        w.runtime.setTimer(() => restore.push(w.cut(DROP_REQUEST)), 1);
        return "v";
      }),
    );
    restore[0]!();
    expect(result).toMatchObject({ outcome: "executed", recorded: "unknown" });
    await w.runtime.advance(5_000);
    expect(await w.run(w.dedup().run("k", never))).toBe("v");
  });
});

describe("late duplicates of one's own writes", () => {
  test("a doubled acquisition does not reopen a finished key", async () => {
    const w = createWorld();
    w.inject({ fault: "duplicate", afterMs: 60_000 });
    await w.run(w.dedup().run("k", () => "v"));
    await w.runtime.advance(60_000);
    expect(await w.run(w.dedup().run("k", never))).toBe("v");
  });

  test("a doubled takeover or finish applies once", async () => {
    const w = createWorld();
    await w.run(w.claims({ onCrash: "rerun" }).begin("k"));
    await w.runtime.advance(LEASE_MS);
    const restore = w.cut({ fault: "duplicate", afterMs: 3_000 });
    await w.run(w.dedup({ onCrash: "rerun" }).run("k", (ctx) => ctx.attempt));
    restore();
    await w.runtime.advance(10_000);
    expect(await stored(w)).toEqual({ state: "done", attempt: 2, value: 2 });
  });

  test("a renewal of which the reply was lost is adopted, not taken for another owner", async () => {
    const w = createWorld();
    const first = w.dedup({ onCrash: "rerun" }).attempt("k", async (ctx) => {
      await w.runtime.sleep(LEASE_MS / 3 - 1);
      // The renewal applies and its reply is lost; then so are those of all its re-sends.
      const restore = w.cut(DROP_REPLY);
      await w.runtime.sleep(5_000);
      restore();
      await w.runtime.sleep(LEASE_MS);
      return ctx.signal.aborted;
    });
    expect(await w.run(first)).toMatchObject({ outcome: "executed", value: false });
  });

  test("a renewal or a step that stayed without an answer is adopted by what follows it", async () => {
    for (const act of ["renew", "step"] as const) {
      const w = createWorld();
      const begun = await w.run(w.claims({ settleMs: 3_000 }).begin<string>("k"));
      const claim = begun.outcome === "acquired" ? begun.claim : never();
      // It is applied, and the owner never learns of it.
      const restore = w.cut(DROP_REPLY);
      const unanswered = act === "renew" ? claim.renew() : claim.step("s", () => 1);
      expect(await w.run<unknown>(unanswered.catch(({ code }) => code))).toMatch(
        /^(unknown|indeterminate)$/,
      );
      restore();
      expect(await w.run(claim.complete("v"))).toMatchObject({
        outcome: "executed",
        recorded: true,
      });
      expect(await stored(w)).toMatchObject({ state: "done", value: "v" });
    }
  });

  test("a finish after a renewal without an answer is recorded under the renewal's stamp", async () => {
    const w = createWorld();
    const dedup = w.dedup({ onCrash: "rerun" });
    const result = await w.run(
      dedup.attempt("k", async () => {
        await w.runtime.sleep(LEASE_MS / 3 - 1);
        const restore = w.cut(DROP_REPLY);
        await w.runtime.sleep(2);
        restore();
        return "v";
      }),
    );
    expect(result).toMatchObject({ outcome: "executed", value: "v", recorded: true });
    expect(await stored(w)).toMatchObject({ state: "done", value: "v" });
  });
});
