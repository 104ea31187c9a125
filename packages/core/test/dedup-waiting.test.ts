import { Final } from "@onceproof/core";
import type { AtomicStore, WatchableStore } from "@onceproof/core/advanced";
import { describe, expect, test } from "vitest";
import {
  createWorld,
  type DedupWorld,
  LEASE_MS,
  never,
  rejection,
  settled,
} from "./support/dedup-world.ts";

/** The world's store as one that can't wake anybody. */
function withoutWatch(w: DedupWorld): AtomicStore {
  const { store } = w.counter;
  return {
    capabilities: store.capabilities,
    read: (key) => store.read(key),
    write: (write) => store.write(write),
    close: () => store.close(),
  };
}

const STORES: readonly [string, (w: DedupWorld) => AtomicStore][] = [
  ["with watch", (w) => w.counter.store],
  ["without watch", withoutWatch],
];

/** Somebody else is at work on "k" for this long, through a store that is not counted. */
function occupy(w: DedupWorld, workMs: number): Promise<unknown> {
  const other = w.dedup({ store: w.faulty.direct });
  return settled(other.run("k", () => w.runtime.sleep(workMs).then(() => "theirs")));
}

describe.each(STORES)("waiting for the first caller, on a store %s", (_, storeOf) => {
  test("ends soon after the outcome is recorded, with that outcome", async () => {
    const w = createWorld();
    void occupy(w, 4_000);
    const dedup = w.dedup({ store: storeOf(w) });
    expect(await w.run(dedup.attempt("k", never))).toEqual({
      outcome: "replayed",
      value: "theirs",
    });
    expect(w.runtime.monotonicNow()).toBeLessThan(4_300);
  });

  test("is bounded: in progress after the wait, with a time to retry after", async () => {
    const w = createWorld();
    void occupy(w, 60_000);
    const dedup = w.dedup({ store: storeOf(w), waitMs: 3_000 });
    const result = await w.run(dedup.attempt("k", never));
    const { retryAfterMs, leaseEndsInMs } = result as unknown as Record<string, number>;
    expect(result).toEqual({ outcome: "inProgress", retryAfterMs, leaseEndsInMs });
    expect(retryAfterMs).toBe(Math.min(leaseEndsInMs ?? 0, 1_000));
    expect(leaseEndsInMs).toBeGreaterThan(0);
    expect(leaseEndsInMs).toBeLessThanOrEqual(LEASE_MS);
    expect(w.runtime.monotonicNow()).toBeGreaterThanOrEqual(3_000);
    expect(w.runtime.monotonicNow()).toBeLessThan(3_100);
    const error = await w.run(rejection(dedup.run("k", never, { waitMs: 0 })));
    expect(error).toMatchObject({ code: "inProgress", retryAfterMs: expect.any(Number) });
  });

  test("the default wait is ten seconds, and a call's own wait counts before it", async () => {
    const w = createWorld();
    void occupy(w, 600_000);
    const dedup = w.dedup({ store: storeOf(w) });
    await w.run(dedup.attempt("k", never));
    const waitedMs = w.runtime.monotonicNow();
    expect(waitedMs).toBeGreaterThanOrEqual(10_000);
    expect(waitedMs).toBeLessThan(10_100);
    await w.run(dedup.attempt("k", never, { waitMs: 500 }));
    expect(w.runtime.monotonicNow() - waitedMs).toBeLessThan(600);
  });

  test("with no wait it asks once", async () => {
    const w = createWorld();
    void occupy(w, 60_000);
    const dedup = w.dedup({ store: storeOf(w), waitMs: 0 });
    const { calls } = await w.counter.during(() => w.run(dedup.attempt("k", never)));
    expect(calls.total).toBe(1);
    expect(w.runtime.monotonicNow()).toBeLessThan(1);
  });

  test("writes nothing beyond the first try, and looks a bounded number of times", async () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const w = createWorld({ seed });
      void occupy(w, 9_990);
      const dedup = w.dedup({ store: storeOf(w) });
      const { calls } = await w.counter.during(() => w.run(dedup.attempt("k", never)));
      expect(calls.write, `seed ${seed}`).toBe(1);
      expect(calls.read, `seed ${seed}`).toBeLessThanOrEqual(120);
      expect(calls.read, `seed ${seed}`).toBeGreaterThan(0);
    }
  });

  test("callers do not look in step: their looks are spread", async () => {
    const w = createWorld();
    void occupy(w, 8_000);
    const at = new Map<number, number>();
    const spy = new Proxy(storeOf(w), {
      get(target, property) {
        if (property === "read") {
          const ms = Math.floor(w.runtime.monotonicNow());
          at.set(ms, (at.get(ms) ?? 0) + 1);
        }
        const member: unknown = Reflect.get(target, property, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const dedup = w.dedup({ store: spy });
    const callers = Array.from({ length: 40 }, () => dedup.run("k", never));
    await w.run(Promise.all(callers));
    const before = [...at].filter(([ms]) => ms > 200 && ms < 7_990);
    const busiest = Math.max(...before.map(([, looks]) => looks));
    expect(before.length).toBeGreaterThan(20);
    expect(busiest).toBeLessThanOrEqual(10);
  });

  test("ends with the caller's signal, at once, leaving no timer of its own", async () => {
    const w = createWorld();
    await w.run(w.claims({ store: w.faulty.direct }).begin("k"));
    const timers = w.runtime.pendingTimers;
    const controller = new AbortController();
    const reason = new Error("the client hung up");
    w.runtime.setTimer(() => controller.abort(reason), 1_234);
    const dedup = w.dedup({ store: storeOf(w) });
    const error = await w.run(rejection(dedup.run("k", never, { signal: controller.signal })));
    expect(error).toMatchObject({ code: "aborted", cause: reason });
    expect(w.runtime.monotonicNow()).toBe(1_234);
    expect(w.runtime.pendingTimers).toBe(timers);
  });

  test("a rejection that the first caller ends with is told to the waiter", async () => {
    const w = createWorld();
    const other = w.dedup({ store: w.faulty.direct });
    const reject = (): Promise<never> =>
      w.runtime.sleep(500).then(() => Promise.reject(new Final("declined", "no")));
    void settled(other.run("k", reject));
    await w.runtime.advance(1);
    const result = await w.run(w.dedup({ store: storeOf(w) }).attempt("k", never));
    expect(result).toMatchObject({
      outcome: "failed",
      replayed: true,
      error: { code: "declined" },
    });
  });

  test("a first caller that can't judge leaves the waiter to onCrash, soon", async () => {
    const w = createWorld();
    const other = w.dedup({ store: w.faulty.direct });
    void settled(other.run("k", () => w.runtime.sleep(500).then(never)));
    await w.runtime.advance(1);
    const dedup = w.dedup({ store: storeOf(w), onCrash: "rerun" });
    expect(await w.run(dedup.run("k", (ctx) => ctx.attempt))).toBe(2);
    expect(w.runtime.monotonicNow()).toBeLessThan(900);
  });

  test("one look that fails does not end the wait in a guess", async () => {
    const w = createWorld();
    void occupy(w, 2_000);
    const dedup = w.dedup({ store: storeOf(w) });
    const waiter = settled(dedup.attempt("k", never));
    await w.runtime.advance(100);
    w.inject({ fault: "dropReply" });
    const { value, error } = await w.run(waiter);
    if (error === undefined) {
      expect(value).toEqual({ outcome: "replayed", value: "theirs" });
    } else {
      expect(error).toMatchObject({ code: "unavailable" });
    }
  });
});

test("a waiter with watch looks far less often than one without", async () => {
  const looks: number[] = [];
  for (const [, storeOf] of STORES) {
    const w = createWorld();
    void occupy(w, 9_990);
    const dedup = w.dedup({ store: storeOf(w) });
    const { calls } = await w.counter.during(() => w.run(dedup.attempt("k", never)));
    looks.push(calls.read);
  }
  expect(looks[0]! * 3).toBeLessThan(looks[1]!);
});

test("a watch that never wakes costs time, never the outcome", async () => {
  const w = createWorld();
  const deaf: AtomicStore & WatchableStore = {
    ...withoutWatch(w),
    watch: (_, signal) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
  };
  void occupy(w, 4_000);
  const dedup = w.dedup({ store: deaf });
  expect(await w.run(dedup.run("k", never))).toBe("theirs");
  expect(w.runtime.monotonicNow()).toBeLessThan(5_100);
});

test("a watch that settles at once does not make the waiter spin", async () => {
  const w = createWorld();
  let looks = 0;
  const eager: AtomicStore & WatchableStore = {
    ...withoutWatch(w),
    read(key) {
      looks += 1;
      // Without this a waiter that spins would never let time pass.
      expect(looks).toBeLessThan(10_000);
      return w.counter.store.read(key);
    },
    watch: () => Promise.resolve(),
  };
  void occupy(w, 4_000);
  const dedup = w.dedup({ store: eager });
  const { result, calls } = await w.counter.during(() => w.run(dedup.run("k", never)));
  expect(result).toBe("theirs");
  expect(calls.total).toBeLessThan(100);
});

test("an aborted signal is told before anything is sent", async () => {
  const w = createWorld();
  const signal = AbortSignal.abort(new Error("gone"));
  for (const call of [
    () => w.dedup().run("k", never, { signal }),
    () => w.dedup().attempt("k", never, { signal }),
    () => w.claims().begin("k", { signal }),
  ]) {
    expect(await w.run(rejection(call()))).toMatchObject({ code: "aborted" });
  }
  expect(w.counter.counts().total).toBe(0);
});
