// A private Redis, and who is compared on it.

import { type RedisOptions, startRedis } from "@onceproof/test-servers";
import type { Redis } from "ioredis";
import { runBatch } from "../compare/batch.js";
import type { Arena, Contestant } from "../compare/comparison.js";
import { openBare } from "./bare.js";
import { openIoredis } from "./clients.js";
import { openDedupPeers } from "./dedup-peers.js";
import { openLockPeers } from "./lock-peers.js";
import { REDIS_NAMES } from "./names.js";
import { OURS, openOnceproof } from "./onceproof.js";
import { measurePrimitives } from "./primitives.js";
import { accountOf } from "./server-account.js";
import { type DedupUser, type LockUser, type OpenUsers, RECEIPT, type Receipt } from "./users.js";

/** Whether each write is on disk before it is answered. */
export type Aof = "off" | "always";

/** Everyone who takes part, and the server. */
export interface RedisArena extends Arena {
  readonly admin: Redis;
  readonly locks: readonly LockUser[];
  readonly dedups: readonly DedupUser[];
}

const REPLAYED_KEYS = 200;
const AT_ONCE = 64;

/** Keys of one length, so that memory compares, and other ones for each place in a comparison. */
function keysOf(place: number): (index: number) => string {
  return (index) => `order-${10 + place}${1_000_000 + index}`;
}

type About = Omit<Contestant, "operate" | "prepare" | "hold">;

/** The goal is for ours with nothing but defaults: bare commands take no fingerprint. */
function about({ name, client, kind, lacks }: LockUser | DedupUser, goal: number): About {
  const hasGoal = name === OURS;
  return { name, client, kind, ...(lacks !== undefined && { lacks }), ...(hasGoal && { goal }) };
}

const receipt = (): Receipt => RECEIPT;

function lockContestant(user: LockUser, place: number): Contestant {
  const key = keysOf(place);
  return {
    ...about(user, 0.75),
    operate: (index) => user.cycle(key(index)),
    hold: (index) => user.tryHold(key(index)),
  };
}

function firstRunContestant(user: DedupUser, place: number): Contestant {
  const key = keysOf(place);
  return { ...about(user, 0.75), operate: (index) => user.run(key(index), receipt) };
}

function replayContestant(user: DedupUser, place: number): Contestant {
  const key = keysOf(place);
  const operate = (index: number): Promise<unknown> =>
    user.run(key(index % REPLAYED_KEYS), receipt);
  const prepare = (): Promise<void> => runBatch(operate, 0, REPLAYED_KEYS, AT_ONCE);
  return { ...about(user, 1.2), operate, prepare };
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
        { name: REDIS_NAMES.lock, contestants: locks.map(lockContestant) },
        { name: REDIS_NAMES.firstRun, contestants: dedups.map(firstRunContestant) },
        { name: REDIS_NAMES.replay, contestants: dedups.map(replayContestant) },
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
