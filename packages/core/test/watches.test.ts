// A waiter that has its answer, gives up or is aborted leaves no watch armed on the store.

import { createLock, type MemoryStore } from "@onceproof/core";
import { describe, expect, test } from "vitest";
import {
  createWorld,
  type DedupWorld,
  LEASE_MS,
  never,
  type Settled,
  settled,
} from "./support/dedup-world.ts";
import { createStoreWorld, type StoreWorld } from "./support/store-world.ts";

/** The store, and what its watches are at: armed so far, and those whose signal never fired. */
function watching(store: MemoryStore) {
  const signals: AbortSignal[] = [];
  const watched = new Proxy(store, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== "function") {
        return member;
      }
      if (property !== "watch") {
        return member.bind(target);
      }
      return (key: string, signal: AbortSignal) => {
        signals.push(signal);
        return target.watch(key, signal);
      };
    },
  });
  return {
    store: watched,
    get armed() {
      return signals.length;
    },
    get left() {
      return signals.filter(({ aborted }) => !aborted).length;
    },
  };
}

type Watching = ReturnType<typeof watching>;

const codeOf = ({ error }: Settled<unknown>): unknown => (error as { code?: unknown }).code;

/** Fires after so long. */
function abortAt({ runtime }: DedupWorld | StoreWorld, afterMs: number): AbortSignal {
  const controller = new AbortController();
  runtime.setTimer(() => controller.abort(), afterMs);
  return controller.signal;
}

describe("a dedup's waiter leaves no watch when it", () => {
  const occupy = async (w: DedupWorld, workMs: number, end: () => unknown): Promise<void> => {
    const other = w.dedup({ store: w.faulty.direct });
    const work = () => w.runtime.sleep(workMs).then(end);
    void settled(other.run("k", work));
    await w.runtime.advance(1);
  };

  const CASES: readonly (readonly [
    string,
    (w: DedupWorld, watched: Watching) => Promise<readonly [unknown, unknown]>,
  ])[] = [
    [
      "replays",
      async (w, { store }) => {
        await occupy(w, 3_000, () => 7);
        return [await w.run(w.dedup({ store }).run("k", never)), 7];
      },
    ],
    [
      "is one of several",
      async (w, { store }) => {
        await occupy(w, 3_000, () => 7);
        const dedup = w.dedup({ store });
        const runs = [1, 2, 3].map(() => dedup.run("k", never));
        return [await w.run(Promise.all(runs)), [7, 7, 7]];
      },
    ],
    [
      "runs itself, after a first caller that did nothing",
      async (w, { store }) => {
        await occupy(w, 3_000, () => Promise.reject({ onceproof: "retryable" }));
        return [await w.run(w.dedup({ store }).run("k", () => 8)), 8];
      },
    ],
    [
      "is parked",
      async (w, { store }) => {
        await occupy(w, 3_000, () => Promise.reject(new Error("boom")));
        return [codeOf(await w.run(settled(w.dedup({ store }).run("k", never)))), "indeterminate"];
      },
    ],
    [
      "takes over",
      async (w, { store }) => {
        await w.run(w.claims({ store: w.faulty.direct }).begin("k"));
        const dedup = w.dedup({ store, onCrash: "rerun", waitMs: 2 * LEASE_MS });
        return [await w.run(dedup.run("k", () => 9)), 9];
      },
    ],
    [
      "gives up after its wait",
      async (w, { store }) => {
        await occupy(w, 60_000, () => 7);
        const run = settled(w.dedup({ store, waitMs: 3_000 }).run("k", never));
        return [codeOf(await w.run(run)), "inProgress"];
      },
    ],
    [
      "is aborted",
      async (w, { store }) => {
        await occupy(w, 60_000, () => 7);
        const signal = abortAt(w, 3_333);
        return [
          codeOf(await w.run(settled(w.dedup({ store }).run("k", never, { signal })))),
          "aborted",
        ];
      },
    ],
    [
      "can't reach the store any more",
      async (w, { store }) => {
        await occupy(w, 60_000, () => 7);
        w.runtime.setTimer(() => w.cut({ fault: "unavailable" }), 2_000);
        const run = settled(w.dedup({ store, waitMs: 5_000 }).run("k", never));
        const code = codeOf(await w.run(run));
        return [code === "inProgress" || code === "unavailable", true];
      },
    ],
    [
      "is a late owner that finds what another recorded",
      async (w, { store }) => {
        const run = w.dedup({ store, onCrash: "rerun" }).run("k", async () => {
          const restore = w.cut({ fault: "unavailable" });
          await w.runtime.sleep(LEASE_MS + 1);
          restore();
          const other = w.dedup({ store: w.faulty.direct, onCrash: "rerun" });
          void settled(other.run("k", () => w.runtime.sleep(3_000).then(() => "theirs")));
          await w.runtime.sleep(1);
          return "mine";
        });
        return [await w.run(run), "theirs"];
      },
    ],
  ];

  test.each(CASES)("%s", async (_, play) => {
    const w = createWorld();
    const watched = watching(w.counter.store);
    const [told, expected] = await play(w, watched);
    expect(told).toEqual(expected);
    expect(watched.armed).toBeGreaterThan(0);
    expect(watched.left).toBe(0);
  });
});

describe("a lock's waiter leaves no watch when it", () => {
  const CASES: readonly (readonly [
    string,
    (world: StoreWorld, watched: Watching) => Promise<readonly [unknown, unknown]>,
  ])[] = [
    [
      "acquires after a release",
      async (world, { store }) => {
        const holder = await createLock(world.base).acquire("r");
        world.runtime.setTimer(() => void holder.release(), 3_000);
        const lock = await world.run(createLock({ ...world.base, store }).acquire("r"));
        return [lock.held, true];
      },
    ],
    [
      "acquires after the end of a crashed holder's lease",
      async (world, { store }) => {
        await createLock(world.base).acquire("r", { autoRenew: false });
        const locks = createLock({ ...world.base, store });
        const lock = await world.run(locks.acquire("r", { waitMs: 2 * LEASE_MS }));
        return [lock.held, true];
      },
    ],
    [
      "gives up after its wait",
      async (world, { store }) => {
        await createLock(world.base).acquire("r");
        const locks = createLock({ ...world.base, store });
        const waiting = settled(locks.acquire("r", { waitMs: 3_000 }));
        return [codeOf(await world.run(waiting)), "lockHeld"];
      },
    ],
    [
      "is aborted",
      async (world, { store }) => {
        await createLock(world.base).acquire("r");
        const locks = createLock({ ...world.base, store });
        const waiting = settled(locks.acquire("r", { signal: abortAt(world, 3_333) }));
        return [codeOf(await world.run(waiting)), "aborted"];
      },
    ],
    [
      "runs its callback, which throws",
      async (world, { store }) => {
        const holder = await createLock(world.base).acquire("r");
        world.runtime.setTimer(() => void holder.release(), 3_000);
        const failure = Object.assign(new Error("boom"), { code: "boom" });
        const running = createLock({ ...world.base, store }).run("r", () => {
          throw failure;
        });
        return [codeOf(await world.run(settled(running))), "boom"];
      },
    ],
  ];

  test.each(CASES)("%s", async (_, play) => {
    const world = createStoreWorld();
    const watched = watching(world.counter.store);
    const [told, expected] = await play(world, watched);
    expect(told).toEqual(expected);
    expect(watched.armed).toBeGreaterThan(0);
    expect(watched.left).toBe(0);
  });
});
