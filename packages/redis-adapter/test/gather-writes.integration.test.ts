// Store calls that are made together leave an ioredis client in few writes to its socket.
import { createRedisStore, type RedisClient } from "@onceproof/redis-adapter";
import { missing, newOpId, startRedis } from "@onceproof/test-servers";
import { Redis as Redis5 } from "ioredis";
import { Redis as Redis6 } from "ioredis6";
import { expect, test, vi } from "vitest";

const AT_ONCE = 64;
const IN_ONE_WRITE = 16;

/** Counts how often the socket passes something on to the system. */
function countWrites(stream: object): () => number {
  const single = vi.spyOn(stream as { _write(): void }, "_write");
  const several = vi.spyOn(stream as { _writev(): void }, "_writev");
  return () => single.mock.calls.length + several.mock.calls.length;
}

const CLIENTS = [
  ["ioredis 5", (port: number): Redis5 => new Redis5(port, "127.0.0.1")],
  ["ioredis 6", (port: number): Redis6 => new Redis6(port, "127.0.0.1")],
] as const;

test.skipIf(missing("redis")).each(CLIENTS)(
  "sixteen at once are one write, and one after another one each: %s",
  async (_, open) => {
    await using server = await startRedis({ args: ["--appendonly", "no"] });
    const client = open(server.port);
    try {
      const store = createRedisStore({ client: client as RedisClient });
      const next = { value: "v", ttlMs: "never" } as const;
      const create = (key: string) => store.write({ key, opId: newOpId(), expect: "absent", next });
      await create("first");
      const writes = countWrites(client.stream);
      const keys = Array.from({ length: AT_ONCE }, (_, index) => `k${index}`);
      const results = await Promise.all(keys.map(create));
      expect(results.every(({ outcome }) => outcome === "applied")).toBe(true);
      const together = AT_ONCE / IN_ONE_WRITE;
      expect(writes()).toBe(together);
      await create("second");
      await create("third");
      expect(writes()).toBe(together + 2);
    } finally {
      client.disconnect();
    }
  },
);

test.skipIf(missing("redis")).each(CLIENTS)(
  "no socket stays held back, whatever becomes of it in the same turn: %s",
  async (_, open) => {
    await using server = await startRedis({ args: ["--appendonly", "no"] });
    const client = open(server.port);
    client.on("error", () => {});
    try {
      const store = createRedisStore({ client: client as RedisClient });
      await store.read("k");
      const lose: (() => unknown)[] = [
        () => client.stream.destroy(),
        () => client.stream.end(),
        () => client.disconnect(true),
        () => client.emit("an event of the user's own"),
      ];
      for (const end of lose) {
        const { stream } = client;
        const call = store.read("k").catch(({ code }) => expect(code).toBe("unavailable"));
        expect(stream.writableCorked).toBe(1);
        end();
        await call;
        expect(stream.writableCorked).toBe(0);
        // On the next socket, if there is one.
        expect(await store.read("k")).toHaveProperty("now");
        expect(client.stream.writableCorked).toBe(0);
      }
    } finally {
      client.disconnect();
    }
  },
);
