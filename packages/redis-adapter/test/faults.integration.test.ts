// A real Redis behind a network that loses messages, killed, stopped, flushed and full: what the
// store says of a write must be true whatever happens.
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import type { AtomicStore } from "@onceproof/core/advanced";
import { createRedisStore, type RedisStoreOptions } from "@onceproof/redis-adapter";
import {
  appendFromAll,
  drivenClock,
  judgeAppends,
  missing,
  newOpId,
  startRedis,
  startTcpProxy,
  type TcpProxy,
  type TestServer,
  type Verdict,
} from "@onceproof/test-servers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  type ClientKind,
  ioredis6Plain,
  ioredisPlain,
  ioredisResending,
  nodeRedis,
  nodeRedis6,
  type OpenClient,
} from "./support/clients.js";
import { warmUp } from "./support/warm-up.js";

const KINDS = [ioredisResending, ioredis6Plain, nodeRedis, nodeRedis6];
/** For calls that are to be given up. */
const TIMEOUT_MS = 300;
/** For calls that are to be answered, however busy the machine is. */
const PATIENT = { operationTimeoutMs: 60_000 } as const;
/** More than a test may take: what ends all the same did not wait. */
const ENDLESS = { operationTimeoutMs: 600_000 } as const;

describe.skipIf(missing("redis"))("on a real Redis that fails", () => {
  let server: TestServer;
  let proxy: TcpProxy;
  const opened: OpenClient[] = [];

  beforeAll(async () => {
    server = await startRedis();
    proxy = await startTcpProxy(server.port);
  });
  afterEach(() => {
    for (const { close } of opened.splice(0)) close();
  });
  afterAll(async () => {
    await proxy.close();
    await server.stop();
  });

  async function open(
    kind: ClientKind,
    port: number,
    options: Partial<RedisStoreOptions> = {},
  ): Promise<AtomicStore> {
    const client = await kind.open(port);
    opened.push(client);
    return createRedisStore({
      client: client.client,
      operationTimeoutMs: TIMEOUT_MS,
      keyPrefix: kind.name,
      ...options,
    });
  }

  function openMany(
    kind: ClientKind,
    port: number,
    count: number,
    options: Partial<RedisStoreOptions> = {},
  ): Promise<AtomicStore[]> {
    return Promise.all(Array.from({ length: count }, () => open(kind, port, options)));
  }

  const create = (key: string, opId = newOpId()) =>
    ({ key, opId, expect: "absent", next: { value: opId, ttlMs: "never" } }) as const;

  /** Resolves when the client that was opened last has noticed that it has no connection. */
  async function disconnected(): Promise<void> {
    const client = opened.at(-1)?.client as { status?: string; isReady?: boolean };
    await expect.poll(() => client.status === "ready" || client.isReady === true).toBe(false);
  }

  describe.each(KINDS)("with $name", (kind) => {
    test("of 64 clients that create or replace at once exactly one wins", async () => {
      const stores = await openMany(kind, server.port, 64, PATIENT);
      for (let round = 0; round < 5; round += 1) {
        const key = `race ${round}`;
        const creates = await Promise.all(stores.map((store) => store.write(create(key))));
        expect(creates.filter(({ outcome }) => outcome === "applied")).toHaveLength(1);
        const { entry } = await (stores[0] as AtomicStore).read(key);
        const expected = entry?.stamp ?? { revision: 0, opId: "" };
        const sets = await Promise.all(
          stores.map((store) => {
            const next = { value: "set", ttlMs: 60_000 } as const;
            return store.write({ key, opId: newOpId(), expect: expected, next });
          }),
        );
        expect(sets.filter(({ outcome }) => outcome === "applied")).toHaveLength(1);
      }
    });

    test("every answer is true while requests and replies are lost", async () => {
      const key = "lossy";
      await warmUp(await open(kind, server.port, PATIENT));
      const stores = await openMany(kind, proxy.port, 12);
      const verdicts: Verdict[] = ["loseReply", "loseRequest", "swallowReply"];
      let request = 0;
      const lift = proxy.addRule((chunk) => {
        if (!chunk.includes("EVALSHA")) return undefined;
        request += 1;
        return request % 7 === 0 ? verdicts[(request / 7) % 3] : "pass";
      });
      // A connection whose reply was swallowed owes it for ever; a network would end it some time.
      const cutting = setInterval(() => proxy.cut(), 700);
      const log = await appendFromAll(stores, { key, each: 8 }).finally(() => {
        clearInterval(cutting);
        lift();
      });
      expect(log.applied.size).toBeGreaterThan(0);
      expect(await judgeAppends(await open(kind, server.port, PATIENT), key, log)).toEqual([]);
    });

    test("a reply that never comes is unknown in time, and the same opId finds out", async () => {
      const clock = drivenClock();
      const store = await open(kind, proxy.port, { runtime: clock.runtime });
      const other = await open(kind, server.port, PATIENT);
      await warmUp(other);
      await store.read("swallowed");
      proxy.once("swallowReply", "EVALSHA");
      const write = create("swallowed");
      const sent = store.write(write);
      await expect.poll(async () => (await other.read(write.key)).entry).toBeDefined();
      clock.pass(TIMEOUT_MS);
      expect(await sent).toMatchObject({ outcome: "unknown" });
      expect(await other.write(write)).toMatchObject({ outcome: "applied", replayed: true });
      proxy.cut();
    });

    test("a killed server loses nothing that was applied, and revisions go on", async () => {
      const key = "killed";
      const stores = await openMany(kind, server.port, 8);
      const running = appendFromAll(stores, { key, each: 12 });
      for (let kill = 0; kill < 2; kill += 1) {
        await sleep(100);
        server.kill("SIGKILL");
        await server.restart();
      }
      const log = await running;
      expect(log.applied.size).toBeGreaterThan(0);
      expect(await judgeAppends(await open(kind, server.port, PATIENT), key, log)).toEqual([]);
    });

    test("every call settles while the server is stopped", async () => {
      const stores = await openMany(kind, server.port, 4);
      const reached = () => Promise.all(stores.map((store) => store.read("stopped")));
      await expect.poll(reached).toHaveLength(4);
      server.kill("SIGSTOP");
      const calls = stores.flatMap((store) => [store.read("stopped"), store.write(create("s"))]);
      const settled = await Promise.allSettled(calls);
      server.kill("SIGCONT");
      for (const result of settled) {
        expect(result).toMatchObject(
          result.status === "rejected"
            ? { reason: { code: "unavailable" } }
            : { value: { outcome: "unknown" } },
        );
      }
      await expect.poll(() => stores[0]?.read("stopped")).toHaveProperty("now");
    });

    test("flushing the scripts again and again is not noticed", async () => {
      const key = "flushed";
      const stores = await openMany(kind, server.port, 6, PATIENT);
      const admin = await ioredisResending.open(server.port);
      opened.push(admin);
      const command = admin.client as { call(...args: string[]): Promise<unknown> };
      let flushing = true;
      const flushes = (async () => {
        while (flushing) await command.call("SCRIPT", "FLUSH");
      })();
      const log = await appendFromAll(stores, { key, each: 15 });
      flushing = false;
      await flushes;
      expect(log.doubtful.size).toBe(0);
      expect(log.applied.size).toBe(6 * 15);
      expect(await judgeAppends(await open(kind, server.port, PATIENT), key, log)).toEqual([]);
    });

    test("a write to a server that is not there certainly did nothing", async () => {
      const store = await open(kind, proxy.port, PATIENT);
      const gone = await startTcpProxy(server.port);
      const lost = await open(kind, gone.port);
      await expect.poll(() => lost.read("k")).toHaveProperty("now");
      await gone.close();
      await disconnected();
      await expect(lost.write(create("refused"))).rejects.toMatchObject({ code: "unavailable" });
      await expect(lost.read("refused")).rejects.toMatchObject({ code: "unavailable" });
      expect((await store.read("refused")).entry).toBeUndefined();
    });

    test("a client that was closed fails at once, and says that nothing was done", async () => {
      const store = await open(kind, server.port, ENDLESS);
      opened.at(-1)?.close();
      await disconnected();
      await expect(store.write(create("closed"))).rejects.toMatchObject({ code: "unavailable" });
    });
  });

  test("a client that sends again after a lost reply applies a write once", async () => {
    const store = await open(ioredisResending, proxy.port, PATIENT);
    await warmUp(await open(ioredisResending, server.port, PATIENT));
    proxy.once("loseReply", "EVALSHA");
    const result = await store.write(create("sent twice"));
    expect(result).toMatchObject({ outcome: "applied", replayed: true });
  });

  test.each([ioredisPlain, nodeRedis])(
    "with $name no error shows a key or a value",
    async (kind) => {
      const full = await startRedis({ args: ["--maxmemory-policy", "noeviction"] });
      try {
        const store = await open(kind, full.port, PATIENT);
        await warmUp(store);
        const admin = await ioredisResending.open(full.port);
        opened.push(admin);
        const command = admin.client as { call(...args: string[]): Promise<unknown> };
        await command.call("CONFIG", "SET", "maxmemory", "1");
        const next = { value: "SECRET VALUE", ttlMs: 1000 };
        const write = { key: "SECRET KEY", opId: newOpId(), expect: "absent", next } as const;
        const error: unknown = await store.write(write).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ code: "full" });
        expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("SECRET");
      } finally {
        await full.stop();
      }
    },
  );

  test("a full server certainly writes nothing, and still answers, replays and removes", async () => {
    const full = await startRedis({ args: ["--maxmemory-policy", "noeviction"] });
    try {
      const store = await open(nodeRedis, full.port, PATIENT);
      await warmUp(store);
      const write = create("before");
      const before = await store.write(write);
      const admin = await ioredisResending.open(full.port);
      opened.push(admin);
      const command = admin.client as { call(...args: string[]): Promise<unknown> };
      await command.call("CONFIG", "SET", "maxmemory", "1");
      await expect(store.write(create("after"))).rejects.toMatchObject({ code: "full" });
      expect(before).toMatchObject({ outcome: "applied" });
      expect(await store.write(write)).toMatchObject({ outcome: "applied", replayed: true });
      expect(await store.write(create("before"))).toMatchObject({ outcome: "refused" });
      const revision = before.outcome === "applied" ? before.revision : 0;
      const expected = { revision, opId: write.opId };
      const touch = { touch: true, ttlMs: 1000 } as const;
      await expect(
        store.write({ key: "before", opId: newOpId(), expect: expected, next: touch }),
      ).rejects.toMatchObject({ code: "full" });
      expect(
        await store.write({ key: "before", opId: newOpId(), expect: expected, next: "removed" }),
      ).toMatchObject({ outcome: "applied" });
      expect((await store.read("before")).entry).toBeUndefined();
    } finally {
      await full.stop();
    }
  });
});
