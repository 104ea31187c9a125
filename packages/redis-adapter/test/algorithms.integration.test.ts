// Dedup and lock while a real Redis is killed: the effect happens once and every caller gets its
// result; holders never overlap and their tokens increase.
import { setTimeout as sleep } from "node:timers/promises";
import type { AtomicStore } from "@onceproof/core/advanced";
import { createRedisStore } from "@onceproof/redis-adapter";
import {
  missing,
  newOpId,
  raceDedup,
  raceLock,
  startRedis,
  type TestServer,
} from "@onceproof/test-servers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ioredisResending, nodeRedis, type OpenClient } from "./support/clients.js";

const CALLERS = 64;
const CLIENTS = 8;

describe.skipIf(missing("redis"))("the algorithms on a real Redis", () => {
  let server: TestServer;
  const opened: OpenClient[] = [];

  beforeAll(async () => {
    server = await startRedis();
  });
  afterEach(() => {
    for (const { close } of opened.splice(0)) close();
  });
  afterAll(() => server.stop());

  function open(): Promise<AtomicStore[]> {
    return Promise.all(
      Array.from({ length: CLIENTS }, async (_, id) => {
        const client = await (id % 2 === 0 ? ioredisResending : nodeRedis).open(server.port);
        opened.push(client);
        const { client: own } = client;
        return createRedisStore({ client: own, operationTimeoutMs: 500, durability: "durable" });
      }),
    );
  }

  const restart = async (afterMs: number): Promise<void> => {
    await sleep(afterMs);
    server.kill("SIGKILL");
    await server.restart();
  };

  test("of 64 callers one runs, and all get its result, though the server is killed between effect and record", async () => {
    const race = { key: newOpId(), callers: CALLERS, workMs: 200 };
    const running = raceDedup(await open(), race);
    await restart(100);
    const { effects, values } = await running;
    expect(effects).toBe(1);
    expect(values).toEqual(Array(CALLERS).fill(values[0]));
  });

  test("holders never overlap, and their tokens increase, over a restart of the server", async () => {
    const race = { resource: newOpId(), contenders: 40, workMs: 10, leaseMs: 1500 };
    const running = raceLock(await open(), race);
    await restart(150);
    const { tokens, overlaps } = await running;
    expect(overlaps).toBe(0);
    expect(tokens).toHaveLength(40);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
  });
});
