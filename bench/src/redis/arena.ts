// A private Redis, and who is compared on it.

import { type RedisOptions, startRedis } from "@onceproof/test-servers";
import type { Redis } from "ioredis";
import type { Arena } from "../compare/comparison.js";
import { firstRunContestant, lockContestant, replayContestant } from "../compare/contestants.js";
import type { DedupUser, LockUser, OpenUsers } from "../compare/users.js";
import { openBare } from "./bare.js";
import { openIoredis } from "./clients.js";
import { openDedupPeers } from "./dedup-peers.js";
import { openLockPeers } from "./lock-peers.js";
import { REDIS_NAMES } from "./names.js";
import { openOnceproof } from "./onceproof.js";
import { measurePrimitives } from "./primitives.js";
import { accountOf } from "./server-account.js";

/** Whether each write is on disk before it is answered. */
export type Aof = "off" | "always";

/** Everyone who takes part, and the server. */
export interface RedisArena extends Arena {
  readonly admin: Redis;
  readonly locks: readonly LockUser[];
  readonly dedups: readonly DedupUser[];
}

/** CPU time of the server process in microseconds, of all its threads. */
async function cpuUs(admin: Redis): Promise<number> {
  const info = await admin.info("cpu");
  const of = (name: string): number => Number(new RegExp(`^${name}:(.+)$`, "m").exec(info)?.[1]);
  return 1e6 * (of("used_cpu_user") + of("used_cpu_sys"));
}

const serverArgs: Readonly<Record<Aof, RedisOptions>> = {
  off: { args: ["--appendonly", "no"] },
  always: {},
};

/** Starts a private Redis and connects everyone to it. */
export async function openRedisArena(aof: Aof): Promise<RedisArena> {
  const server = await startRedis(serverArgs[aof]);
  const opened: OpenUsers[] = [];
  try {
    const admin = await openIoredis(server.port);
    opened.push({ locks: [], dedups: [], close: () => admin.disconnect() });
    for (const open of [openBare, openOnceproof, openLockPeers, openDedupPeers]) {
      opened.push(await open(server.port));
    }
    const locks = opened.flatMap((users) => users.locks);
    const dedups = opened.flatMap((users) => users.dedups);
    const version = /^redis_version:(.+)$/m.exec(await admin.info("server"))?.[1]?.trim();
    const file = aof === "off" ? "without AOF" : "AOF with fsync always";
    return {
      setting: `redis-server ${version} on 127.0.0.1, ${file}; each on one connection of its own`,
      admin,
      locks,
      dedups,
      comparisons: [
        { name: REDIS_NAMES.lock, contestants: locks.map(lockContestant(0.75)) },
        { name: REDIS_NAMES.firstRun, contestants: dedups.map(firstRunContestant(0.75)) },
        { name: REDIS_NAMES.replay, contestants: dedups.map(replayContestant(1.2)) },
      ],
      details: [
        {
          name: REDIS_NAMES.primitives,
          measure: () => measurePrimitives(admin),
        },
      ],
      clear: () => admin.flushall(),
      serverCpuUs: () => cpuUs(admin),
      account: (contestant) => accountOf(admin, contestant),
      [Symbol.asyncDispose]: () => closeAll(opened, server.stop),
    };
  } catch (error) {
    await closeAll(opened, server.stop);
    throw error;
  }
}

async function closeAll(opened: readonly OpenUsers[], stop: () => Promise<void>): Promise<void> {
  for (const users of opened) {
    await users.close();
  }
  await stop();
}
