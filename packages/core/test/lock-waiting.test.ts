import { getEventListeners } from "node:events";
import { createLock, type LockOptions, type Locks } from "@onceproof/core";
import type { Write } from "@onceproof/core/advanced";
import { describe, expect, test } from "vitest";
import {
  type BaseOptions,
  codeOf,
  createStoreWorld,
  errorOf,
  primitivesOf,
  withWrite,
} from "./support/store-world.ts";

const LEASE_MS = 30_000;
const STORE_KEY = "4:test4:lock1:r";

const locksOf = (base: BaseOptions, options: Partial<LockOptions> = {}): Locks =>
  createLock({ ...base, ...options });

describe("waiting for the holder", () => {
  test("ends with lockHeld after waitMs, and not much later", async () => {
    const world = createStoreWorld();
    await locksOf(world.base).acquire("r");
    expect(await codeOf(world.run(locksOf(world.base).acquire("r", { waitMs: 5_000 })))).toBe(
      "lockHeld",
    );
    // Each pause is rounded up to a microsecond.
    expect(world.runtime.monotonicNow()).toBeCloseTo(5_000, 1);
  });

  test("takes the factory's waitMs where the call names none", async () => {
    const world = createStoreWorld();
    await locksOf(world.base).acquire("r");
    const locks = locksOf(world.base, { waitMs: 700 });
    expect(await codeOf(world.run(locks.acquire("r")))).toBe("lockHeld");
    expect(world.runtime.monotonicNow()).toBe(700);
  });

  test("only reads, until it is worth a try", async () => {
    const world = createStoreWorld();
    await locksOf(world.base).acquire("r");
    const { calls } = await world.counter.during(() =>
      world.run(codeOf(locksOf(primitivesOf(world.base)).acquire("r", { waitMs: 5_000 }))),
    );
    expect(calls.write).toBe(1);
    expect(calls.read).toBeGreaterThan(20);
  });

  test("polls with full jitter: growing, bounded and not in step", async () => {
    const world = createStoreWorld();
    await locksOf(world.base).acquire("r");
    const looks = [1, 2].map((): number[] => []);
    const waits = looks.map((seenMs) => {
      const { store, ...rest } = primitivesOf(world.base);
      const read = (key: string): ReturnType<typeof store.read> => {
        seenMs.push(world.runtime.monotonicNow());
        return store.read(key);
      };
      return codeOf(locksOf({ ...rest, store: { ...store, read } }).acquire("r"));
    });
    await world.run(Promise.all(waits));
    for (const seenMs of looks) {
      const gaps = seenMs.map((ms, index) => ms - (seenMs[index - 1] ?? 0));
      expect(Math.max(...gaps)).toBeLessThanOrEqual(250);
      expect(Math.max(...gaps)).toBeGreaterThan(100);
      expect(gaps[0]).toBeLessThanOrEqual(20);
      expect(new Set(gaps).size).toBeGreaterThan(gaps.length / 2);
    }
    expect(looks[0]).not.toEqual(looks[1]);
  });

  test("is bounded by what is left of the lease: it acquires as soon as a crashed holder's ends", async () => {
    const world = createStoreWorld();
    await locksOf(world.base).acquire("r", { autoRenew: false });
    const lock = await world.run(locksOf(world.base).acquire("r", { waitMs: 2 * LEASE_MS }));
    expect(lock.held).toBe(true);
    expect(world.runtime.monotonicNow()).toBeGreaterThanOrEqual(LEASE_MS);
    expect(world.runtime.monotonicNow()).toBeLessThanOrEqual(LEASE_MS + 1);
  });

  test("a release wakes a watching waiter without another poll", async () => {
    const world = createStoreWorld();
    const holder = await locksOf(world.base).acquire("r");
    const waiting = locksOf(world.base).acquire("r");
    await world.runtime.advance(200);
    const looks = world.counter.counts().read;
    const releasedMs = world.runtime.monotonicNow();
    await holder.release();
    const lock = await world.run(waiting);
    expect(lock.held).toBe(true);
    expect(world.runtime.monotonicNow()).toBe(releasedMs);
    expect(world.counter.counts().read).toBe(looks + 1);
  });

  test("a lost wake-up costs a second at most", async () => {
    const world = createStoreWorld();
    const deaf = { ...primitivesOf(world.base).store, watch: () => new Promise<void>(() => {}) };
    const holder = await locksOf(world.base).acquire("r");
    const waiting = locksOf({ ...world.base, store: deaf }).acquire("r");
    await world.runtime.advance(3_000);
    await holder.release();
    const releasedMs = world.runtime.monotonicNow();
    expect((await world.run(waiting)).held).toBe(true);
    expect(world.runtime.monotonicNow()).toBeLessThanOrEqual(releasedMs + 1_000);
  });

  test("outlasts an outage of the store that is shorter than the wait", async () => {
    const world = createStoreWorld();
    const holder = await locksOf(world.base).acquire("r", { autoRenew: false });
    const waiting = locksOf(world.base).acquire("r");
    await world.runtime.advance(1);
    for (let ms = 0; ms < 3_000; ms += 20) {
      world.faulty.inject({ fault: "unavailable" });
      await world.runtime.advance(20);
    }
    world.faulty.heal();
    expect(await holder.release()).toBe("released");
    expect((await world.run(waiting)).held).toBe(true);
  });

  test("many waiters each get the lock in turn", async () => {
    const world = createStoreWorld();
    const tokens: number[] = [];
    let inside = 0;
    const turns = Array.from({ length: 20 }, () =>
      locksOf(world.base).run(
        "r",
        async ({ token }) => {
          inside += 1;
          expect(inside).toBe(1);
          tokens.push(token);
          await world.runtime.sleep(100);
          inside -= 1;
        },
        { waitMs: 60_000 },
      ),
    );
    await world.run(Promise.all(turns));
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
    expect(tokens).toHaveLength(20);
  });

  test("an entry without an end is held without end, never taken for an orphan", async () => {
    const world = createStoreWorld();
    const opId = "A".repeat(22);
    const next = { value: "1{}\n", ttlMs: "never" } as const;
    await world.faulty.direct.write({ key: STORE_KEY, opId, expect: "absent", next });
    const { calls } = await world.counter.during(() =>
      world.run(codeOf(locksOf(world.base).acquire("r"))),
    );
    expect(calls.write).toBe(1);
  });
});

