// A store that can't be reached for a while when a lock is given back.

import { createLock } from "@onceproof/core";
import { describe, expect, test } from "vitest";
import { type BaseOptions, createStoreWorld, type StoreWorld } from "./support/store-world.ts";

const SETTLE_MS = 10_000;

/** The world's store, which can't be reached until `untilMs`. */
function unreachableUntil({ base, faulty, runtime }: StoreWorld) {
  let untilMs = 0;
  const strike = (): void => {
    if (runtime.monotonicNow() < untilMs) {
      faulty.inject({ fault: "unavailable" });
    }
  };
  const { store } = base;
  const struck: BaseOptions["store"] = {
    capabilities: store.capabilities,
    read(key) {
      strike();
      return store.read(key);
    },
    write(write) {
      strike();
      return store.write(write);
    },
    close: () => store.close(),
  };
  return {
    locks: createLock({ ...base, store: struck }),
    outage(forMs: number) {
      untilMs = runtime.monotonicNow() + forMs;
    },
  };
}

describe("an outage while a lock is released", () => {
  test.each([1, 500, 5_000, SETTLE_MS - 1_000])("of %d ms goes unnoticed", async (forMs) => {
    const world = createStoreWorld();
    const { locks, outage } = unreachableUntil(world);
    const lock = await locks.acquire("r");
    outage(forMs);
    expect(await world.run(lock.release())).toBe("released");
    expect(world.runtime.monotonicNow()).toBeGreaterThanOrEqual(forMs);
    expect(await locks.tryAcquire("r")).toMatchObject({ outcome: "acquired" });
  });

  test("that outlasts the settling is unknown, and no error", async () => {
    const world = createStoreWorld();
    const { locks, outage } = unreachableUntil(world);
    const lock = await locks.acquire("r");
    outage(SETTLE_MS + 5_000);
    expect(await world.run(lock.release())).toBe("unknown");
    expect(world.runtime.monotonicNow()).toBeGreaterThanOrEqual(SETTLE_MS);
    expect(lock.held).toBe(false);
    expect(world.runtime.pendingTimers).toBe(0);
    expect(world.events.at(-1)).toMatchObject({ type: "released", outcome: "unknown" });
  });

  test.each([3_000, SETTLE_MS + 5_000])(
    "of %d ms hides neither the result nor the error of a run",
    async (forMs) => {
      const world = createStoreWorld();
      const { locks, outage } = unreachableUntil(world);
      const result = locks.run("r", () => {
        outage(forMs);
        return "result";
      });
      expect(await world.run(result)).toBe("result");
      await world.runtime.advance(60_000);
      const failure = new Error("boom");
      const failing = locks.run("r", () => {
        outage(forMs);
        throw failure;
      });
      await expect(world.run(failing)).rejects.toBe(failure);
    },
  );
});
