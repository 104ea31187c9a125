// Watches on a real Redis at their edges: channels that come back while they are being left, and
// clients that ended.
import type { WatchableStore } from "@onceproof/core/advanced";
import { createRedisStore } from "@onceproof/redis-adapter";
import {
  missing,
  newOpId,
  redisCommand,
  startRedis,
  type TestServer,
} from "@onceproof/test-servers";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import {
  ioredis6Plain,
  ioredisPlain,
  nodeRedis,
  nodeRedis6,
  type OpenClient,
  POOLS,
} from "./support/clients.js";

const KINDS = [ioredisPlain, ioredis6Plain, nodeRedis, nodeRedis6];
const MOST_IDLE = 64;

describe.skipIf(missing("redis"))("watches at their edges", () => {
  let server: TestServer;
  let opened: OpenClient[] = [];
  beforeAll(async () => {
    server = await startRedis({ args: ["--appendonly", "no"] });
  });
  afterEach(() => {
    for (const { close } of opened) close();
    opened = [];
  });
  afterAll(() => server.stop());

  const open = async (kind: { open(port: number): Promise<OpenClient> }, keyPrefix: string) => {
    const client = await kind.open(server.port);
    opened.push(client);
    return createRedisStore({ client: client.client, keyPrefix });
  };
  const subscribers = async (): Promise<number> =>
    String(await redisCommand(server.port, "CLIENT", "LIST", "TYPE", "PUBSUB")).match(/^id=/gm)
      ?.length ?? 0;

  /** Watches for a moment, so that one more channel is idle. */
  async function rest(store: WatchableStore, key: string): Promise<void> {
    const controller = new AbortController();
    const watch = store.watch(key, controller.signal);
    controller.abort();
    await watch;
  }

  test.each(KINDS)(
    "a channel that is watched again while the server is asked to leave it is heard: $name",
    async (kind) => {
      const prefix = `left ${kind.name}`;
      const store = await open(kind, prefix);
      const write = { key: "hot", opId: newOpId(), next: { value: "v", ttlMs: "never" } } as const;
      const created = await store.write({ ...write, expect: "absent" });
      const revision = created.outcome === "applied" ? created.revision : 0;
      // Wakes once, as it takes effect, and leaves the channel subscribed and idle.
      await store.watch("hot", new AbortController().signal);
      for (let id = 1; id <= MOST_IDLE; id += 1) {
        await rest(store, `other ${id}`);
      }
      const { signal } = new AbortController();
      // Wakes as it takes effect; who watches after that waits for the message itself.
      await store.watch("hot", signal);
      const woken = store.watch("hot", signal);
      const expected = { revision, opId: write.opId };
      await store.write({ key: "hot", opId: newOpId(), expect: expected, next: "removed" });
      await woken;
    },
  );

  test.each(POOLS)(
    "the extra connection closes with a pool, which does not tell that it ended: $name",
    async (kind) => {
      const store = await open(kind, "pool");
      const { signal } = new AbortController();
      const watch = store.watch("k", signal);
      await expect.poll(subscribers).toBe(1);
      await watch;
      const woken = store.watch("k", signal);
      opened.pop()?.close();
      await woken;
      await expect.poll(subscribers).toBe(0);
    },
  );

  test.each([...KINDS, ...POOLS])(
    "a watch through a client that ended opens nothing: $name",
    async (kind) => {
      const store = await open(kind, "ended");
      const ended = opened.pop();
      const client = ended?.client as unknown as Record<"duplicate" | "execute", () => void>;
      // What a link is made by: a copy of the client, or of a member of the pool.
      const copied = vi.spyOn(client, "duplicate" in client ? "duplicate" : "execute");
      ended?.close();
      // ioredis takes a moment.
      await expect.poll(() => (client as { status?: unknown }).status ?? "end").toBe("end");
      const controller = new AbortController();
      const watch = store.watch("k", controller.signal);
      expect(copied).not.toHaveBeenCalled();
      controller.abort();
      await watch;
    },
  );
});
