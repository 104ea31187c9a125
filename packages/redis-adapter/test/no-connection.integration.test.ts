// No connection, for each reason a first use has: what a call's cause and preflight say must be what
// the client itself said, and its `error` event must reach whom it reached before.
import { once } from "node:events";
import { createServer } from "node:net";
import { inspect } from "node:util";
import {
  createRedisStore,
  type Finding,
  formatPreflight,
  preflight,
  type RedisClient,
} from "@onceproof/redis-adapter";
import { missing, startRedis, type TestServer } from "@onceproof/test-servers";
import * as ioredis5 from "ioredis";
import * as ioredis6 from "ioredis6";
import * as redis5 from "redis";
import * as redis6 from "redis6";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";

const SECRET = "hunter2";
const UNHEARD = "ioredis without a listener";
const quiet = (): void => {};
const ioredis = [ioredis5, ioredis6 as unknown as typeof ioredis5] as const;
const nodeRedis = [redis5, redis6 as unknown as typeof redis5] as const;

/** How a client is opened, without waiting for its connection. */
type Open = (port: number, password?: string) => RedisClient;

const closers: (() => unknown)[] = [];

const openIoredis =
  (major: 0 | 1, listens: boolean): Open =>
  (port, password) => {
    const auth = password === undefined ? {} : { password };
    const client = new ioredis[major].Redis(port, "127.0.0.1", { ...auth });
    if (listens) client.on("error", quiet);
    closers.push(() => client.disconnect());
    return client;
  };

const openNode =
  (major: 0 | 1): Open =>
  (port, password) => {
    const auth = password === undefined ? {} : { password };
    const socket = { host: "127.0.0.1", port };
    const client = nodeRedis[major].createClient({ socket, ...auth });
    client.on("error", quiet);
    client.connect().catch(quiet);
    closers.push(() => client.isOpen && client.destroy());
    return client;
  };

const openPool: Open = (port, password) => {
  const auth = password === undefined ? {} : { password };
  const options = { socket: { host: "127.0.0.1", port }, ...auth };
  // Its cleaning throws where a client was never connected.
  const pool = redis5.createClientPool(options, { cleanupDelay: 2 ** 31 - 1 });
  pool.on("error", quiet);
  pool.connect().catch(quiet);
  closers.push(() => pool.isOpen && pool.destroy());
  return pool;
};

const openCluster: Open = (port) => {
  const client = new ioredis5.Cluster([{ host: "127.0.0.1", port }]);
  client.on("error", quiet);
  closers.push(() => client.disconnect());
  return client;
};

const KINDS: readonly (readonly [string, Open])[] = [
  ["ioredis 5", openIoredis(0, true)],
  ["ioredis 6", openIoredis(1, true)],
  ["node-redis 5", openNode(0)],
  ["node-redis 6", openNode(1)],
];

/** A port that nobody listens on. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

afterEach(() => {
  vi.restoreAllMocks();
  for (const close of closers.splice(0)) close();
});

/** What a read says once the client has said something, which may come later than the read's end. */
async function expectCause(client: RedisClient, cause: RegExp): Promise<string> {
  const store = createRedisStore({ client, operationTimeoutMs: 300, watch: false });
  let said = "";
  const read = async (): Promise<string> => {
    const error = await store.read("k").catch((error: unknown) => error);
    said = inspect(error);
    // For those who log the message alone.
    return String(error);
  };
  await expect.poll(read).toMatch(cause);
  return said;
}

async function unread(client: RedisClient, timeoutMs = 300): Promise<Finding> {
  const { findings, servers } = await preflight(client, { timeoutMs });
  expect(servers).toEqual([]);
  const fatal = findings.filter(({ severity }) => severity === "fatal");
  expect(fatal.map(({ id }) => id)).toEqual(["serverUnread"]);
  // Nothing else is said of a server that nobody has spoken to.
  expect(findings.filter(({ id }) => !/^client|^serverUnread/.test(id))).toEqual([]);
  return fatal[0] as Finding;
}

