// Other libraries that lock on Redis, each used as its documentation shows.

import { Redlock as SesamecareRedlock } from "@sesamecare-oss/redlock";
import { Verrou } from "@verrou/core";
import { redisStore } from "@verrou/core/drivers/redis";
import { Mutex } from "redis-semaphore";
import Redlock from "redlock";
import { LEASE_MS, type LockUser, type OpenUsers } from "../compare/users.js";
import { versionOf } from "../compare/version.js";
import { IOREDIS, openIoredis } from "./clients.js";

function peer(library: string, lacks: string, does: Pick<LockUser, "cycle" | "tryHold">): LockUser {
  const name = `${library} ${versionOf(library)}`;
  return { name, client: IOREDIS, kind: "peer", lacks, ...does };
}

/** What both redlocks have in common. */
interface RedlockLike {
  acquire(
    resources: string[],
    durationMs: number,
    settings?: { readonly retryCount: number },
  ): Promise<{ release(): Promise<unknown> }>;
}

function redlockLike(redlock: RedlockLike): Pick<LockUser, "cycle" | "tryHold"> {
  return {
    cycle: async (key) => (await redlock.acquire([key], LEASE_MS)).release(),
    tryHold: (key) =>
      redlock.acquire([key], LEASE_MS, { retryCount: 0 }).then(
        () => true,
        () => false,
      ),
  };
}

export async function openLockPeers(port: number): Promise<OpenUsers> {
  const [first, second, third, fourth] = await Promise.all([
    openIoredis(port),
    openIoredis(port),
    openIoredis(port),
    openIoredis(port),
  ]);
  const redlock = new Redlock([first]);
  // It tells of each refused attempt as an error, too.
  redlock.on("error", () => {});
  const sesamecare = new SesamecareRedlock([second]);
  sesamecare.on("error", () => {});
  const verrou = new Verrou({
    default: "redis",
    stores: { redis: { driver: redisStore({ connection: fourth }) } },
  });
  const unfenced = "fencing token, store clock";
  return {
    locks: [
      peer("redlock", `${unfenced}, renewal (only in \`using\`)`, redlockLike(redlock)),
      peer(
        "@sesamecare-oss/redlock",
        `${unfenced}, renewal (only in \`using\`)`,
        redlockLike(sesamecare),
      ),
      peer("redis-semaphore", unfenced, {
        async cycle(key) {
          const mutex = new Mutex(third, key, { lockTimeout: LEASE_MS });
          await mutex.acquire();
          await mutex.release();
        },
        // Not renewed: a test forgets it.
        tryHold: (key) =>
          new Mutex(third, key, {
            lockTimeout: LEASE_MS,
            acquireAttemptsLimit: 1,
            refreshInterval: 0,
          }).tryAcquire(),
      }),
      peer("@verrou/core", `${unfenced}, renewal; its owner names are guessable`, {
        async cycle(key) {
          const lock = verrou.createLock(key, LEASE_MS);
          await lock.acquire();
          await lock.release();
        },
        tryHold: (key) => verrou.createLock(key, LEASE_MS).acquireImmediately(),
      }),
    ],
    dedups: [],
    close() {
      for (const client of [first, second, third, fourth]) {
        client.disconnect();
      }
    },
  };
}
