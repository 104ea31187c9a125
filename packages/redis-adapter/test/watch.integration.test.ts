// Watches on a real Redis: waiters look few times and are woken by what another client writes; and
// they end right where no notification ever arrives.
import { createDedup, createLock } from "@onceproof/core";
import { type Runtime, systemRuntime, type WatchableStore } from "@onceproof/core/advanced";
import { createRedisStore, type Finding, type RedisStoreOptions } from "@onceproof/redis-adapter";
import { type CallCounter, countCalls } from "@onceproof/simulator";
import {
  missing,
  newOpId,
  raceDedup,
  startRedis,
  startTcpProxy,
  type TestServer,
} from "@onceproof/test-servers";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ClientKind, ioredisPlain, nodeRedis, type OpenClient } from "./support/clients.js";
import { warmUp } from "./support/warm-up.js";

const KINDS = [ioredisPlain, nodeRedis];
// The core looks again after at most a second by itself. Timers from here on never fire below, so
// that a test which ends was ended by a notification.
const POLLING_MS = 500;

/** Never polls, and draws the longest pause each time. */
const withoutPolling: Runtime = {
  ...systemRuntime,
  setTimer: (callback, ms, background) =>
    ms < POLLING_MS ? systemRuntime.setTimer(callback, ms, background) : () => {},
  randomBytes: (length) =>
    length === 2 ? Uint8Array.of(255, 255) : systemRuntime.randomBytes(length),
};

