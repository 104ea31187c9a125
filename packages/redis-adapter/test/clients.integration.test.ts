// The ways in which people set up their clients, on a real Redis: whatever they chose, values stay
// strings, keys stay apart, and each call is one script.
import type { AtomicStore, StampedWrite } from "@onceproof/core/advanced";
import { createRedisStore, type RedisClient } from "@onceproof/redis-adapter";
import { missing, newOpId, startRedis, type TestServer } from "@onceproof/test-servers";
import { Redis } from "ioredis";
import { createClient, RESP_TYPES } from "redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { warmUp } from "./support/warm-up.js";

describe.skipIf(missing("redis"))("clients as people set them up", () => {
  let server: TestServer;
  let admin: Redis;
  beforeAll(async () => {
    server = await startRedis();
    admin = new Redis(server.port, "127.0.0.1");
  });
  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });

  const create = (store: AtomicStore, key: string, value: string) =>
    store.write({ key, opId: newOpId(), expect: "absent", next: { value, ttlMs: 60_000 } });

  async function withNodeRedis(
    options: Parameters<typeof createClient>[0],
    use: (client: ReturnType<typeof createClient>) => Promise<void>,
  ): Promise<void> {
    const client = createClient({ url: server.url, ...options });
    await client.connect();
    await use(client);
    client.destroy();
  }

  async function valuesStayStrings(client: RedisClient, keyPrefix: string): Promise<void> {
    const store = createRedisStore({ client, keyPrefix });
    for (const value of ["12345678901234567890", "\uFEFFwith a mark", "\0 é \u{1F600}", ""]) {
      const key = `value ${newOpId()}`;
      expect(await create(store, key, value)).toMatchObject({ outcome: "applied" });
      expect((await store.read(key)).entry?.value).toBe(value);
      expect(await create(store, key, "other")).toMatchObject({ outcome: "refused" });
    }
    await warmUp(store);
  }

  test("ioredis that returns numbers as strings and has a prefix of its own", async () => {
    const client = new Redis(server.port, "127.0.0.1", { stringNumbers: true, keyPrefix: "own:" });
    await valuesStayStrings(client, "strings");
    expect(await admin.keys("own:strings|*")).not.toEqual([]);
    client.disconnect();
  });

  test("ioredis that pipelines by itself", async () => {
    const client = new Redis(server.port, "127.0.0.1", { enableAutoPipelining: true });
    await valuesStayStrings(client, "auto");
    client.disconnect();
  });

  test("ioredis that connects at its first use", async () => {
    const client = new Redis(server.port, "127.0.0.1", { lazyConnect: true });
    await valuesStayStrings(client, "lazy");
    client.disconnect();
  });

  test("node-redis that returns buffers", () =>
    withNodeRedis({}, (client) => {
      const mapped = client.withTypeMapping({
        [RESP_TYPES.BLOB_STRING]: Buffer,
        [RESP_TYPES.NUMBER]: String,
      });
      return valuesStayStrings(mapped, "buffers");
    }));

  test("node-redis that speaks RESP3", () =>
    withNodeRedis({ RESP: 3 }, (client) => valuesStayStrings(client, "resp3")));

  test("node-redis that was never connected fails at once, and did nothing", async () => {
    const store = createRedisStore({ client: createClient({ url: server.url }) });
    await expect(create(store, "k", "v")).rejects.toMatchObject({ code: "unavailable" });
  });

  test("a store that is closed leaves the client open", () =>
    withNodeRedis({}, async (client) => {
      const store = createRedisStore({ client });
      await store.close();
      await expect(store.read("k")).rejects.toMatchObject({ code: "closed" });
      expect(await client.ping()).toBe("PONG");
    }));

  test("many stores on one client add listeners once", async () => {
    for (let count = 0; count < 50; count += 1) createRedisStore({ client: admin });
    expect(admin.listenerCount("ready")).toBeLessThan(5);
  });

  test("a key that holds something else is told, and left as it is", async () => {
    const store = createRedisStore({ client: admin, keyPrefix: "foreign" });
    await admin.set("foreign|text", "something else");
    await admin.rpush("foreign|list", "something else");
    await expect(store.read("text")).rejects.toMatchObject({ code: "formatUnknown" });
    await expect(create(store, "text", "v")).rejects.toMatchObject({ code: "formatUnknown" });
    await expect(store.read("list")).rejects.toMatchObject({ code: "unavailable" });
    await expect(create(store, "list", "v")).rejects.toMatchObject({ code: "unavailable" });
    expect(await admin.get("foreign|text")).toBe("something else");
  });

  // S5: the latest applied opId is replayed whatever the write expects, and applies no second time.
  test("a write that expects the stamp it made itself is a replay", async () => {
    const store = createRedisStore({ client: admin, keyPrefix: "own stamp" });
    const opId = newOpId();
    const next = { value: "v", ttlMs: 60_000 };
    const first = await store.write({ key: "k", opId, expect: "absent", next });
    const expected = { revision: first.outcome === "applied" ? first.revision : 0, opId };
    for (const again of [next, { touch: true, ttlMs: 1 }, "removed"] as const) {
      expect(await store.write({ key: "k", opId, expect: expected, next: again })).toMatchObject({
        outcome: "applied",
        revision: expected.revision,
        replayed: true,
      });
    }
    expect((await store.read("k")).entry?.stamp).toEqual(expected);
  });

  // S0: only a live entry bears a stamp.
  test("the stamp of a removal is nobody's", async () => {
    const store = createRedisStore({ client: admin, keyPrefix: "removed" });
    const opId = newOpId();
    const next = { value: "v", ttlMs: "never" } as const;
    const first = await store.write({ key: "k", opId, expect: "absent", next });
    let stamp = { revision: first.outcome === "applied" ? first.revision : 0, opId };
    const removalId = newOpId();
    const gone = await store.write({ key: "k", opId: removalId, expect: stamp, next: "removed" });
    stamp = { revision: gone.outcome === "applied" ? gone.revision : 0, opId: removalId };
    for (const then of [next, { touch: true, ttlMs: "never" }, "removed"] as const) {
      const write = { key: "k", opId: newOpId(), expect: stamp, next: then };
      expect(await store.write(write)).toMatchObject({ outcome: "refused" });
    }
  });

  // S3: as after the server's clock stepped back by ten minutes.
  test("revisions go on from one that is ahead of the clock, and are kept from there", async () => {
    const aheadUs = 600_000_000;
    const store = createRedisStore({ client: admin, keyPrefix: "ahead", tombstoneMs: 5000 });
    const next = { value: "v", ttlMs: 1000 };
    let opId = newOpId();
    await store.write({ key: "k", opId, expect: "absent", next });
    const packed = (await admin.get("ahead|k")) ?? "";
    let revision = Number(packed.slice(22, 38)) + aheadUs;
    await admin.set("ahead|k", packed.slice(0, 22) + revision + packed.slice(38));
    const nexts = [next, { touch: true, ttlMs: 1000 }, { value: "kept", ttlMs: "keep" }] as const;
    for (const then of [...nexts, "removed", "created"] as const) {
      const expected = { revision, opId };
      opId = newOpId();
      const result = await (then === "created"
        ? store.write({ key: "k", opId, expect: "absent", next })
        : store.write({ key: "k", opId, expect: expected, next: then }));
      expect(result).toMatchObject({ outcome: "applied", revision: revision + 1 });
      revision += 1;
      expect((await store.read("k")).revision).toBe(revision);
      expect(await admin.pttl("ahead|k")).toBeGreaterThan(aheadUs / 1000 + 4000);
    }
  });

  // S3: what Redis itself drops must have outlived entry and tombstone.
  test("Redis keeps a key until entry and tombstone have ended, and hardly longer", async () => {
    const store = createRedisStore({ client: admin, keyPrefix: "kept", tombstoneMs: 5000 });
    let stamp = { revision: 0, opId: "" };
    const keptMs = () => admin.pttl("kept|k");
    const write = async (next: StampedWrite["next"]): Promise<number> => {
      const opId = newOpId();
      const result = await store.write({ key: "k", opId, expect: stamp, next });
      stamp = { revision: result.outcome === "applied" ? result.revision : 0, opId };
      return keptMs();
    };
    const within = (ms: number, leastMs: number): void => {
      expect(ms).toBeGreaterThan(leastMs - 500);
      expect(ms).toBeLessThan(leastMs + 2500);
    };
    const opId = newOpId();
    const next = { value: "v", ttlMs: 100 };
    const first = await store.write({ key: "k", opId, expect: "absent", next });
    stamp = { revision: first.outcome === "applied" ? first.revision : 0, opId };
    within(await keptMs(), 5000);
    within(await write({ touch: true, ttlMs: 60_000 }), 60_000);
    within(await write({ value: "kept", ttlMs: "keep" }), 60_000);
    within(await write({ value: "short", ttlMs: 1000 }), 5000);
    within(await write({ value: "kept", ttlMs: "keep" }), 5000);
    expect(await write({ touch: true, ttlMs: "never" })).toBe(-1);
    expect(await write({ value: "kept", ttlMs: "keep" })).toBe(-1);
    within(await write({ touch: true, ttlMs: 1000 }), 5000);
    expect(await write({ value: "for ever", ttlMs: "never" })).toBe(-1);
    within(await write("removed"), 5000);
  });

  test("every read and write is one script call, applied or refused", async () => {
    const store = createRedisStore({ client: admin, keyPrefix: "counted" });
    await warmUp(store);
    await admin.config("RESETSTAT");
    await warmUp(store);
    await create(store, "k", "v");
    await create(store, "k", "v");
    const calls = /cmdstat_evalsha:calls=(\d+)/.exec(await admin.info("commandstats"))?.[1];
    expect(Number(calls)).toBe(6 + 2);
    expect(await admin.info("commandstats")).not.toContain("cmdstat_eval:");
  });

  test.each([
    ["no client", { client: undefined as unknown as RedisClient }],
    ["a client that is none", { client: {} as RedisClient }],
    ["a prefix with |", { keyPrefix: "a|b" }],
    ["a prefix with half a character", { keyPrefix: "\uD800" }],
  ])("%s is no option", (_, options) => {
    expect(() => createRedisStore({ client: admin, ...options })).toThrow(
      expect.objectContaining({ code: "optionInvalid" }),
    );
  });
});
