import { createLock, type Lock, type LockOptions, type Locks } from "@onceproof/core";
import { createSkewedRuntime } from "@onceproof/simulator";
import { describe, expect, test, vi } from "vitest";
import { createMachine } from "./support/machine.ts";
import { codeOf, createStoreWorld, type StoreWorld, withWrite } from "./support/store-world.ts";

const LEASE_MS = 30_000;
const MARGIN_MS = 3_000;

function locksOf({ base }: StoreWorld, options: Partial<LockOptions> = {}): Locks {
  return createLock({ ...base, ...options });
}

/** The time to live that the store still gives a lock, in milliseconds. */
async function storeLeftMs({ faulty }: StoreWorld, key = storeKeyOf("r")): Promise<number> {
  const { entry, now } = await faulty.direct.read(key);
  return entry?.expiresAt === undefined ? 0 : (entry.expiresAt - now) / 1000;
}

const storeKeyOf = (resource: string): string => `4:test4:lock${resource.length}:${resource}`;

describe("the lease of the holder", () => {
  test("is counted from before the first send, margin taken off", async () => {
    const world = createStoreWorld([{ call: 1, fault: "delay", requestMs: 700, replyMs: 900 }]);
    const lock = await world.run(locksOf(world).acquire("r", { autoRenew: false }));
    expect(lock.remainingMs).toBe(LEASE_MS - MARGIN_MS - 1_600);
    expect(await storeLeftMs(world)).toBe(LEASE_MS - 900);
  });

  test("is counted from before the first of several sends", async () => {
    const world = createStoreWorld([
      { call: 1, fault: "dropReply" },
      { call: 2, fault: "dropReply" },
    ]);
    const lock = await world.run(locksOf(world).acquire("r", { autoRenew: false }));
    expect(lock.remainingMs).toBe(LEASE_MS - MARGIN_MS - world.runtime.monotonicNow());
    expect(world.runtime.monotonicNow()).toBeGreaterThan(4_000);
  });

  test("an acquisition that is answered too late is not handed out", async () => {
    const world = createStoreWorld([{ call: 1, fault: "delay", requestMs: 0, replyMs: 1_900 }]);
    const locks = locksOf(world, { leaseMs: 2_000 });
    const result = await world.run(locks.tryAcquire("r"));
    expect(result.outcome).toBe("held");
    expect(await storeLeftMs(world)).toBe(0);
    expect(world.told()).not.toContain("acquired");
  });

  test("ends by itself, fires the signal with a coded reason, and is not renewed any more", async () => {
    const world = createStoreWorld();
    const lock = await locksOf(world).acquire("r", { autoRenew: false });
    const { signal } = lock;
    const onAbort = vi.fn();
    signal.addEventListener("abort", onAbort);
    await world.runtime.advance(LEASE_MS - MARGIN_MS - 1);
    expect([lock.held, signal.aborted]).toEqual([true, false]);
    await world.runtime.advance(1);
    expect([lock.held, signal.aborted, lock.remainingMs]).toEqual([false, true, 0]);
    expect(signal.reason).toMatchObject({ code: "leaseLost" });
    expect(onAbort).toHaveBeenCalledTimes(1);
    expect(world.told()).toEqual(["acquired", "leaseLost"]);
    expect(world.runtime.pendingTimers).toBe(0);
  });

  test("a signal that is taken only after the end has fired already", async () => {
    const world = createStoreWorld();
    const lock = await locksOf(world).acquire("r", { autoRenew: false });
    await world.runtime.advance(LEASE_MS);
    expect(lock.signal.aborted).toBe(true);
  });

  test("a wall clock that steps back does not lengthen it, one that jumps ahead ends it", async () => {
    const world = createStoreWorld();
    const clock = createSkewedRuntime(world.runtime);
    const lock = await locksOf(world, { runtime: clock }).acquire("r", { autoRenew: false });
    clock.jumpBy(-3_600_000);
    await world.runtime.advance(LEASE_MS - MARGIN_MS);
    expect(lock.held).toBe(false);
    const next = await world.run(locksOf(world, { runtime: clock }).acquire("r"));
    clock.jumpBy(LEASE_MS);
    expect(next.held).toBe(false);
  });

  test("a stalled process does not believe to hold when it wakes", async () => {
    const world = createStoreWorld();
    const machine = createMachine(world.runtime);
    const store = machine.connect(world.base.store);
    const lock = await locksOf(world, { runtime: machine.runtime, store }).acquire("r");
    const { signal } = lock;
    machine.pause();
    await world.runtime.advance(LEASE_MS);
    expect(lock.held).toBe(false);
    machine.resume();
    expect([lock.held, signal.aborted]).toEqual([false, true]);
    expect(await locksOf(world).tryAcquire("r")).toMatchObject({ outcome: "acquired" });
  });

  // Suspended: the monotonic clock and the timers stand still, the wall clock goes on.
  test("a suspended machine does not believe to hold, and is told within a tenth", async () => {
    const world = createStoreWorld();
    const machine = createMachine(world.runtime);
    const { runtime } = machine;
    const lock = await locksOf(world, { runtime }).acquire("r", { autoRenew: false });
    const { signal } = lock;
    machine.suspend();
    await world.runtime.advance(3_600_000);
    machine.resume();
    expect(runtime.monotonicNow()).toBe(0);
    expect(lock.held).toBe(false);
    await world.runtime.advance(LEASE_MS / 10);
    expect(signal.aborted).toBe(true);
  });
});

