// A real failover by Sentinel, under a workload of every client: calls settle, what is told is true but
// for what the failover lost, and with `waitReplicas` for all replicas nothing is lost.
import { setTimeout as sleep } from "node:timers/promises";
import {
  createRedisStore,
  type RedisStore,
  type RedisStoreOptions,
} from "@onceproof/redis-adapter";
import {
  appendFromAll,
  judgeAppends,
  missing,
  newOpId,
  type RedisSentinel,
  startRedisSentinel,
} from "@onceproof/test-servers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type GroupClientKind, type OpenClient, SENTINELS } from "./support/clients.js";

describe.skipIf(missing("redis"))("a failover by Sentinel", () => {
  let group: RedisSentinel;
  let opened: OpenClient[] = [];
  beforeAll(async () => {
    group = await startRedisSentinel();
  });
  afterEach(() => {
    for (const { close } of opened) close();
    opened = [];
  });
  afterAll(() => group.stop());

  function openMany(
    kind: GroupClientKind,
    options: Partial<RedisStoreOptions>,
  ): Promise<RedisStore[]> {
    return Promise.all(
      [1, 2].map(async () => {
        const client = await kind.open(group.sentinelPorts);
        opened.push(client);
        return createRedisStore({ operationTimeoutMs: 600, ...options, client: client.client });
      }),
    );
  }

  test("calls settle, unknown is honest, and the store works on the promoted server", async () => {
    const options = { waitReplicas: 2, waitReplicasMs: 200 };
    const runs = await Promise.all(
      SENTINELS.map(async (kind) => ({
        kind,
        plain: await openMany(kind, { keyPrefix: `plain ${kind.name}` }),
        waiting: await openMany(kind, { keyPrefix: `waiting ${kind.name}`, ...options }),
      })),
    );
    for (const { plain } of runs) {
      // Stated, since it is true with any number of replicas waited for.
      expect(plain[0]?.capabilities.failoverMayLoseWrites).toBe(true);
    }
    const key = "list";
    const working = runs.map(async ({ kind, plain, waiting }) => {
      const [log, waited] = await Promise.all([
        appendFromAll(plain, { key, each: 40 }),
        appendFromAll(waiting, { key, each: 20 }),
      ]);
      return { kind, log, waited };
    });
    await sleep(100);
    const killed = await group.failOver();
    // Sentinel makes it a replica of the new master, so that two can acknowledge again.
    await killed.restart();
    for (const { kind, log, waited } of await Promise.all(working)) {
      const [plain] = await openMany(kind, { keyPrefix: `plain ${kind.name}` });
      const [waiting] = await openMany(kind, { keyPrefix: `waiting ${kind.name}` });
      if (plain === undefined || waiting === undefined) throw new Error("two were opened");
      expect(log.applied.size + waited.applied.size).toBeGreaterThan(0);
      expect(await judgeAppends(waiting, key, waited), kind.name).toEqual([]);
      const wrong = (await judgeAppends(plain, key, log)).filter(
        (each) => !each.endsWith("is lost"),
      );
      expect(wrong, kind.name).toEqual([]);
      // The promoted server has every script only after it was told: EVALSHA fell back to EVAL.
      const write = { key: "after", opId: newOpId(), expect: "absent" } as const;
      const next = { value: "v", ttlMs: 60_000 };
      expect(await plain.write({ ...write, next })).toMatchObject({ outcome: "applied" });
      expect(await plain.write({ ...write, next })).toMatchObject({ replayed: true });
    }
  });
});
