// What a real Redis says besides a script's own answer: a user who may not run every command, keys
// that another program wrote, and a connection that is in a MULTI. Each is told for what it is.
import type { Stamp, WriteWithoutOpId } from "@onceproof/core/advanced";
import { createRedisStore, type RedisClient } from "@onceproof/redis-adapter";
import { missing, newOpId, startRedis, type TestServer } from "@onceproof/test-servers";
import { Cluster, Redis } from "ioredis";
import { Redis as Redis6 } from "ioredis6";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const MINUTE = 60_000;
const next = { value: "v", ttlMs: MINUTE } as const;
const create = (key: string) => ({ key, opId: newOpId(), expect: "absent", next }) as const;

describe.skipIf(missing("redis"))("what Redis refuses", () => {
  let server: TestServer;
  let admin: Redis;
  beforeAll(async () => {
    server = await startRedis({ args: ["--appendonly", "no"] });
    admin = new Redis(server.port, "127.0.0.1");
  });
  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });

  describe.each(["set", "setrange", "expireat", "persist"])("a user without %s", (denied) => {
    let limited: Redis;
    beforeAll(async () => {
      await admin.acl("SETUSER", denied, "on", ">pw", "~*", "&*", "+@all", `-${denied}`);
      limited = new Redis(server.port, "127.0.0.1", { username: denied, password: "pw" });
    });
    afterAll(() => limited.disconnect());

    /** An entry that everything is known of, and what is there to read of it. */
    async function entry(keyPrefix: string, key: string, ttlMs: number | "never") {
      const store = createRedisStore({ client: admin, keyPrefix });
      const write = {
        key,
        opId: newOpId(),
        expect: "absent",
        next: { value: "v", ttlMs },
      } as const;
      const result = await store.write(write);
      const stamp = { opId: write.opId, revision: "revision" in result ? result.revision : 0 };
      const redisKey = `${keyPrefix}|${key}`;
      const state = (): Promise<unknown> =>
        Promise.all([admin.get(redisKey), admin.call("PEXPIRETIME", redisKey)]);
      return { stamp: stamp as Stamp, state, before: await state() };
    }

    test.each([MINUTE, "never"] as const)(
      "a renewal for %s that fails has changed nothing",
      async (ttlMs) => {
        const keyPrefix = `touch ${denied} ${ttlMs}`;
        const { stamp, state, before } = await entry(
          keyPrefix,
          "k",
          ttlMs === MINUTE ? 1000 : 2 * MINUTE,
        );
        const store = createRedisStore({ client: limited, keyPrefix });
        const touch = { touch: true, ttlMs } as const;
        const result = await store
          .write({ key: "k", opId: newOpId(), expect: stamp, next: touch })
          .catch((error: unknown) => error);
        const uses = ["setrange", ttlMs === "never" ? "persist" : "expireat"];
        if (uses.includes(denied)) {
          expect(result).toMatchObject({ name: "StoreError", code: "unavailable" });
          expect((result as Error).message).toMatch(/Redis answered (ERR|NOPERM) and did nothing/);
          expect(await state()).toEqual(before);
        } else {
          expect(result).toMatchObject({ outcome: "applied" });
        }
      },
    );

    test("several writes in one step of which one is not permitted have changed nothing", async () => {
      const keyPrefix = `all ${denied}`;
      const renewed = await entry(keyPrefix, "renewed", 2 * MINUTE);
      const kept = await entry(keyPrefix, "kept", 2 * MINUTE);
      const store = createRedisStore({ client: limited, keyPrefix });
      const writes: readonly WriteWithoutOpId[] = [
        { key: "first", expect: "absent", next },
        { key: "renewed", expect: renewed.stamp, next: { touch: true, ttlMs: MINUTE } },
        { key: "kept", expect: kept.stamp, next: { touch: true, ttlMs: "never" } },
        { key: "last", expect: "absent", next },
      ];
      await expect(store.writeAll({ opId: newOpId(), writes })).rejects.toMatchObject({
        name: "StoreError",
        code: "unavailable",
      });
      expect([await renewed.state(), await kept.state()]).toEqual([renewed.before, kept.before]);
      expect(await admin.exists(`${keyPrefix}|first`, `${keyPrefix}|last`)).toBe(0);
    });
  });

  test("an empty string that another program wrote is a format not known, never applied", async () => {
    const store = createRedisStore({ client: admin, keyPrefix: "empty" });
    await admin.set("empty|k", "");
    const stamped = { revision: 1, opId: newOpId() };
    const unknown = { name: "FormatError", code: "formatUnknown" };
    for (const call of [
      () => store.read("k"),
      () => store.write(create("k")),
      () => store.write({ key: "k", opId: newOpId(), expect: stamped, next: "removed" }),
      () => store.write({ key: "k", opId: newOpId(), expect: stamped, next }),
      () =>
        store.write({
          key: "k",
          opId: newOpId(),
          expect: stamped,
          next: { ...next, ttlMs: "keep" },
        }),
      () => store.writeAll({ opId: newOpId(), writes: [{ key: "k", expect: "absent", next }] }),
    ]) {
      await expect(call()).rejects.toMatchObject(unknown);
    }
    expect(await admin.get("empty|k")).toBe("");
  });

  test("what Redis answered is said, by its code alone", async () => {
    const store = createRedisStore({ client: admin, keyPrefix: "said" });
    await admin.lpush("said|secret", "x");
    await expect(store.read("secret")).rejects.toMatchObject({
      code: "unavailable",
      message: "Redis answered WRONGTYPE and did nothing",
    });
  });

  interface Queuing {
    readonly client: RedisClient;
    readonly close: () => void;
    readonly send: (command: string) => Promise<unknown>;
  }
  const ioredis = (client: Redis): Queuing => ({
    client,
    close: () => client.disconnect(),
    send: (command) => client.call(command),
  });
  const nodeRedis = async (port: number): Promise<Queuing> => {
    const client = createClient({ socket: { host: "127.0.0.1", port } });
    await client.connect();
    return { client, close: () => client.destroy(), send: (name) => client.sendCommand([name]) };
  };

  test.each([
    ["ioredis 5", (port: number) => ioredis(new Redis(port, "127.0.0.1"))],
    ["ioredis 6", (port: number) => ioredis(new Redis6(port, "127.0.0.1") as unknown as Redis)],
    ["node-redis", nodeRedis],
  ] as const)(
    "a write into the user's own MULTI is unknown, since EXEC applies it: %s",
    async (name, open) => {
      const { client, close, send } = await open(server.port);
      try {
        const store = createRedisStore({ client, keyPrefix: `multi ${name}` });
        await store.read("warm");
        await store.write(create("warm"));
        await send("MULTI");
        const write = create("k");
        const inMulti = { message: expect.stringContaining("a client of its own") };
        expect(await store.write(write)).toMatchObject({ outcome: "unknown", cause: inMulti });
        await expect(store.read("k")).rejects.toMatchObject({
          code: "unavailable",
          cause: inMulti,
        });
        await send("EXEC");
        expect(await store.write(write)).toMatchObject({ outcome: "applied", replayed: true });
      } finally {
        close();
      }
    },
  );
});

test("a cluster's client refuses keys of several slots, also without hash tags, before sending", async () => {
  const client = new Cluster([{ host: "127.0.0.1", port: 1 }], { lazyConnect: true });
  const store = createRedisStore({ client, hashTags: false });
  const writes = ["a", "b"].map((key) => ({ key, expect: "absent", next }) as const);
  await expect(store.writeAll({ opId: newOpId(), writes })).rejects.toMatchObject({
    name: "ArgumentError",
    code: "crossSlot",
  });
  expect(client.status).toBe("wait");
  client.disconnect();
});