describe("the watchdog", () => {
  test("keeps a long run alive, and the store's entry with it", async () => {
    const world = createStoreWorld();
    const ran = locksOf(world).run("r", async (lock) => {
      for (let lease = 0; lease < 10; lease += 1) {
        await world.runtime.sleep(LEASE_MS);
        expect([lock.held, lock.signal.aborted]).toEqual([true, false]);
        expect(await locksOf(world).tryAcquire("r")).toMatchObject({ outcome: "held" });
      }
    });
    await world.run(ran);
    expect(world.told()).not.toContain("leaseLost");
  });

  test("renews every third of the lease and stops with the release", async () => {
    const world = createStoreWorld();
    const lock = await locksOf(world).acquire("r");
    world.counter.reset();
    await world.runtime.advance(LEASE_MS);
    expect(world.counter.counts()).toMatchObject({ write: 3, total: 3 });
    await lock.release();
    world.counter.reset();
    await world.runtime.advance(10 * LEASE_MS);
    expect(world.counter.counts().total).toBe(0);
    expect(world.runtime.pendingTimers).toBe(0);
  });

  test.each(["dropReply", "dropRequest", "unavailable"] as const)(
    "outlasts an outage by %s that is shorter than the lease",
    async (fault) => {
      const world = createStoreWorld();
      const lock = await locksOf(world).acquire("r");
      await world.runtime.advance(LEASE_MS / 3 - 1);
      for (let ms = 0; ms < 12_000; ms += 100) {
        world.faulty.inject({ fault });
        await world.runtime.advance(100);
      }
      world.faulty.heal();
      await world.runtime.advance(2 * LEASE_MS);
      expect([lock.held, lock.signal.aborted]).toEqual([true, false]);
      expect(await lock.release()).toBe("released");
    },
  );

  test("whose store is gone ends in the signal, never in an unhandled rejection", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    try {
      const world = createStoreWorld();
      const lock = await locksOf(world).acquire("r");
      const { signal } = lock;
      await world.base.store.close();
      await world.runtime.advance(LEASE_MS - MARGIN_MS - 1);
      expect(signal.aborted).toBe(false);
      await world.runtime.advance(1);
      expect(signal.reason).toMatchObject({ code: "leaseLost" });
      expect(world.told()).toContain("renewalFailed");
      expect(await lock.release()).toBe("unknown");
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off("unhandledRejection", unhandled);
    }
    expect(unhandled).not.toHaveBeenCalled();
  });

  test("whose renewal is under way during a release makes no false loss", async () => {
    const world = createStoreWorld([{ call: 2, fault: "delay", requestMs: 0, replyMs: 1_500 }]);
    const lock = await locksOf(world).acquire("r");
    const { signal } = lock;
    await world.runtime.advance(LEASE_MS / 3 + 100);
    const releasing = lock.release();
    expect(lock.held).toBe(false);
    expect(await world.run(releasing)).toBe("released");
    expect(world.told()).not.toContain("leaseLost");
    expect(signal.aborted).toBe(false);
    expect(await storeLeftMs(world)).toBe(0);
  });
});

