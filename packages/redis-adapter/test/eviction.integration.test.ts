// A real Redis that may evict records is refused before anything is written, unless the user accepts
// it; one look before the first call is all it costs.
import { type EventEmitter, once } from "node:events";
import { createDedup, createLock } from "@onceproof/core";
import type { AtomicStore } from "@onceproof/core/advanced";
import { createRedisStore } from "@onceproof/redis-adapter";
import {
  missing,
  newOpId,
  redisCommand,
  startRedis,
  startRedisCluster,
  type TestServer,
} from "@onceproof/test-servers";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CLUSTERS, ioredisPlain, nodeRedis, type OpenClient, POOLS } from "./support/clients.js";
import { warmUp } from "./support/warm-up.js";

const KINDS = [ioredisPlain, nodeRedis];

describe.skipIf(missing("redis"))("a real Redis that may evict", () => {
  let server: TestServer;
  let admin: Redis;
  const opened: OpenClient[] = [];

  beforeAll(async () => {
    server = await startRedis();
    admin = new Redis(server.port, "127.0.0.1");
    admin.on("error", () => {});
  });
  beforeEach(() => evicting("noeviction", "0"));
  afterEach(() => {
    for (const { close } of opened.splice(0)) close();
  });
  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });

  async function evicting(policy: string, maxmemory: string): Promise<void> {
    await admin.config("SET", "maxmemory-policy", policy, "maxmemory", maxmemory);
  }

  async function open(kind = ioredisPlain, options: object = {}): Promise<AtomicStore> {
    const client = await kind.open(server.port);
    opened.push(client);
    return createRedisStore({ client: client.client, ...options });
  }

  const create = (store: AtomicStore, key = newOpId()) =>
    store.write({ key, opId: newOpId(), expect: "absent", next: { value: "v", ttlMs: 60_000 } });
  const asked = async (): Promise<number> =>
    Number(/cmdstat_info:calls=(\d+)/.exec(await admin.info("commandstats"))?.[1]);

  describe.each(KINDS)("with $name", (kind) => {
    test.each([
      "allkeys-lru",
      "allkeys-lfu",
      "allkeys-random",
      "volatile-lru",
      "volatile-lfu",
      "volatile-random",
      "volatile-ttl",
    ])("%s: every call is refused and nothing is written", async (policy) => {
      await evicting(policy, "100mb");
      await admin.config("RESETSTAT");
      const store = await open(kind);
      const writes = [{ key: "k", expect: "absent", next: { value: "v", ttlMs: 1000 } }] as const;
      for (const call of [
        () => create(store),
        () => store.read("k"),
        () => (store as ReturnType<typeof createRedisStore>).writeAll({ opId: newOpId(), writes }),
      ]) {
        await expect(call()).rejects.toMatchObject({
          name: "StoreError",
          code: "evicting",
          cause: { message: expect.stringContaining(policy) },
        });
      }
      expect(await admin.info("commandstats")).not.toMatch(/cmdstat_(eval|evalsha|set):/);
    });

    test("no handler runs and no lock is held: the algorithms pass the refusal on", async () => {
      await evicting("allkeys-lru", "100mb");
      const store = await open(kind);
      let ran = 0;
      const run = (): number => {
        ran += 1;
        return ran;
      };
      const dedup = createDedup({ store, name: "d", onCrash: "rerun" });
      const lock = createLock({ store, name: "l" });
      await expect(dedup.run("k", run)).rejects.toMatchObject({ code: "evicting" });
      await expect(lock.run("r", run)).rejects.toMatchObject({ code: "evicting" });
      expect(ran).toBe(0);
    });

    test("is worked with where the user accepts it, and asked nothing", async () => {
      await evicting("allkeys-lru", "100mb");
      const store = await open(kind, { evictionAllowed: true });
      const before = await asked();
      await warmUp(store);
      expect(await asked()).toBe(before + 1);
    });

    test("is worked with once its policy is mended, without a new store", async () => {
      await evicting("volatile-ttl", "100mb");
      const store = await open(kind);
      await expect(create(store)).rejects.toMatchObject({ code: "evicting" });
      await evicting("noeviction", "100mb");
      expect(await create(store)).toMatchObject({ outcome: "applied" });
    });

    test("cannot, without a limit of memory, and is worked with", async () => {
      await evicting("allkeys-lru", "0");
      expect(await create(await open(kind))).toMatchObject({ outcome: "applied" });
    });

    test("is looked at again when the connection was lost", async () => {
      const store = await open(kind, { operationTimeoutMs: 10_000 });
      expect(await create(store)).toMatchObject({ outcome: "applied" });
      await evicting("allkeys-lru", "100mb");
      expect(await create(store)).toMatchObject({ outcome: "applied" });
      await admin.client("KILL", "TYPE", "NORMAL");
      // Which of the two notices first that the connection is gone is not determined.
      await expect
        .poll(() => create(store).catch(({ code }) => code), { timeout: 10_000 })
        .toBe("evicting");
    });
  });

  test.each(POOLS)(
    "is looked at again while calls go on, where a client does not tell of lost connections: $name",
    async (kind) => {
      const store = await open(kind);
      expect(await create(store)).toMatchObject({ outcome: "applied" });
      await evicting("allkeys-lru", "100mb");
      await expect
        .poll(() => create(store).catch(({ code }) => code), { timeout: 10_000 })
        .toBe("evicting");
      await evicting("noeviction", "100mb");
      expect(await create(store)).toMatchObject({ outcome: "applied" });
    },
  );

  test.each(POOLS)(
    "is looked at before the first call after a pool lost a connection: $name",
    async (kind) => {
      const client = await kind.open(server.port);
      opened.push(client);
      const store = createRedisStore({ client: client.client });
      expect(await create(store)).toMatchObject({ outcome: "applied" });
      await evicting("allkeys-lru", "100mb");
      const lost = once(client.client as unknown as EventEmitter, "error");
      await admin.client("KILL", "TYPE", "NORMAL");
      await lost;
      // Until the pool has another connection, no server says anything; nothing is written meanwhile.
      let told: unknown;
      do {
        told = await create(store).catch(({ code }) => code);
      } while (told === "unavailable");
      expect(told).toBe("evicting");
    },
  );

  test("is not taken as passed where INFO is not answered, as in a MULTI", async () => {
    await evicting("allkeys-lru", "100mb");
    const client = new Redis(server.port, "127.0.0.1");
    opened.push({ client, close: () => client.disconnect() });
    const store = createRedisStore({ client });
    await client.multi({ pipeline: false });
    await expect(create(store)).rejects.toMatchObject({
      code: "unavailable",
      cause: { message: expect.stringContaining("a client of its own") },
    });
    await client.discard();
    await expect(create(store)).rejects.toMatchObject({ code: "evicting" });
  });

  test("one look, however many calls and stores begin at once", async () => {
    const client = await ioredisPlain.open(server.port);
    opened.push(client);
    const stores = ["a", "b", "c"].map((keyPrefix) =>
      createRedisStore({ client: client.client, keyPrefix }),
    );
    const before = await asked();
    await Promise.all(stores.flatMap((store) => Array.from({ length: 20 }, () => create(store))));
    await Promise.all(stores.map((store) => create(store)));
    expect(await asked()).toBe(before + 2);
  });

  test("a server that lets nobody ask is worked with", async () => {
    await admin.acl("SETUSER", "blind", "on", ">pw", "~*", "&*", "+@all", "-info");
    await evicting("allkeys-lru", "100mb");
    const client = new Redis(server.port, "127.0.0.1", {
      username: "blind",
      password: "pw",
      enableReadyCheck: false,
    });
    opened.push({ client, close: () => client.disconnect() });
    expect(await create(createRedisStore({ client }))).toMatchObject({ outcome: "applied" });
  });
});

test.skipIf(missing("redis")).each(CLUSTERS.filter(({ name }) => name.startsWith("node-redis")))(
  "a cluster's masters are looked at again while calls go on: $name",
  async (kind) => {
    await using cluster = await startRedisCluster({ replicasEach: 0 });
    const { client, close } = await kind.open(cluster.ports);
    try {
      const store = createRedisStore({ client });
      expect(await store.read("k")).toHaveProperty("now");
      for (const port of cluster.ports) {
        const policy = ["maxmemory-policy", "allkeys-lru", "maxmemory", "100mb"];
        await redisCommand(port, "CONFIG", "SET", ...policy);
      }
      await expect
        .poll(() => store.read("k").catch(({ code }) => code), { timeout: 10_000 })
        .toBe("evicting");
    } finally {
      close();
    }
  },
);