describe("a caller's signal", () => {
  test("that has aborted already sends nothing", async () => {
    const world = createStoreWorld();
    const signal = AbortSignal.abort("why");
    const error = await errorOf(locksOf(world.base).acquire("r", { signal }));
    expect(error).toMatchObject({ code: "aborted", cause: "why" });
    expect(world.counter.counts().total).toBe(0);
  });

  test("that aborts while waiting ends the wait at once, with its reason as the cause", async () => {
    const world = createStoreWorld();
    const controller = new AbortController();
    const { signal } = controller;
    await locksOf(world.base).acquire("r", { autoRenew: false });
    const waiting = errorOf(locksOf(world.base).acquire("r", { signal }));
    await world.runtime.advance(1_234);
    controller.abort("enough");
    expect(await world.run(waiting)).toMatchObject({ code: "aborted", cause: "enough" });
    expect(world.runtime.monotonicNow()).toBe(1_234);
  });

  test("that aborts after the acquisition does not touch the lock", async () => {
    const world = createStoreWorld();
    const controller = new AbortController();
    const lock = await locksOf(world.base).acquire("r", { signal: controller.signal });
    controller.abort();
    await world.runtime.advance(3 * LEASE_MS);
    expect([lock.held, lock.signal.aborted]).toEqual([true, false]);
  });

  test("no listener and no timer is left behind", async () => {
    const world = createStoreWorld();
    const controller = new AbortController();
    const { signal } = controller;
    const holder = await locksOf(world.base).acquire("r", { autoRenew: false });
    const waiting = locksOf(world.base).acquire("r", { signal });
    await world.runtime.advance(2_000);
    await holder.release();
    await (await world.run(waiting)).release();
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(world.runtime.pendingTimers).toBe(0);
  });
});

describe("my own unanswered create", () => {
  /** The first waiting create arrives a second time, in the moment when the holder has left. */
  const lateCreate = (base: BaseOptions): { mine: BaseOptions; holder: BaseOptions } => {
    let late: Write | undefined;
    const mine = withWrite(base, async (write, send) => {
      if (late === undefined) {
        late = write;
        return { outcome: "unknown", cause: "the reply was lost" };
      }
      return send(write);
    });
    const holder = withWrite(base, async (write, send) => {
      const result = await send(write);
      if (write.next === "removed" && late !== undefined) {
        await send(late);
      }
      return result;
    });
    return { mine, holder };
  };

  test("is recognised when it applies late, and counts from its first send", async () => {
    const world = createStoreWorld();
    const { mine, holder } = lateCreate(world.base);
    const held = await locksOf(holder).acquire("r", { autoRenew: false });
    const waiting = locksOf(mine).acquire("r", { autoRenew: false });
    await world.runtime.advance(4_000);
    await held.release();
    const lock = await world.run(waiting);
    expect(lock.token).toBeGreaterThan(held.token);
    const elapsedMs = world.runtime.monotonicNow();
    expect(elapsedMs).toBeLessThan(4_500);
    expect(lock.remainingMs).toBe(LEASE_MS - LEASE_MS / 10 - elapsedMs);
    expect(await lock.release()).toBe("released");
    expect((await world.faulty.direct.read(STORE_KEY)).entry).toBeUndefined();
  });

  test("that applies after my release is a ghost: nobody believes it, its lease ends it", async () => {
    const world = createStoreWorld([{ call: 1, fault: "duplicate", afterMs: 5_000 }]);
    const lock = await locksOf(world.base).acquire("r");
    expect(await lock.release()).toBe("released");
    await world.runtime.advance(5_000);
    expect((await world.faulty.direct.read(STORE_KEY)).entry).toBeDefined();
    expect(lock.held).toBe(false);
    expect(await locksOf(world.base).tryAcquire("r")).toMatchObject({ outcome: "held" });
    await world.runtime.advance(LEASE_MS);
    const next = await locksOf(world.base).acquire("r");
    expect(next.token).toBeGreaterThan(lock.token);
  });
});
