// Dedup in the store's transaction, case by case: what commits, what rolls back, who waits, what a
// lost commit comes to, and what attempts of `run` under the same key mean to it.

import {
  ContendedError,
  createMemoryStore,
  createTransactionalDedup,
  Final,
  type MemoryTransaction,
  Retryable,
  StoreError,
  type TransactionContext,
} from "@onceproof/core";
import type { AtomicStore } from "@onceproof/core/advanced";
import { describe, expect, expectTypeOf, test } from "vitest";
import { never, rejection, rejectionCode } from "./support/dedup-world.ts";
import { createTransactionWorld, type TransactionWorld } from "./support/transaction-world.ts";

const EXECUTED = { outcome: "executed", value: "a", attempt: 1, exactlyOnce: true };

describe("what commits", () => {
  test("effect and record together: 2 calls in one transaction, a duplicate 1", async () => {
    const w = createTransactionWorld();
    const first = await w.counter.during(() =>
      w.run(w.dedup().attemptInTransaction("k", w.charge("a"))),
    );
    expect(first.result).toEqual(EXECUTED);
    expect(first.calls).toMatchObject({ transaction: 1, total: 2 });
    const second = await w.counter.during(() => w.run(w.dedup().attemptInTransaction("k", never)));
    expect(second.result).toEqual({ outcome: "replayed", value: "a", exactlyOnce: true });
    expect(second.calls).toMatchObject({ transaction: 1, total: 1 });
    expect(w.effects).toEqual(["a"]);
  });

  test("its outcome is what `run`, `inspect` and other processes see, and the other way round", async () => {
    const w = createTransactionWorld();
    expect(await w.run(w.dedup().runInTransaction("k", w.charge("a")))).toBe("a");
    expect(await w.run(w.dedup().run("k", never))).toBe("a");
    expect(await w.run(w.dedup().inspect("k"))).toMatchObject({ state: "done", attempt: 1 });
    expect(await w.run(w.dedup().run("k2", () => "b"))).toBe("b");
    const replayed = await w.run(w.dedup().attemptInTransaction("k2", never));
    expect(replayed).toEqual({ outcome: "replayed", value: "b", exactlyOnce: false });
  });

  test("the handler is given its key, its attempt and child keys that stay the same", async () => {
    const w = createTransactionWorld();
    const seen: unknown[] = [];
    w.commits.push("contended");
    await w.run(
      w.dedup().runInTransaction("k", (_tx, ctx: TransactionContext) => {
        seen.push([ctx.key, ctx.attempt, ctx.takeover, ctx.childKey("c")]);
      }),
    );
    let other: unknown;
    await w.run(
      createTransactionWorld()
        .plain()
        .run("k", (ctx) => (other = ctx.childKey("c"))),
    );
    expect(seen).toEqual([seen[0], seen[0]]);
    expect(seen[0]).toEqual(["k", 1, false, other]);
  });

  test("a value that cannot be stored goes to the first caller alone", async () => {
    const w = createTransactionWorld();
    const value = (): void => {};
    const first = await w.run(w.dedup().attemptInTransaction("k", () => value));
    expect(first).toMatchObject({ outcome: "executed", value });
    const second = await w.run(w.dedup().attemptInTransaction("k", never));
    expect(second).toEqual({ outcome: "valueUnavailable" });
  });

  test("two at once: one effect, and both get its value", async () => {
    const w = createTransactionWorld();
    const ask = (value: string) =>
      w.dedup().runInTransaction("k", async (tx) => {
        await w.runtime.sleep(50);
        return w.charge(value)(tx);
      });
    const values = await w.run(Promise.all([ask("a"), ask("b")]));
    expect(w.effects).toHaveLength(1);
    expect(values).toEqual([w.effects[0], w.effects[0]]);
  });

  test("another payload under the same key is a mismatch", async () => {
    const w = createTransactionWorld();
    await w.run(w.dedup().runInTransaction("k", w.charge("a"), { fingerprint: 1 }));
    const other = w.dedup().attemptInTransaction("k", never, { fingerprint: 2 });
    expect(await w.run(other)).toEqual({ outcome: "mismatch" });
  });

  test("keys are judged by their birth time, and an old one never runs", async () => {
    const w = createTransactionWorld();
    const dedup = w.dedup({ retentionMs: 30_000, maxSkewMs: 1_000 });
    const nowMs = w.runtime.wallNow();
    const old = await w.run(
      dedup.attemptInTransaction("old", never, { issuedAtMs: nowMs - 31_000 }),
    );
    expect(old).toEqual({ outcome: "expired" });
    expect(await w.run(dedup.inspect("old"))).toMatchObject({ state: "expired" });
    const young = dedup.attemptInTransaction("young", never, { issuedAtMs: nowMs + 5_000 });
    expect(await w.run(young)).toMatchObject({ outcome: "notYetValid" });
    await w.runtime.advance(4_100);
    const now = dedup.runInTransaction("young", w.charge("a"), { issuedAtMs: nowMs + 5_000 });
    expect(await w.run(now)).toBe("a");
  });
});

