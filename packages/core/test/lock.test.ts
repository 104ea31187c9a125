import { createLock, type Lock, type LockOptions, type Locks } from "@onceproof/core";
import { describe, expect, test } from "vitest";
import { codeOf, createStoreWorld, type StoreWorld } from "./support/store-world.ts";

const LEASE_MS = 30_000;

function locksOf({ base }: StoreWorld, options: Partial<LockOptions> = {}): Locks {
  return createLock({ ...base, ...options });
}

describe("what it costs", () => {
  test("an acquisition is one write, and so is a release", async () => {
    const world = createStoreWorld();
    const locks = locksOf(world);
    const acquired = await world.counter.during(() => locks.acquire("r"));
    expect(acquired.calls).toMatchObject({ write: 1, total: 1 });
    const released = await world.counter.during(() => acquired.result.release());
    expect(released.result).toBe("released");
    expect(released.calls).toMatchObject({ write: 1, total: 1 });
  });

  test("a run costs two calls and returns what the callback returned", async () => {
    const world = createStoreWorld();
    const { result, calls } = await world.counter.during(() =>
      locksOf(world).run("r", async (lock) => lock.resource),
    );
    expect(result).toBe("r");
    expect(calls).toMatchObject({ write: 2, total: 2 });
  });

  test("to find a lock held costs one call and tells when asking again is worth it", async () => {
    const world = createStoreWorld();
    await locksOf(world).acquire("r", { autoRenew: false });
    await world.runtime.advance(10_000);
    const { result, calls } = await world.counter.during(() => locksOf(world).tryAcquire("r"));
    expect(result).toEqual({ outcome: "held", retryAfterMs: LEASE_MS - 10_000 });
    expect(calls).toMatchObject({ write: 1, total: 1 });
  });

  test("an extension costs one call", async () => {
    const world = createStoreWorld();
    const lock = await locksOf(world).acquire("r");
    const { result, calls } = await world.counter.during(() => lock.extend());
    expect(result).toBe("extended");
    expect(calls).toMatchObject({ write: 1, total: 1 });
  });
});

describe("one holder at a time", () => {
  test("of many at once exactly one acquires", async () => {
    const world = createStoreWorld();
    const results = await Promise.all(
      Array.from({ length: 50 }, () => locksOf(world).tryAcquire("r")),
    );
    expect(results.filter(({ outcome }) => outcome === "acquired")).toHaveLength(1);
    expect(results.filter(({ outcome }) => outcome === "held")).toHaveLength(49);
  });

  test("other resources and other names are other locks", async () => {
    const world = createStoreWorld();
    await locksOf(world).acquire("r");
    expect(await locksOf(world).tryAcquire("R")).toMatchObject({ outcome: "acquired" });
    expect(await locksOf(world, { name: "other" }).tryAcquire("r")).toMatchObject({
      outcome: "acquired",
    });
  });

  test("a callback that throws gives the lock back and its error on", async () => {
    const world = createStoreWorld();
    const failure = new Error("boom");
    const run = locksOf(world).run("r", () => {
      throw failure;
    });
    await expect(run).rejects.toBe(failure);
    expect(await locksOf(world).tryAcquire("r")).toMatchObject({ outcome: "acquired" });
  });

  test("await using gives the lock back at the end of the block", async () => {
    const world = createStoreWorld();
    let seen: Lock;
    {
      await using lock = await locksOf(world).acquire("r");
      seen = lock;
      expect(lock.held).toBe(true);
    }
    expect(seen.held).toBe(false);
    expect(await locksOf(world).tryAcquire("r")).toMatchObject({ outcome: "acquired" });
  });
});

describe("the fencing token", () => {
  test("strictly increases across release, expiry and holders", async () => {
    const world = createStoreWorld();
    const tokens: number[] = [];
    for (const how of ["release", "expire", "release", "release", "expire"]) {
      const lock = await locksOf(world).acquire("r", { autoRenew: false });
      tokens.push(lock.token);
      await (how === "release" ? lock.release() : world.runtime.advance(LEASE_MS));
    }
    const last = await locksOf(world).acquire("r");
    tokens.push(last.token);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
  });

  test("increases although the store's clock steps back", async () => {
    const world = createStoreWorld();
    const first = await locksOf(world).acquire("r");
    await first.release();
    world.faulty.clock.jumpBy(-200_000);
    const second = await locksOf(world).acquire("r");
    expect(second.token).toBeGreaterThan(first.token);
  });

  test("stays the same through renewals", async () => {
    const world = createStoreWorld();
    const lock = await locksOf(world).acquire("r");
    const { token } = lock;
    await lock.extend();
    await world.runtime.advance(5 * LEASE_MS);
    expect(lock.held).toBe(true);
    expect(lock.token).toBe(token);
  });
});