describe("an extension", () => {
  test("gives the lease another length from now on", async () => {
    const world = createStoreWorld();
    const lock = await locksOf(world).acquire("r", { autoRenew: false });
    await world.runtime.advance(1_000);
    expect(await lock.extend(60_000)).toBe("extended");
    expect(lock.remainingMs).toBe(60_000 - MARGIN_MS);
    expect(await storeLeftMs(world)).toBe(60_000);
  });

  test("keeps its length although a renewal was already due behind it", async () => {
    const world = createStoreWorld([{ call: 2, fault: "delay", requestMs: 500, replyMs: 500 }]);
    const lock = await locksOf(world).acquire("r");
    await world.runtime.advance(LEASE_MS / 3 - 500);
    const extending = lock.extend(90_000);
    await world.runtime.advance(1_000);
    expect(await extending).toBe("extended");
    expect(lock.remainingMs).toBeGreaterThan(80_000);
    expect(await storeLeftMs(world)).toBeGreaterThan(80_000);
  });

  test("never acquires again what was lost", async () => {
    const world = createStoreWorld();
    const lock = await locksOf(world).acquire("r", { autoRenew: false });
    await world.runtime.advance(LEASE_MS);
    expect(await lock.extend()).toBe("lost");
    expect(await storeLeftMs(world)).toBe(0);
    // The store's clock ran ahead: the entry is gone while the holder still believes.
    const next = await locksOf(world).acquire("r");
    world.faulty.clock.jumpBy(LEASE_MS);
    expect(next.held).toBe(true);
    expect(await next.extend()).toBe("lost");
    expect([next.held, next.signal.aborted]).toEqual([false, true]);
    expect(await storeLeftMs(world)).toBe(0);
  });

  // It may have applied: another can acquire when the shorter lease ends.
  test("to a shorter lease counts from its first send, known or not", async () => {
    const world = createStoreWorld();
    const lock = await locksOf(world).acquire("r", { autoRenew: false });
    const { signal } = lock;
    world.faulty.inject({ fault: "dropReply" });
    const extending = lock.extend(5_000);
    await world.runtime.advance(1_999);
    expect(lock.remainingMs).toBe(5_000 - MARGIN_MS - 1_999);
    await world.runtime.advance(1);
    expect([lock.held, signal.aborted]).toEqual([false, true]);
    await world.run(extending);
  });

  test("that certainly did nothing changes nothing", async () => {
    const world = createStoreWorld([{ call: 2, fault: "unavailable" }]);
    const lock = await locksOf(world).acquire("r", { autoRenew: false });
    expect(await codeOf(lock.extend(5_000))).toBe("unavailable");
    expect(lock.remainingMs).toBe(LEASE_MS - MARGIN_MS);
    await world.runtime.advance(10_000);
    expect([lock.held, lock.signal.aborted]).toEqual([true, false]);
  });

  test("that is answered after its own end is lost, not extended", async () => {
    const world = createStoreWorld([{ call: 2, fault: "delay", requestMs: 0, replyMs: 1_000 }]);
    const lock = await locksOf(world).acquire("r", { autoRenew: false });
    expect(await world.run(lock.extend(MARGIN_MS + 500))).toBe("lost");
    expect(lock.held).toBe(false);
  });

  test.each([Number.NaN, -1, 0, Number.POSITIVE_INFINITY, "5", MARGIN_MS])(
    "to %s is refused before anything is sent",
    async (leaseMs) => {
      const world = createStoreWorld();
      const lock: Lock = await locksOf(world).acquire("r");
      world.counter.reset();
      const code = await codeOf(lock.extend(leaseMs as number));
      expect(code).toBe(leaseMs === MARGIN_MS ? "optionInvalid" : "durationInvalid");
      expect(world.counter.counts().total).toBe(0);
      expect(lock.held).toBe(true);
    },
  );
});

test("replies are only read: a store may freeze or share them", async () => {
  const world = createStoreWorld();
  const base = withWrite(world.base, async (write, send) => Object.freeze(await send(write)));
  const lock = await createLock(base).acquire("r");
  expect(await lock.extend()).toBe("extended");
  expect(await createLock(base).tryAcquire("r")).toMatchObject({ outcome: "held" });
  expect(await lock.release()).toBe("released");
});
