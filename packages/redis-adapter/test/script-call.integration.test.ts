// S11: what was told as unanswered is not sent again behind the caller's back.
import { systemRuntime } from "@onceproof/core/advanced";
import { createRedisStore } from "@onceproof/redis-adapter";
import { missing, newOpId, startRedis } from "@onceproof/test-servers";
import { Redis } from "ioredis";
import { expect, test } from "vitest";

test.skipIf(missing("redis"))(
  "a server that lost its scripts and says so too late gets nothing more",
  async () => {
    await using server = await startRedis();
    const client = new Redis(server.port, server.host);
    const timers: (() => void)[] = [];
    const setTimer = (callback: () => void): (() => void) => {
      timers.push(callback);
      return () => {};
    };
    const store = createRedisStore({ client, runtime: { ...systemRuntime, setTimer } });
    const next = { value: "v", ttlMs: "never" } as const;
    const write = { key: "late", opId: newOpId(), expect: "absent", next } as const;
    try {
      await store.read("late");
      await client.script("FLUSH");
      server.kill("SIGSTOP");
      const sent = store.write(write);
      timers.at(-1)?.();
      expect((await sent).outcome).toBe("unknown");
      server.kill("SIGCONT");
      // Its answer comes before the first, and what would be sent upon it before the second.
      await client.ping();
      await client.ping();
      expect((await client.keys("*late*")).length).toBe(0);
      expect(await store.write(write)).toMatchObject({ outcome: "applied", replayed: false });
    } finally {
      client.disconnect();
    }
  },
);
