// Bare commands, as one writes them without a library: the measure of everyone on the same client.

import { randomUUID } from "node:crypto";
import {
  type DedupUser,
  LEASE_MS,
  type LockUser,
  type OpenUsers,
  RETENTION_MS,
} from "../compare/users.js";
import { IOREDIS, NODE_REDIS, openIoredis, openNodeRedis } from "./clients.js";

/** The few commands that are needed, whichever client sends them. */
export interface Commands {
  readonly client: string;
  /** SET NX PX: whether it was set. */
  setNew(key: string, value: string, ttlMs: number): Promise<boolean>;
  /** SET PX. */
  set(key: string, value: string, ttlMs: number): Promise<unknown>;
  get(key: string): Promise<string | null | undefined>;
}

interface CommandsWithScripts extends Commands {
  /** EVAL with one key. */
  evaluate(script: string, key: string, argument: string): Promise<unknown>;
}

/** @see https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/ */
const RELEASE = `if redis.call("get",KEYS[1]) == ARGV[1] then
  return redis.call("del",KEYS[1])
else
  return 0
end`;

export function bareLock({ client, setNew, evaluate }: CommandsWithScripts): LockUser {
  return {
    name: "bare SET NX PX + EVAL",
    client,
    kind: "bare",
    lacks:
      "renewal, fencing token, store clock, recognising its own acquisition after a lost reply",
    async cycle(key) {
      const owner = randomUUID();
      if (await setNew(key, owner, LEASE_MS)) {
        await evaluate(RELEASE, key, owner);
      }
    },
    tryHold: (key) => setNew(key, randomUUID(), LEASE_MS),
  };
}

/** First run SET NX PX + SET PX, replay SET NX PX + GET. */
export function bareDedup({ client, setNew, set, get }: Commands): DedupUser {
  return {
    name: "bare SET NX + SET or GET",
    client,
    kind: "bare",
    lacks: "owner check, crash handling, waiting, renewal",
    async run(key, handler) {
      if (await setNew(key, "running", RETENTION_MS)) {
        const receipt = handler();
        await set(key, JSON.stringify(receipt), RETENTION_MS);
        return receipt;
      }
      return JSON.parse((await get(key)) ?? "null");
    },
  };
}

export async function openBare(port: number): Promise<OpenUsers> {
  const ioredis = await openIoredis(port);
  const nodeRedis = await openNodeRedis(port);
  const both: readonly CommandsWithScripts[] = [
    {
      client: IOREDIS,
      setNew: async (key, value, ttlMs) =>
        (await ioredis.set(key, value, "PX", ttlMs, "NX")) === "OK",
      set: (key, value, ttlMs) => ioredis.set(key, value, "PX", ttlMs),
      get: (key) => ioredis.get(key),
      evaluate: (script, key, argument) => ioredis.eval(script, 1, key, argument),
    },
    {
      client: NODE_REDIS,
      setNew: async (key, value, ttlMs) =>
        (await nodeRedis.set(key, value, {
          condition: "NX",
          expiration: { type: "PX", value: ttlMs },
        })) === "OK",
      set: (key, value, ttlMs) =>
        nodeRedis.set(key, value, { expiration: { type: "PX", value: ttlMs } }),
      get: (key) => nodeRedis.get(key),
      evaluate: (script, key, argument) =>
        nodeRedis.eval(script, { keys: [key], arguments: [argument] }),
    },
  ];
  return {
    locks: both.map(bareLock),
    dedups: both.map(bareDedup),
    close() {
      ioredis.disconnect();
      nodeRedis.destroy();
    },
  };
}