describe("where no server listens", () => {
  test.each([...KINDS, [UNHEARD, openIoredis(0, false)]] as const)(
    "%s says that it was refused",
    async (name, open) => {
      const printed = vi.spyOn(console, "error").mockImplementation(quiet);
      const client = open(await closedPort());
      await expectCause(client, /not connected within 300 ms: .*ECONNREFUSED/);
      expect(await unread(client)).toMatchObject({
        finding: expect.stringMatching(/: the client is not connected: .*ECONNREFUSED/),
        remedy: "start the server, or correct the client's host and port",
      });
      // What ioredis prints where nobody listens is still printed.
      expect(printed.mock.calls.length > 0).toBe(name === UNHEARD);
    },
  );

  test("an ioredis Cluster does not tell that it was refused, only that it has nothing", async () => {
    const client = openCluster(await closedPort());
    await expectCause(client, /not connected within 300 ms: Connection is closed/);
    expect(await unread(client)).toMatchObject({
      finding: "the cluster: the client is not connected: Connection is closed.",
      remedy: "see whether the servers are up, and host, port and password are right",
    });
  });

  test("a pool says so to preflight", async () => {
    const pool = openPool(await closedPort());
    await expect.poll(async () => (await unread(pool)).finding).toContain("ECONNREFUSED");
  });

  test("node-redis that gave up says why", async () => {
    const socket = {
      host: "127.0.0.1",
      port: await closedPort(),
      reconnectStrategy: false,
    } as const;
    const client = redis5.createClient({ socket });
    client.on("error", quiet);
    const store = createRedisStore({ client, watch: false });
    await expect(client.connect()).rejects.toThrow();
    expect(inspect(await store.read("k").catch((error: unknown) => error))).toMatch(
      /does not try to be: connect ECONNREFUSED/,
    );
    expect(await unread(client)).toMatchObject({
      finding: expect.stringMatching(/the client gave up connecting: connect ECONNREFUSED/),
      remedy: expect.stringContaining("then await client.connect()"),
    });
  });

  test("a process without an error listener still hears of it as before", async () => {
    const client = redis5.createClient({ socket: { reconnectStrategy: false } });
    createRedisStore({ client });
    expect(client.listenerCount("error")).toBe(0);
    expect(() => client.emit("error", new Error("nobody listens"))).toThrow("nobody listens");
  });
});

test.each([
  ["node-redis", () => redis5.createClient()],
  ["a pool", () => redis5.createClientPool({})],
  ["a cluster", () => redis5.createCluster({ rootNodes: [] })],
  [
    "a Sentinel client",
    () => redis5.createSentinel({ name: "m", sentinelRootNodes: [{ host: "h", port: 1 }] }),
  ],
])("%s that was never connected is told to be, and nothing else", async (_, create) => {
  const { finding } = await unread(create() as RedisClient);
  expect(finding).toMatch(/: the client is not connected: await client\.connect\(\)$/);
});

describe.skipIf(missing("redis"))("where the server does not take the client", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRedis();
    const admin = new ioredis5.Redis(server.port, "127.0.0.1");
    await admin.config("SET", "requirepass", SECRET);
    admin.disconnect();
  });
  afterAll(() => server.stop());

  test.each(KINDS)("%s with a wrong password says so, and gives none away", async (_, open) => {
    const client = open(server.port, "guess-4711");
    const first = await expectCause(client, /not connected within 300 ms: .*WRONGPASS/);
    const second = await unread(client, 60_000);
    expect(second).toMatchObject({
      finding: expect.stringContaining("WRONGPASS"),
      remedy: expect.stringContaining("correct the client's username and password"),
    });
    expect(first + JSON.stringify(second)).not.toContain("guess-4711");
  });

  test("ioredis without a listener does not tell, and the remedy is to give it one", async () => {
    vi.spyOn(console, "error").mockImplementation(quiet);
    expect(await unread(openIoredis(0, false)(server.port, "guess-4711"))).toMatchObject({
      finding: expect.stringContaining("not connected after 300 ms, and does not say why"),
      remedy: expect.stringContaining("`error` listener"),
    });
  });

  test.each(KINDS)("%s without a password is told to give it", async (_, open) => {
    const client = open(server.port);
    await expectCause(client, /NOAUTH/);
    expect(await unread(client, 60_000)).toMatchObject({
      finding: expect.stringContaining("NOAUTH"),
      remedy: "give the client the server's password",
    });
  });

  test("once connected, the old error is forgotten", async () => {
    const client = openIoredis(0, true)(server.port, SECRET) as ioredis5.Redis;
    client.emit("error", new Error("old"));
    await once(client, "ready");
    const store = createRedisStore({ client, operationTimeoutMs: 20_000 });
    expect(await store.read("k")).not.toHaveProperty("entry");
    client.disconnect();
    await once(client, "end");
    expect(inspect(await store.read("k").catch((error: unknown) => error))).not.toContain("old");
  });
});

describe("arguments that are something else", () => {
  const wrong = { name: "ArgumentError", code: "optionInvalid" };

  test.each([[undefined], [null], [{}], [Promise.resolve()], ["redis://localhost"]])(
    "preflight of %o",
    async (target) => {
      await expect(preflight(target as never)).rejects.toMatchObject(wrong);
    },
  );

  test.each([[undefined], [{}], [Promise.resolve()]])("formatPreflight of %o", (report) => {
    expect(() => formatPreflight(report as never)).toThrow(expect.objectContaining(wrong));
  });

  test("a client where options should be", () => {
    for (const client of [new ioredis5.Redis({ lazyConnect: true }), redis5.createClient()]) {
      expect(() => createRedisStore(client as never)).toThrow("createRedisStore({ client })");
    }
  });
});
