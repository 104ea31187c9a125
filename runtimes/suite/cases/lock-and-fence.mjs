// Locks and fences: one holder at a time, and tokens that only grow.
import { failsWith, holds, same } from "../expect.mjs";

const locksOf = (core, options) =>
  core.createLock({ store: core.createMemoryStore(), name: "job", ...options });

export const lockAndFenceCases = [
  {
    title: "lock: holders follow one another, each with a larger token",
    async run(core) {
      const locks = locksOf(core);
      const tokens = [];
      let inside = 0;
      await Promise.all(
        [1, 2, 3].map(() =>
          locks.run("nightly", async (lock) => {
            holds(++inside === 1, "one holder at a time");
            tokens.push(lock.token);
            await Promise.resolve();
            inside--;
          }),
        ),
      );
      holds(tokens[0] < tokens[1] && tokens[1] < tokens[2], `tokens grow: ${tokens}`);
    },
  },
  {
    title: "lock: a held lock is refused at once, and free after its release",
    async run(core) {
      const locks = locksOf(core);
      const lock = await locks.acquire("nightly");
      same((await locks.tryAcquire("nightly")).outcome, "held");
      await failsWith("lockHeld", () => locks.acquire("nightly", { waitMs: 5 }));
      same(await lock.release(), "released");
      const again = await locks.tryAcquire("nightly");
      same(again.outcome, "acquired");
      // A held lock renews itself, and its timer would keep the process alive.
      await again.lock.release();
    },
  },
  {
    title: "lock: its signal fires when the lease may have ended",
    async run(core) {
      const locks = locksOf(core, { leaseMs: 40 });
      const lock = await locks.acquire("nightly", { autoRenew: false });
      await new Promise((resolve) => lock.signal.addEventListener("abort", resolve));
      same([lock.held, lock.signal.reason.code], [false, "leaseLost"]);
    },
  },
  {
    title: "fence: an older token is stale once a newer one was admitted",
    async run(core) {
      const fence = core.createFence({ store: core.createMemoryStore(), name: "sink" });
      same((await fence.admit("disk", 7)).outcome, "admitted");
      same((await fence.admit("disk", 7)).outcome, "admitted");
      same(await fence.admit("disk", 6), { outcome: "stale", newest: 7 });
      same((await fence.admit("disk", 8)).outcome, "admitted");
    },
  },
];