describe("what rolls back", () => {
  test.each([new Error("broken"), new Retryable("not yet")])(
    "%s frees the key, and leaves neither effect nor record",
    async (error) => {
      const w = createTransactionWorld();
      const failing = w.dedup().attemptInTransaction("k", (tx) => {
        w.charge("a")(tx);
        throw error;
      });
      expect(await w.run(failing)).toEqual({ outcome: "threw", error });
      expect(w.effects).toEqual([]);
      expect(await w.run(w.dedup().inspect("k"))).toEqual({ state: "none" });
      expect(await w.run(w.dedup().attemptInTransaction("k", w.charge("a")))).toEqual(EXECUTED);
    },
  );

  test("a final rejection takes its effects back and is recorded: 2 calls, for others 1", async () => {
    const w = createTransactionWorld();
    const failing = () =>
      w.dedup().attemptInTransaction("k", (tx) => {
        w.charge("a")(tx);
        throw new Final("declined", "no money");
      });
    const { result, calls } = await w.counter.during(() => w.run(failing()));
    expect(result).toMatchObject({ outcome: "failed", replayed: false, recorded: true });
    expect(calls).toMatchObject({ transaction: 1, total: 2 });
    expect(w.effects).toEqual([]);
    const again = await w.run(w.dedup().attemptInTransaction("k", never));
    expect(again).toMatchObject({ outcome: "failed", replayed: true });
    expect(await w.run(rejection(w.dedup().runInTransaction("k", never)))).toMatchObject({
      code: "declined",
      message: "no money",
    });
  });

  test("a rejection that finds another's outcome gives way to it", async () => {
    const w = createTransactionWorld();
    let asked = false;
    const result = await w.run(
      w.dedup().attemptInTransaction("k", async () => {
        if (!asked) {
          asked = true;
          // Commits while this one is about to be rolled back.
          await w.dedup().runInTransaction("k", w.charge("b"));
        }
        throw new Final("declined", "no money");
      }),
    );
    expect(result).toEqual({ outcome: "replayed", value: "b", exactlyOnce: true });
    expect(w.effects).toEqual(["b"]);
  });
});

describe("a rejection whose record", () => {
  const declined = () => {
    throw new Final("declined", "no money");
  };

  test("gets no answer is told as such, and who asks next may run", async () => {
    const w = createTransactionWorld();
    const dedup = w.dedup({
      settleMs: 500,
      store: {
        ...w.counter.store,
        capabilities: w.counter.store.capabilities,
        write: async () => ({ outcome: "unknown", cause: "lost" }),
      },
    });
    const told = await w.run(dedup.attemptInTransaction("k", declined));
    expect(told).toMatchObject({ outcome: "failed", recorded: "unknown" });
    expect(await w.run(w.dedup().runInTransaction("k", w.charge("a")))).toBe("a");
  });
});

describe("contention", () => {
  test("is retried whole until it commits", async () => {
    const w = createTransactionWorld();
    w.commits.push("contended", "contended");
    const { result, calls } = await w.counter.during(() =>
      w.run(w.dedup().attemptInTransaction("k", w.charge("a"))),
    );
    expect(result).toEqual(EXECUTED);
    expect(calls.transaction).toBe(3);
    expect(w.effects).toEqual(["a"]);
  });

  test("is bounded by waitMs: contended, and nothing has changed", async () => {
    const w = createTransactionWorld();
    w.commits.push(...Array.from({ length: 1_000 }, () => "contended" as const));
    const call = w.dedup({ waitMs: 500 }).attemptInTransaction("k", w.charge("a"));
    expect(await w.run(call)).toMatchObject({ outcome: "contended" });
    expect(w.runtime.monotonicNow()).toBeLessThan(1_000);
    const coded = w.dedup({ waitMs: 0 }).runInTransaction("k", w.charge("a"));
    expect(await w.run(rejectionCode(coded))).toBe("contended");
    w.commits.length = 0;
    expect(w.effects).toEqual([]);
    expect(await w.run(w.dedup().inspect("k"))).toEqual({ state: "none" });
  });

  test("a store that cannot be reached says so, and nothing has changed", async () => {
    const w = createTransactionWorld();
    w.commits.push("unavailable");
    const call = w.dedup().attemptInTransaction("k", w.charge("a"));
    expect(await w.run(rejectionCode(call))).toBe("unavailable");
    expect(w.effects).toEqual([]);
  });
});

