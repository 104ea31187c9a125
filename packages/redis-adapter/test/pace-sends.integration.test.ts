// Store calls that are made together leave a node-redis 6 client in portions, and what still waits for
// its turn when its time, the connection or the client ends was certainly not done.
import { Socket } from "node:net";
import { systemRuntime } from "@onceproof/core/advanced";
import { createRedisStore, type RedisClient, type RedisStore } from "@onceproof/redis-adapter";
import { missing, newOpId, startRedis, type TestServer } from "@onceproof/test-servers";
import * as redis5 from "redis";
import * as redis6Module from "redis6";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";

const redis6 = redis6Module as unknown as typeof redis5;
const AT_MOST = 32;

let server: TestServer;
beforeAll(async () => {
  if (!missing("redis")) server = await startRedis({ args: ["--appendonly", "no"] });
});
afterAll(() => server?.stop());
afterEach(() => {
  vi.restoreAllMocks();
});

/** The sockets that passed something on to the system, once for each time. */
function watchWrites(): () => readonly Socket[] {
  const socket = Socket.prototype as unknown as { _write(): void; _writev(): void };
  const single = vi.spyOn(socket, "_write");
  const several = vi.spyOn(socket, "_writev");
  return () => [...single.mock.contexts, ...several.mock.contexts] as unknown as Socket[];
}

let keys = 0;
function write(store: RedisStore) {
  keys += 1;
  const next = { value: "v", ttlMs: "never" } as const;
  const key = `k${keys}`;
  return { key, result: store.write({ key, opId: newOpId(), expect: "absent", next }) };
}

/** So many writes in one turn: those that are sent in it, and the one that waits for the next. */
function writeOneTooMany(store: RedisStore) {
  const inTime = Array.from({ length: AT_MOST }, () => write(store).result);
  return { inTime: Promise.all(inTime), waiting: write(store) };
}

async function open({ createClient }: typeof redis5) {
  const client = createClient({ socket: { host: "127.0.0.1", port: server.port } });
  client.on("error", () => {});
  await client.connect();
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      if (client.isOpen) client.destroy();
    },
  };
}

async function storeOf(client: object, options: object = {}): Promise<RedisStore> {
  const store = createRedisStore({ client: client as RedisClient, watch: true, ...options });
  // The first call waits until the server has been looked at, and brings the script.
  await write(store).result;
  return store;
}

const applied = expect.objectContaining({ outcome: "applied" });

describe.skipIf(missing("redis"))("node-redis 6", () => {
  test("thirty-two at once are one write, and one after another one each", async () => {
    await using opened = await open(redis6);
    const store = await storeOf(opened.client);
    const writes = watchWrites();
    const results = Array.from({ length: 2 * AT_MOST + 1 }, () => write(store).result);
    expect(await Promise.all(results)).toEqual(results.map(() => applied));
    expect(writes()).toHaveLength(3);
    await write(store).result;
    await write(store).result;
    expect(writes()).toHaveLength(5);
  });

  test("what waits when its time ends is never sent, and told as not done", async () => {
    await using opened = await open(redis6);
    const timers: (() => void)[] = [];
    const setTimer = (callback: () => void): (() => void) => {
      timers.push(callback);
      return () => {};
    };
    const store = await storeOf(opened.client, { runtime: { ...systemRuntime, setTimer } });
    const { inTime, waiting } = writeOneTooMany(store);
    timers.at(-1)?.();
    await expect(waiting.result).rejects.toMatchObject({
      code: "unavailable",
      cause: { message: expect.stringMatching(/^not sent within/) },
    });
    expect(await inTime).toEqual(Array(AT_MOST).fill(applied));
    // Whatever was sent in the turns since then has been answered before this.
    expect(await store.read(waiting.key)).not.toHaveProperty("entry");
  });

  test("what waits when the connection is lost is sent over the next one", async () => {
    await using opened = await open(redis6);
    const store = await storeOf(opened.client);
    const writes = watchWrites();
    await write(store).result;
    const [socket] = writes();
    const { inTime, waiting } = writeOneTooMany(store);
    const sendCommand = vi.spyOn(opened.client, "sendCommand");
    let sentBefore: number | undefined;
    opened.client.once("ready", () => {
      sentBefore = sendCommand.mock.calls.length;
    });
    socket?.destroy(new Error("cut off"));
    expect(await waiting.result).toEqual(applied);
    expect(sentBefore).toBe(0);
    // node-redis keeps what it had not written yet.
    expect(await inTime).toEqual(Array(AT_MOST).fill(applied));
  });

  test("what waits when the client is closed was not done, and what was sent is answered", async () => {
    await using opened = await open(redis6);
    const { inTime, waiting } = writeOneTooMany(await storeOf(opened.client));
    const closed = opened.client.close();
    await expect(waiting.result).rejects.toMatchObject({ code: "unavailable" });
    expect(await inTime).toEqual(Array(AT_MOST).fill(applied));
    await closed;
  });

  test("what waits when the client is destroyed was not done, and what was sent is unknown", async () => {
    await using opened = await open(redis6);
    const { inTime, waiting } = writeOneTooMany(await storeOf(opened.client));
    opened.client.destroy();
    await expect(waiting.result).rejects.toMatchObject({ code: "unavailable" });
    expect(await inTime).toEqual(
      Array(AT_MOST).fill(expect.objectContaining({ outcome: "unknown" })),
    );
  });

  test("what was called before the store was closed is done", async () => {
    await using opened = await open(redis6);
    const store = await storeOf(opened.client);
    const { inTime, waiting } = writeOneTooMany(store);
    await store.close();
    expect(await waiting.result).toEqual(applied);
    expect(await inTime).toEqual(Array(AT_MOST).fill(applied));
  });
});

// Where a turn finds that the connection was lost in the one before, it would never connect again.
test.skipIf(missing("redis"))("node-redis 5 is given all of a turn in that turn", async () => {
  await using opened = await open(redis5);
  const store = await storeOf(opened.client);
  const writes = watchWrites();
  const { inTime, waiting } = writeOneTooMany(store);
  expect(await waiting.result).toEqual(applied);
  expect(await inTime).toEqual(Array(AT_MOST).fill(applied));
  expect(writes()).toHaveLength(1);
});
