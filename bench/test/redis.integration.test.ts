// Every contestant does its job on a real Redis, and costs the calls that the tables say. Nothing is
// timed here.
import { missing } from "@onceproof/test-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRedisArena, type RedisArena } from "../src/redis/arena.js";
import { RECEIPT } from "../src/redis/users.js";

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
});