describe("a commit without an answer", () => {
  test("that took place is found, and nothing runs again", async () => {
    const w = createTransactionWorld();
    w.commits.push("lostReply");
    let runs = 0;
    const call = w.dedup().attemptInTransaction("k", (tx) => {
      runs += 1;
      return w.charge("a")(tx);
    });
    expect(await w.run(call)).toEqual(EXECUTED);
    expect([runs, w.effects]).toEqual([1, ["a"]]);
  });

  test("that did not take place runs again", async () => {
    const w = createTransactionWorld();
    w.commits.push("lostRequest", "lostRequest");
    expect(await w.run(w.dedup().attemptInTransaction("k", w.charge("a")))).toEqual(EXECUTED);
    expect(w.effects).toEqual(["a"]);
  });

  test("that arrives late, before the next one or after it, takes effect once", async () => {
    for (const lateMs of [1, 5, 20, 100, 700]) {
      const w = createTransactionWorld();
      w.commits.push({ lateMs });
      let runs = 0;
      const result = await w.run(
        w.dedup().attemptInTransaction("k", async (tx) => {
          runs += 1;
          const value = `run ${runs}`;
          await w.runtime.sleep(50);
          return w.charge(value)(tx);
        }),
      );
      await w.runtime.advance(1_000);
      expect(w.effects).toHaveLength(1);
      expect(result).toMatchObject({ outcome: "executed", value: w.effects[0] });
    }
  });

  test("until the deadline is indeterminate, and says so", async () => {
    const w = createTransactionWorld();
    w.commits.push(...Array.from({ length: 1_000 }, () => "lostRequest" as const));
    const call = w.dedup({ settleMs: 500 }).attemptInTransaction("k", w.charge("a"));
    expect(await w.run(call)).toMatchObject({
      outcome: "indeterminate",
      reason: "commitUnknown",
      cause: { code: "indeterminate" },
    });
    expect(w.runtime.monotonicNow()).toBeLessThan(1_000);
    const coded = w.dedup({ settleMs: 500 }).runInTransaction("k", w.charge("a"));
    expect(await w.run(rejection(coded))).toMatchObject({
      code: "indeterminate",
      reason: "commitUnknown",
    });
  });

  test("is not called unavailable, nor by the error of a later round", async () => {
    const w = createTransactionWorld();
    w.commits.push("lostReply", ...Array.from({ length: 1_000 }, () => "unavailable" as const));
    // The first commit takes place, and whoever asks next finds it.
    expect(await w.run(w.dedup().attemptInTransaction("k", w.charge("a")))).toEqual(EXECUTED);
    w.commits[0] = { lateMs: 30_000 };
    let runs = 0;
    const error = new Error("changed its mind");
    const call = w.dedup().attemptInTransaction("k2", (tx) => {
      runs += 1;
      if (runs > 1) {
        throw error;
      }
      return w.charge("b")(tx);
    });
    const told = await w.run(call);
    expect(told).toEqual({ outcome: "indeterminate", reason: "commitUnknown", cause: error });
    await w.runtime.advance(60_000);
    // It did arrive.
    expect(w.effects).toEqual(["a", "b"]);
  });

  test("that took place is told with its own value, though that cannot be stored", async () => {
    const w = createTransactionWorld();
    const value = (): void => {};
    w.commits.push("lostReply");
    const call = w.dedup().attemptInTransaction("k", () => value);
    expect(await w.run(call)).toMatchObject({ outcome: "executed", value });
  });

  test("is not called contended, whatever the rounds after it met", async () => {
    const w = createTransactionWorld();
    w.commits.push({ lateMs: 30_000 });
    w.commits.push(...Array.from({ length: 1_000 }, () => "contended" as const));
    const call = w.dedup({ settleMs: 500 }).attemptInTransaction("k", w.charge("a"));
    expect(await w.run(call)).toMatchObject({ reason: "commitUnknown" });
  });

  test("is not called unavailable, whatever the rounds after it met", async () => {
    const w = createTransactionWorld();
    w.commits.push({ lateMs: 30_000 });
    w.commits.push(...Array.from({ length: 1_000 }, () => "unavailable" as const));
    const call = w.dedup({ settleMs: 500 }).attemptInTransaction("k", w.charge("a"));
    expect(await w.run(call)).toMatchObject({ reason: "commitUnknown" });
  });

  test("is told by its revision, where its record has expired and is remembered", async () => {
    const w = createTransactionWorld();
    const dedup = w.dedup({ settleMs: 300_000, retentionMs: 30_000 });
    w.commits.push("lostReply");
    let runs = 0;
    const call = dedup.attemptInTransaction("k", (tx) => {
      runs += 1;
      // The process stands still, beyond the retention and within the tombstone time.
      w.runtime.setTimer(() => w.runtime.jumpWall(40_000), 0);
      return w.charge("a")(tx);
    });
    expect(await w.run(call)).toMatchObject({ reason: "commitUnknown" });
    expect([runs, w.effects]).toEqual([1, ["a"]]);
  });

  test("is not denied because of who came after it was forgotten", async () => {
    const w = createTransactionWorld();
    const dedup = w.dedup({ settleMs: 300_000, retentionMs: 30_000 });
    w.commits.push("lostReply");
    let runs = 0;
    const call = dedup.attemptInTransaction("k", (tx) => {
      runs += 1;
      // The process stands still, and another asks meanwhile.
      w.runtime.setTimer(() => {
        w.runtime.jumpWall(100_000);
        void w.dedup().attemptInTransaction("k", w.charge("b"));
      }, 0);
      return w.charge("a")(tx);
    });
    expect(await w.run(call)).toMatchObject({ reason: "commitUnknown" });
    expect([runs, w.effects]).toEqual([1, ["a", "b"]]);
  });

  test("is no proof once the store may have forgotten it", async () => {
    const w = createTransactionWorld();
    const dedup = w.dedup({ settleMs: 300_000, retentionMs: 30_000 });
    w.commits.push("lostReply");
    let runs = 0;
    const call = dedup.attemptInTransaction("k", (tx) => {
      runs += 1;
      // The process stands still, beyond the retention and the tombstone time.
      w.runtime.setTimer(() => w.runtime.jumpWall(100_000), 0);
      return w.charge("a")(tx);
    });
    expect(await w.run(call)).toMatchObject({ reason: "commitUnknown" });
    expect([runs, w.effects]).toEqual([1, ["a"]]);
  });

  test("with a rejection in the next round settles it", async () => {
    const w = createTransactionWorld();
    w.commits.push("lostRequest");
    let runs = 0;
    const call = w.dedup().attemptInTransaction("k", (tx) => {
      runs += 1;
      if (runs > 1) {
        throw new Final("declined", "no money");
      }
      return w.charge("a")(tx);
    });
    expect(await w.run(call)).toMatchObject({ outcome: "failed", recorded: true });
    expect(w.effects).toEqual([]);
  });
});