describe.skipIf(missing("redis"))("watches on a real Redis", () => {
  let server: TestServer;
  let admin: Redis;
  const opened: OpenClient[] = [];

  beforeAll(async () => {
    server = await startRedis();
    admin = new Redis(server.port, "127.0.0.1", { maxRetriesPerRequest: null });
    admin.on("error", () => {});
  });
  afterEach(() => {
    for (const { close } of opened.splice(0)) close();
  });
  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });

  async function open(
    kind: ClientKind,
    options: Partial<RedisStoreOptions> = {},
    port = server.port,
  ): Promise<WatchableStore> {
    const client = await kind.open(port);
    opened.push(client);
    return createRedisStore({ client: client.client, ...options, watch: true });
  }

  test("what is no key is refused with a code", async () => {
    const store = await open(ioredisPlain);
    const { signal } = new AbortController();
    await expect(store.watch(1 as never, signal)).rejects.toMatchObject({ code: "keyNotString" });
  });

  const subscribers = async (): Promise<number> =>
    String(await admin.client("LIST", "TYPE", "PUBSUB")).match(/^id=/gm)?.length ?? 0;
  const published = async (): Promise<number> =>
    Number(/cmdstat_spublish:calls=(\d+)/.exec(await admin.info("commandstats"))?.[1] ?? 0);

  /** Creates an entry and returns what writes the key again, from another client. */
  async function entry(
    key: string,
  ): Promise<(next: "value" | "touch" | "removed") => Promise<void>> {
    const store = await open(ioredisPlain);
    let opId = newOpId();
    const result = await store.write({
      key,
      opId,
      expect: "absent",
      next: { value: "v", ttlMs: 60_000 },
    });
    let stamp = { revision: result.outcome === "applied" ? result.revision : 0, opId };
    return async (next) => {
      opId = newOpId();
      const ttlMs = 60_000;
      const then =
        next === "removed"
          ? next
          : next === "touch"
            ? ({ touch: true, ttlMs } as const)
            : ({ value: "w", ttlMs } as const);
      const again = await store.write({ key, opId, expect: stamp, next: then });
      expect(again).toMatchObject({ outcome: "applied" });
      stamp = { revision: again.outcome === "applied" ? again.revision : 0, opId };
    };
  }

  /** Resolves when every waiter has looked and, subscribed, has nothing left to do but wait. */
  async function waiting(waiters: readonly CallCounter<WatchableStore>[]): Promise<void> {
    let before = -1;
    const still = (): boolean => {
      const [last, now] = [before, waiters.reduce((sum, each) => sum + each.counts().read, 0)];
      before = now;
      return last === now && waiters.every((each) => each.counts().read > 0);
    };
    await expect.poll(still, { interval: 100, timeout: 10_000 }).toBe(true);
  }

  /** A watch that is known to be subscribed: the first settles when its subscription takes effect. */
  async function subscribed(store: WatchableStore, key: string): Promise<{ woken: Promise<void> }> {
    const { signal } = new AbortController();
    await store.watch(key, signal);
    return { woken: store.watch(key, signal) };
  }

  test("a waiter of dedup is woken by the outcome: one write and at most three reads", async () => {
    const key = newOpId();
    const runner = createDedup({ store: await open(ioredisPlain), name: "d", onCrash: "park" });
    let finish = (_: string): void => {};
    const work = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const running = runner.run(key, () => work);
    const stores = await Promise.all([...KINDS, ...KINDS].map((kind) => open(kind)));
    const waiters = stores.flatMap((store) => Array.from({ length: 8 }, () => countCalls(store)));
    const waits = waiters.map(({ store }) =>
      createDedup({
        store,
        name: "d",
        onCrash: "park",
        waitMs: 60_000,
        runtime: withoutPolling,
      }).run(key, () => "ran again"),
    );
    await expect
      .poll(() => waiters.every((each) => each.counts().read > 0), { timeout: 10_000 })
      .toBe(true);
    finish("done");
    expect(await running).toBe("done");
    expect(await Promise.all(waits)).toEqual(waits.map(() => "done"));
    expect(Math.max(...waiters.map((each) => each.counts().read))).toBeLessThanOrEqual(3);
    expect(new Set(waiters.map((each) => each.counts().write))).toEqual(new Set([1]));
  });

  test.each(KINDS)(
    "with $name a waiter for a lock is woken by the release: two writes and at most three reads",
    async (kind) => {
      const resource = newOpId();
      const options = { name: "l", waitMs: 60_000 };
      const holder = await createLock({ store: await open(ioredisPlain), ...options }).acquire(
        resource,
      );
      const waiter = countCalls(await open(kind));
      const acquiring = createLock({
        ...options,
        store: waiter.store,
        runtime: withoutPolling,
      }).acquire(resource);
      await waiting([waiter]);
      await holder.release();
      const held = await acquiring;
      expect(held.token).toBeGreaterThan(holder.token);
      expect(waiter.counts().read).toBeLessThanOrEqual(3);
      expect(waiter.counts().write).toBe(2);
      await held.release();
    },
  );

  test.each(KINDS)(
    "with $name a watch settles when another client replaces or removes the entry",
    async (kind) => {
      const store = await open(kind);
      const key = newOpId();
      const write = await entry(key);
      let { woken } = await subscribed(store, key);
      for (const next of ["value", "value", "removed"] as const) {
        await write(next);
        await woken;
        woken = store.watch(key, new AbortController().signal);
      }
    },
  );

  test.each(KINDS)(
    "with $name a removal wakes the first in line, and the others a while later; a value wakes all",
    async (kind) => {
      const later: (() => void)[] = [];
      const runtime: Runtime = {
        ...systemRuntime,
        setTimer(callback, ms, background) {
          if (background === true) later.push(callback);
          return background === true ? () => {} : systemRuntime.setTimer(callback, ms);
        },
      };
      const store = await open(kind, { runtime });
      const key = newOpId();
      const write = await entry(key);
      const { signal } = new AbortController();
      await store.watch(key, signal);
      await Promise.all([store.watch(key, signal), store.watch(key, signal), write("value")]);
      const woken: number[] = [];
      later.length = 0;
      const watches = [0, 1, 2].map((place) =>
        store.watch(key, signal).then(() => woken.push(place)),
      );
      await write("removed");
      await watches[0];
      // Whatever was told with it has come by now, on the same connection.
      await store.watch("another", signal);
      expect(woken).toEqual([0]);
      expect(later).toHaveLength(1);
      later[0]?.();
      await Promise.all(watches);
      expect(woken).toEqual([0, 1, 2]);
    },
  );

  test("a key with any characters, and a client with a prefix of its own, are watched", async () => {
    const prefixed = (): Promise<OpenClient> => {
      const client = new Redis(server.port, "127.0.0.1", { keyPrefix: "own:" });
      client.on("error", () => {});
      return Promise.resolve({ client, close: () => client.disconnect() });
    };
    for (const kind of [nodeRedis, { name: "with a prefix", open: prefixed }]) {
      for (const key of ["é \u{1F600} {}", "\0\r\n", "x".repeat(1000)]) {
        const [writer, watcher] = [await open(kind), await open(kind)];
        const opId = newOpId();
        const next = { value: "v", ttlMs: 60_000 } as const;
        const made = await writer.write({ key, opId, expect: "absent", next });
        const { woken } = await subscribed(watcher, key);
        const revision = made.outcome === "applied" ? made.revision : 0;
        const expected = { revision, opId };
        await writer.write({ key, opId: newOpId(), expect: expected, next: "removed" });
        await woken;
      }
    }
  });

  test("what nobody waits for is not told: creates, renewals, refusals, and a store without", async () => {
    const key = newOpId();
    await admin.config("RESETSTAT");
    const write = await entry(key);
    await write("touch");
    expect(await published()).toBe(0);
    await write("value");
    expect(await published()).toBe(1);
    const client = await ioredisPlain.open(server.port);
    opened.push(client);
    const silent = createRedisStore({ client: client.client, watch: false });
    expect("watch" in silent).toBe(false);
    const stamp = (await silent.read(key)).entry?.stamp ?? { revision: 0, opId: "" };
    await silent.write({
      key,
      opId: newOpId(),
      expect: stamp,
      next: { value: "x", ttlMs: "keep" },
    });
    await silent.write({ key, opId: newOpId(), expect: stamp, next: "removed" });
    expect(await published()).toBe(1);
  });

  describe.each(KINDS)("the extra connection with $name", (kind) => {
    test("opens with the first watch, is shared, and closes with the last store", async () => {
      await expect.poll(subscribers).toBe(0);
      const client = await kind.open(server.port);
      opened.push(client);
      const stores = ["a", "b"].map((keyPrefix) =>
        createRedisStore({ client: client.client, keyPrefix }),
      );
      const [a, b] = stores as unknown as [WatchableStore, WatchableStore];
      await a.read("k");
      expect(await subscribers()).toBe(0);
      const watches = [await subscribed(a, "k"), await subscribed(b, "k")];
      expect(await subscribers()).toBe(1);
      await a.close();
      await watches[0]?.woken;
      expect(await subscribers()).toBe(1);
      await b.close();
      await watches[1]?.woken;
      await expect.poll(subscribers).toBe(0);
      await a.watch("k", new AbortController().signal);
      // The client is the user's, and takes any command.
      expect(await createRedisStore({ client: client.client }).read("k")).toHaveProperty("now");
    });

    test("ends with the user's client, though no store was closed", async () => {
      await expect.poll(subscribers).toBe(0);
      const { woken } = await subscribed(await open(kind), "k");
      expect(await subscribers()).toBe(1);
      opened.at(-1)?.close();
      await woken;
      await expect.poll(subscribers).toBe(0);
    });

    test("wakes everybody when it is lost, and the next watch opens another", async () => {
      const key = newOpId();
      const store = await open(kind);
      const write = await entry(key);
      const watches = [await subscribed(store, key), await subscribed(store, "other")];
      await admin.client("KILL", "TYPE", "PUBSUB");
      await Promise.all(watches.map(({ woken }) => woken));
      const again = await subscribed(store, key);
      await write("value");
      await again.woken;
    });

    test("outlasts a restart of the server", async () => {
      const key = newOpId();
      const store = await open(kind, { operationTimeoutMs: 10_000 });
      const write = await entry(key);
      const { woken } = await subscribed(store, key);
      server.kill("SIGKILL");
      await woken;
      // Nobody answers: this one waits, and is not settled by the attempts to reach the server.
      const controller = new AbortController();
      const vain = store.watch(key, controller.signal);
      await server.restart();
      controller.abort();
      await vain;
      await store.read(key);
      const reached = async (): Promise<boolean> => {
        const { signal } = new AbortController();
        const settled = store.watch(key, signal).then(() => true);
        return Promise.race([settled, new Promise<false>((no) => setTimeout(no, 300, false))]);
      };
      await expect.poll(reached, { timeout: 10_000 }).toBe(true);
      const again = store.watch(key, controller.signal);
      await write("value");
      await again;
    });

    test("keeps few idle channels, however many keys were watched", async () => {
      const store = await open(kind, { keyPrefix: "idle" });
      for (let id = 0; id < 200; id += 1) {
        await store.watch(`k${id}`, new AbortController().signal);
      }
      const channels = async (): Promise<number> =>
        ((await admin.call("PUBSUB", "SHARDCHANNELS", "idle|*")) as unknown[]).length;
      await expect.poll(channels).toBeLessThanOrEqual(64);
    });
  });

  describe("where no notification arrives", () => {
    async function expectRight(stores: readonly WatchableStore[]): Promise<void> {
      const race = { key: newOpId(), callers: 12, workMs: 60 };
      const { effects, values } = await raceDedup(stores, race);
      expect(effects).toBe(1);
      expect(values).toEqual(Array(race.callers).fill(values[0]));
    }

    test("since the network swallows them, waiters end right", async () => {
      const proxy = await startTcpProxy(server.port);
      let swallowed = 0;
      proxy.addRule((chunk) => {
        if (!/ssubscribe/i.test(chunk.toString("latin1"))) return undefined;
        swallowed += 1;
        return "swallowReply";
      });
      await expectRight(await Promise.all(KINDS.map((kind) => open(kind, {}, proxy.port))));
      expect(swallowed).toBeGreaterThan(0);
      await proxy.close();
    });

    test("since the user may not use channels, writes apply, waiters end right, and it is told", async () => {
      await admin.acl("SETUSER", "mute", "on", ">pw", "~*", "resetchannels", "+@all");
      const client = new Redis(server.port, "127.0.0.1", { username: "mute", password: "pw" });
      opened.push({ client, close: () => client.disconnect() });
      const findings: Finding[] = [];
      const onWarning = (finding: Finding): void => {
        findings.push(finding);
        throw new Error("a listener that fails");
      };
      const store = createRedisStore({ client, onWarning });
      // Each kind of write, and each told as applied.
      await warmUp(store);
      await expectRight([store]);
      expect(findings).toMatchObject([{ id: "watchUnavailable", severity: "warning" }]);
      expect(findings[0]?.finding).toContain("NOPERM");
    });

    test("since the client can't be copied, waiters end right, and it is told", async () => {
      const client = new Redis(server.port, "127.0.0.1");
      opened.push({ client, close: () => client.disconnect() });
      Object.assign(client, { duplicate: undefined });
      const findings: Finding[] = [];
      const store = createRedisStore({ client, onWarning: (finding) => findings.push(finding) });
      await expectRight([store]);
      expect(findings).toMatchObject([{ id: "watchUnavailable" }]);
    });
  });
});