describe("a release", () => {
  test("a second one sends nothing and gives the first answer", async () => {
    const world = createStoreWorld();
    const lock = await locksOf(world).acquire("r");
    const [first, second] = await Promise.all([lock.release(), lock.release()]);
    const third = await world.counter.during(() => lock.release());
    expect([first, second, third.result]).toEqual(["released", "released", "released"]);
    expect(third.calls.total).toBe(0);
    expect(lock.held).toBe(false);
    expect(lock.remainingMs).toBe(0);
  });

  test("of a lock that another holds by now is lost and takes nothing from the other", async () => {
    const world = createStoreWorld();
    const old = await locksOf(world).acquire("r", { autoRenew: false });
    await world.runtime.advance(LEASE_MS);
    const holder = await locksOf(world).acquire("r");
    expect(await old.release()).toBe("lost");
    expect(await locksOf(world).tryAcquire("r")).toMatchObject({ outcome: "held" });
    expect(await holder.release()).toBe("released");
  });

  test("of an expired lock is lost and hides no result of a run", async () => {
    const world = createStoreWorld();
    let held: Lock | undefined;
    const run = locksOf(world).run(
      "r",
      async (lock) => {
        held = lock;
        await world.runtime.sleep(2 * LEASE_MS);
        return "done";
      },
      { autoRenew: false },
    );
    expect(await world.run(run)).toBe("done");
    expect(await held?.release()).toBe("lost");
  });

  test("of a store that is closed is unknown and hides no error of a run", async () => {
    const world = createStoreWorld();
    const failure = new Error("boom");
    const run = locksOf(world).run("r", async () => {
      await world.base.store.close();
      throw failure;
    });
    await expect(world.run(run)).rejects.toBe(failure);
    expect(world.events.at(-1)).toMatchObject({ type: "released", outcome: "unknown" });
  });

  // A reply is lost, another holder comes and goes, and the same removal is sent again: refused.
  test("is not told as a loss when its first answer is lost", async () => {
    const world = createStoreWorld([{ call: 2, fault: "dropReply" }]);
    const lock = await locksOf(world).acquire("r");
    const { signal } = lock;
    const releasing = lock.release();
    await world.runtime.advance(1_000);
    const other = await locksOf(world).acquire("r");
    expect(other.token).toBeGreaterThan(lock.token);
    expect(await world.run(releasing)).toBe("unknown");
    expect(world.told()).not.toContain("leaseLost");
    expect(signal.aborted).toBe(false);
    expect(await other.release()).toBe("released");
  });
});

describe("what it tells", () => {
  test("events name what happened, the holder by its token and the resource by its hash", async () => {
    const world = createStoreWorld();
    const lock = await locksOf(world).acquire("secret-resource");
    await lock.extend();
    await lock.release();
    expect(world.told()).toEqual(["acquired", "renewed", "released"]);
    expect(world.events[0]).toMatchObject({ fencingToken: lock.token, algorithm: "lock" });
    expect(JSON.stringify(world.events)).not.toContain("secret-resource");
  });

  test("no answer by the deadline is indeterminate, and the ghost ends with its lease", async () => {
    const world = createStoreWorld(
      Array.from({ length: 30 }, (_, index) => ({ call: index + 1, fault: "dropReply" as const })),
    );
    expect(await codeOf(world.run(locksOf(world).acquire("r")))).toBe("indeterminate");
    world.faulty.heal();
    expect(await locksOf(world).tryAcquire("r")).toMatchObject({ outcome: "held" });
    await world.runtime.advance(LEASE_MS);
    expect(await locksOf(world).tryAcquire("r")).toMatchObject({ outcome: "acquired" });
  });

  test("a store that certainly did nothing is unavailable", async () => {
    const world = createStoreWorld([{ call: 1, fault: "unavailable" }]);
    expect(await codeOf(locksOf(world).acquire("r"))).toBe("unavailable");
    expect(await locksOf(world).tryAcquire("r")).toMatchObject({ outcome: "acquired" });
  });
});