describe("a claim that others hold up for the whole wait", () => {
  const heldUp = (w: TransactionWorld, read = w.counter.store.read) => {
    const transaction = () => Promise.reject(new ContendedError("contended", "waited for a lock"));
    return w.dedup({ waitMs: 500, store: { ...w.counter.store, read, transaction } });
  };

  test("is told what was recorded before it asked, at one call more", async () => {
    const w = createTransactionWorld();
    await w.run(w.dedup().runInTransaction("k", w.charge("a"), { fingerprint: 1 }));
    const { result, calls } = await w.counter.during(() =>
      w.run(heldUp(w).attemptInTransaction("k", never, { fingerprint: 1 })),
    );
    expect(result).toEqual({ outcome: "replayed", value: "a", exactlyOnce: true });
    expect(calls).toMatchObject({ read: 1, total: 1 });
    const other = heldUp(w).attemptInTransaction("k", never, { fingerprint: 2 });
    expect(await w.run(other)).toEqual({ outcome: "mismatch" });
  });

  test("is in progress as long as nothing is recorded", async () => {
    const w = createTransactionWorld();
    const result = await w.run(heldUp(w).attemptInTransaction("k", never));
    expect(result).toEqual({ outcome: "inProgress", retryAfterMs: 1_000 });
    void w.plain().run("k", () => w.runtime.sleep(20_000));
    expect(await w.run(heldUp(w).attemptInTransaction("k", never))).toEqual(result);
  });

  test("is unavailable where nobody can tell", async () => {
    const w = createTransactionWorld();
    const read = () => Promise.reject(new StoreError("unavailable", "no answer"));
    const call = heldUp(w, read).attemptInTransaction("k", never);
    expect(await w.run(rejectionCode(call))).toBe("unavailable");
  });
});

