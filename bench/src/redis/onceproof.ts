// Ours, on both clients, with nothing but defaults.

import { createDedup, createLock } from "@onceproof/core";
import { createRedisStore, type RedisClient } from "@onceproof/redis-adapter";
import { OURS } from "../compare/contestants.js";
import { type DedupUser, type LockUser, type OpenUsers, PAYLOAD } from "../compare/users.js";
import { IOREDIS, NODE_REDIS, openIoredis, openNodeRedis } from "./clients.js";

function lockOf(client: string, connection: RedisClient): LockUser {
  const locks = createLock({ store: createRedisStore({ client: connection }), name: "bench" });
  return {
    name: OURS,
    client,
    kind: "ours",
    cycle: async (key) => (await locks.acquire(key)).release(),
    async tryHold(key) {
      const { outcome } = await locks.tryAcquire(key, { autoRenew: false });
      return outcome === "acquired";
    },
  };
}

function dedupOf(client: string, connection: RedisClient, fingerprint: unknown): DedupUser {
  const store = createRedisStore({ client: connection });
  const dedup = createDedup({ store, name: "bench", onCrash: "park" });
  return {
    name: fingerprint === undefined ? OURS : `${OURS} with fingerprint`,
    client,
    kind: "ours",
    run: (key, handler) => dedup.run(key, handler, { fingerprint }),
  };
}

export async function openOnceproof(port: number): Promise<OpenUsers> {
  const ioredis = await openIoredis(port);
  const nodeRedis = await openNodeRedis(port);
  return {
    locks: [lockOf(IOREDIS, ioredis), lockOf(NODE_REDIS, nodeRedis)],
    dedups: [
      dedupOf(IOREDIS, ioredis, undefined),
      dedupOf(NODE_REDIS, nodeRedis, undefined),
      dedupOf(NODE_REDIS, nodeRedis, PAYLOAD),
    ],
    close() {
      ioredis.disconnect();
      nodeRedis.destroy();
    },
  };
}
