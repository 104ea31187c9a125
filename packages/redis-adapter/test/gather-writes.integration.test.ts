// Store calls that are made together leave an ioredis client in one write to its socket.
import { createRedisStore, type RedisClient } from "@onceproof/redis-adapter";
import { missing, newOpId, startRedis } from "@onceproof/test-servers";
import { Redis as Redis5 } from "ioredis";
import { Redis as Redis6 } from "ioredis6";
import { expect, test, vi } from "vitest";

const AT_ONCE = 64;

/** Counts how often the socket passes something on to the system. */
function countWrites(stream: object): () => number {
  const single = vi.spyOn(stream as { _write(): void }, "_write");
  const several = vi.spyOn(stream as { _writev(): void }, "_writev");
  return () => single.mock.calls.length + several.mock.calls.length;
}

test.skipIf(missing("redis")).each([
  ["ioredis 5", (port: number): Redis5 => new Redis5(port, "127.0.0.1")],
  ["ioredis 6", (port: number): Redis6 => new Redis6(port, "127.0.0.1")],
] as const)("many at once are one write, and one after another one each: %s", async (_, open) => {
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
    expect(writes()).toBe(1);
    await create("second");
    await create("third");
    expect(writes()).toBe(3);
  } finally {
    client.disconnect();
  }
});