describe("attempts of `run` under the same key", () => {
  test("one at work is waited for, in no transaction", async () => {
    const w = createTransactionWorld();
    const first = w.plain().run("k", async () => {
      await w.runtime.sleep(500);
      return "first";
    });
    const second = w.dedup().attemptInTransaction("k", never);
    const [, result] = await w.run(Promise.all([first, second]));
    expect(result).toEqual({ outcome: "replayed", value: "first", exactlyOnce: false });
    expect(w.counter.counts().transaction).toBe(1);
  });

  test("one at work for longer than the wait is in progress", async () => {
    const w = createTransactionWorld();
    void w.plain().run("k", () => w.runtime.sleep(20_000));
    const call = w.dedup({ waitMs: 500 }).attemptInTransaction("k", never);
    expect(await w.run(call)).toMatchObject({ outcome: "inProgress" });
  });

  test("one that did nothing is gone on with", async () => {
    const w = createTransactionWorld();
    const retryable = () => {
      throw new Retryable("not yet");
    };
    await w.run(w.plain().attempt("k", retryable));
    const result = await w.run(w.dedup().attemptInTransaction("k", w.charge("a")));
    expect(result).toEqual({ ...EXECUTED, attempt: 2 });
  });

  test("one without a known outcome follows onCrash: park", async () => {
    const w = createTransactionWorld();
    await w.run(w.plain().attempt("k", () => Promise.reject(new Error("broken"))));
    const parked = await w.run(w.dedup().attemptInTransaction("k", never));
    expect(parked).toEqual({ outcome: "indeterminate", reason: "parked" });
    await w.run(w.dedup().resolve("k", { outcome: "notDone" }));
    expect(await w.run(w.dedup().runInTransaction("k", w.charge("a")))).toBe("a");
  });

  test("rerun: it runs, says that exactly once is not certain, and a rollback keeps the mark", async () => {
    const w = createTransactionWorld();
    const dedup = w.dedup({ onCrash: "rerun" });
    await w.run(dedup.attempt("k", () => Promise.reject(new Error("broken"))));
    await w.run(dedup.attemptInTransaction("k", () => Promise.reject(new Error("again"))));
    expect(await w.run(dedup.inspect("k"))).toMatchObject({
      state: "open",
      attempt: 1,
      unresolved: true,
    });
    const result = await w.run(dedup.attemptInTransaction("k", w.charge("a")));
    expect(result).toEqual({ ...EXECUTED, attempt: 2, exactlyOnce: false });
    const replayed = await w.run(dedup.attemptInTransaction("k", never));
    expect(replayed).toMatchObject({ outcome: "replayed", exactlyOnce: false });
  });

  test("verify: the sink is asked before and outside of the transaction", async () => {
    const w = createTransactionWorld();
    const answers: ("done" | "notDone")[] = ["done", "notDone"];
    const dedup = w.dedup({
      onCrash: () => {
        const answer = answers.shift();
        return answer === "done" ? { answer, value: "sink's" } : { answer: "notDone" };
      },
    });
    const broken = () => Promise.reject(new Error("broken"));
    await w.run(dedup.attempt("k", broken));
    const told = await w.run(dedup.attemptInTransaction("k", never));
    expect(told).toEqual({ outcome: "replayed", value: "sink's", exactlyOnce: false });
    await w.run(dedup.attempt("k2", broken));
    const ran = await w.run(dedup.attemptInTransaction("k2", w.charge("a")));
    expect(ran).toMatchObject({ outcome: "executed", value: "a", exactlyOnce: true });
  });
});

describe("bad arguments", () => {
  test("a store without transactions is refused, by the compiler and before anything is sent", () => {
    const memory = createMemoryStore();
    const plain: AtomicStore = {
      capabilities: memory.capabilities,
      read: (key) => memory.read(key),
      write: (write) => memory.write(write),
      close: () => memory.close(),
    };
    expect(() =>
      // @ts-expect-error: it has no transactions
      createTransactionalDedup({ store: plain, name: "pay", onCrash: "park" }),
    ).toThrow("transactions");
    const dedup = createTransactionalDedup({ store: memory, name: "pay", onCrash: "park" });
    expectTypeOf(dedup.runInTransaction<number>)
      .parameter(1)
      .toEqualTypeOf<
        (tx: MemoryTransaction, ctx: TransactionContext) => number | Promise<number>
      >();
  });

  test("no handler, no key, an aborted signal", async () => {
    const w = createTransactionWorld();
    const attempt = w.dedup().attemptInTransaction;
    expect(await rejectionCode(attempt("k", undefined as never))).toBe("optionInvalid");
    expect(await rejectionCode(attempt("", never))).toBe("keyEmpty");
    const signal = AbortSignal.abort();
    expect(await rejectionCode(attempt("k", never, { signal }))).toBe("aborted");
    expect(w.counter.counts().transaction).toBe(0);
  });
});
