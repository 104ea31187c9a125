// Every contestant does its job on a real Redis, and costs the calls that the tables say. Nothing is
// timed here.
import { setImmediate } from "node:timers/promises";
import { missing } from "@onceproof/test-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compare } from "../src/compare/compare.js";
import { RECEIPT } from "../src/compare/users.js";
import { openRedisArena, type RedisArena } from "../src/redis/arena.js";
import { callsOf } from "../src/redis/server-account.js";

describe.skipIf(missing("redis"))("the contestants on a real Redis", () => {
  let arena: RedisArena;
  beforeAll(async () => {
    arena = await openRedisArena("off");
  });
  afterAll(() => arena?.[Symbol.asyncDispose]());

  it("lock for one at a time, and free again once released", async () => {
    expect(arena.locks.length).toBe(8);
    for (const { name, client, cycle, tryHold } of arena.locks) {
      await arena.clear();
      await cycle("order");
      const held = [await tryHold("order"), await tryHold("order"), await tryHold("other")];
      expect(held, `${name} on ${client}`).toEqual([true, false, true]);
    }
  });

  it("run a request once and replay its receipt", async () => {
    expect(arena.dedups.length).toBe(8);
    for (const { name, client, run } of arena.dedups) {
      await arena.clear();
      let ran = 0;
      const handler = () => {
        ran += 1;
        return RECEIPT;
      };
      const receipts = [await run("order", handler), await run("order", handler)];
      expect(receipts, `${name} on ${client}`).toEqual([RECEIPT, RECEIPT]);
      expect(ran, `${name} on ${client}`).toBe(1);
      await run("other", handler);
      expect(ran, `${name} on ${client}`).toBe(2);
    }
  });

  it("send the same calls each time, ours one for each store call", async () => {
    const ours: Record<string, readonly string[]> = {};
    for (const { name, contestants } of arena.comparisons) {
      for (const contestant of contestants) {
        const calls = await callsOf(arena.admin, contestant);
        if (contestant.kind === "ours") {
          ours[`${name}, ${contestant.name} on ${contestant.client}`] = calls;
        } else {
          expect(calls.length, `${name}: ${contestant.name}`).toBe(2);
        }
      }
    }
    const two = ["EVALSHA", "EVALSHA"];
    expect(ours).toEqual({
      "redis: lock, acquire and release, onceproof on ioredis 5": two,
      "redis: lock, acquire and release, onceproof on node-redis 6": two,
      "redis: dedup, first run, onceproof on ioredis 5": two,
      "redis: dedup, first run, onceproof on node-redis 6": two,
      "redis: dedup, first run, onceproof with fingerprint on node-redis 6": two,
      "redis: dedup, replay, onceproof on ioredis 5": ["EVALSHA"],
      "redis: dedup, replay, onceproof on node-redis 6": ["EVALSHA"],
      "redis: dedup, replay, onceproof with fingerprint on node-redis 6": ["EVALSHA"],
    });
  });

  it("are measured in turns, each beside the bare commands on its own client", async () => {
    const [comparison] = arena.comparisons;
    const contestants = comparison?.contestants ?? [];
    const turns: string[] = [];
    const watched = contestants.slice(0, 4).map((each) => ({
      ...each,
      operate: async () => {
        turns.push(`${each.kind} ${each.client}`);
        await setImmediate();
      },
    }));
    const options = { concurrency: 1, timeMs: 1, seed: 1, warmUp: 10 };
    const measured = await compare(arena, { name: "redis: turns", contestants: watched }, options);
    expect(measured.map(({ share }) => share !== undefined)).toEqual([false, false, true, true]);
    // After the warm-up: everyone runs before anyone runs again.
    const runs = turns.filter((turn, at) => turn !== turns[at - 1]).slice(4);
    expect(runs.length).toBeGreaterThanOrEqual(4 * 5 - 4);
    expect(new Set(runs.slice(0, 4)).size).toBe(4);
  });
});
