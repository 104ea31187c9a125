// Watches, preflight and the refusal of eviction where there is more than one server or connection: on
// a real cluster each master is asked and told apart, and a pool and Sentinel clients do as well.
import type { WatchableStore } from "@onceproof/core/advanced";
import { createRedisStore, preflight } from "@onceproof/redis-adapter";
import {
  missing,
  newOpId,
  type RedisCluster,
  type RedisSentinel,
  startRedis,
  startRedisCluster,
  startRedisSentinel,
  type TestServer,
} from "@onceproof/test-servers";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { CLUSTERS, type OpenClient, POOLS, SENTINELS } from "./support/clients.js";

const opened: OpenClient[] = [];

async function openStore(opening: Promise<OpenClient>, keyPrefix = "g"): Promise<WatchableStore> {
  const client = await opening;
  opened.push(client);
  return createRedisStore({ client: client.client, operationTimeoutMs: 5000, keyPrefix });
}

/** Watches a key from one client until another client's write of it wakes. */
async function wakes(watcher: WatchableStore, writer: WatchableStore, key: string): Promise<void> {
  const { signal } = new AbortController();
  const opId = newOpId();
  const next = { value: "v", ttlMs: 60_000 } as const;
  const made = await writer.write({ key, opId, expect: "absent", next });
  const stamp = { revision: made.outcome === "applied" ? made.revision : 0, opId };
  // Settles when the subscription takes effect.
  await watcher.watch(key, signal);
  const woken = watcher.watch(key, signal);
  await writer.write({ key, opId: newOpId(), expect: stamp, next: "removed" });
  await woken;
}

async function ask<T>(port: number, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(port, "127.0.0.1");
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}

const subscribers = async (ports: readonly number[]): Promise<number[]> =>
  Promise.all(
    ports.map((port) =>
      ask(
        port,
        async (client) =>
          String(await client.client("LIST", "TYPE", "PUBSUB")).match(/^id=/gm)?.length ?? 0,
      ),
    ),
  );

afterEach(() => {
  for (const { close } of opened.splice(0)) close();
});

describe.skipIf(missing("redis"))("on a real cluster", () => {
  let cluster: RedisCluster;
  let ports: readonly number[];
  beforeAll(async () => {
    cluster = await startRedisCluster();
    ports = cluster.masters.map(({ port }) => port);
  });
  afterAll(() => cluster.stop());

  describe.each(CLUSTERS)("with $name", (kind) => {
    const open = (keyPrefix?: string): Promise<WatchableStore> =>
      openStore(kind.open(ports), keyPrefix);

    test("watches of keys of every master wake, on one connection to each", async () => {
      const [watcher, writer] = [await open(), await open()];
      for (let id = 0; id < 20; id += 1) {
        await wakes(watcher, writer, newOpId());
      }
      expect(await subscribers(ports)).toEqual([1, 1, 1]);
      await watcher.close();
      await expect.poll(() => subscribers(ports)).toEqual([0, 0, 0]);
    });

    test("preflight looks at every master", async () => {
      const report = await preflight((await open()) as ReturnType<typeof createRedisStore>);
      expect(report.servers.map(({ address }) => address)).toEqual(
        ports.map((port) => `127.0.0.1:${port}`).sort(),
      );
      // Only this client stays with a master that died.
      const misses = kind.name.startsWith("node-redis 5") ? ["clientMissesFailovers"] : [];
      expect(
        report.findings.filter(({ severity }) => severity !== "info").map(({ id }) => id),
      ).toEqual(misses);
      expect(report.durability.found).toBe("durable");
    });

    test("one master that may evict is enough to be refused", async () => {
      const [, evicting = 0] = ports;
      await ask(evicting, async (client) => {
        await client.config("SET", "maxmemory-policy", "allkeys-lru", "maxmemory", "100mb");
        const store = await open();
        await expect(store.read("k")).rejects.toMatchObject({
          code: "evicting",
          cause: { message: `127.0.0.1:${evicting} has maxmemory-policy allkeys-lru` },
        });
        const report = await preflight(store as ReturnType<typeof createRedisStore>);
        const [fatal] = report.findings;
        expect(fatal).toMatchObject({ id: "evictsRecords", severity: "fatal" });
        expect(fatal?.finding.split(":")[1]).toBe(String(evicting));
        await client.config("SET", "maxmemory-policy", "noeviction", "maxmemory", "0");
      });
    });
  });
});

describe.skipIf(missing("redis"))("on a real server behind a pool", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  test.each(POOLS)("with $name watches wake and preflight finds nothing", async (kind) => {
    const store = await openStore(kind.open(server.port));
    await wakes(store, store, newOpId());
    const report = await preflight(store as ReturnType<typeof createRedisStore>);
    expect(report.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    await store.close();
    await expect.poll(() => subscribers([server.port])).toEqual([0]);
  });
});

describe.skipIf(missing("redis"))("on a real master that Sentinel names", () => {
  let group: RedisSentinel;
  beforeAll(async () => {
    // Nobody is to be promoted because the machine was busy.
    group = await startRedisSentinel({ downAfterMs: 60_000 });
  });
  afterAll(() => group.stop());

  test.each(SENTINELS)(
    "with $name watches wake, and preflight tells of the replicas",
    async (kind) => {
      const [watcher, writer] = [
        await openStore(kind.open(group.sentinelPorts)),
        await openStore(kind.open(group.sentinelPorts)),
      ];
      await wakes(watcher, writer, newOpId());
      const report = await preflight(watcher as ReturnType<typeof createRedisStore>);
      expect(report.findings.filter(({ severity }) => severity !== "info")).toMatchObject([
        { id: "replicasNotAwaited" },
      ]);
      // The server that Sentinel named, not one that the options do not.
      const master = `127.0.0.1:${(await group.master()).port}`;
      expect(report.servers.map(({ address }) => address)).toEqual([master]);
      await watcher.close();
    },
  );
});
