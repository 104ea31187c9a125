// Preflight on real Redis servers set up well and badly: each finding is there when it should be and
// only then, and what may not be asked is a finding too.
import {
  createRedisStore,
  type Finding,
  formatPreflight,
  type PreflightReport,
  preflight,
  type RedisStoreOptions,
} from "@onceproof/redis-adapter";
import { missing, startRedis, type TestServer } from "@onceproof/test-servers";
import { Redis, type RedisOptions } from "ioredis";
import { createClient } from "redis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ioredisPlain, nodeRedis, type OpenClient } from "./support/clients.js";

const KINDS = [ioredisPlain, nodeRedis];
const GOOD = {
  "maxmemory-policy": "noeviction",
  maxmemory: "0",
  appendonly: "yes",
  appendfsync: "always",
  save: "",
  "no-appendfsync-on-rewrite": "no",
};

describe.skipIf(missing("redis"))("preflight on a real Redis", () => {
  let server: TestServer;
  let admin: Redis;
  const opened: OpenClient[] = [];

  beforeAll(async () => {
    server = await startRedis();
    admin = new Redis(server.port, "127.0.0.1");
    admin.on("error", () => {});
  });
  beforeEach(() => set(GOOD));
  afterEach(() => {
    for (const { close } of opened.splice(0)) close();
  });
  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });

  async function set(settings: Readonly<Record<string, string>>): Promise<void> {
    await admin.call("CONFIG", "SET", ...Object.entries(settings).flat());
  }

  async function look(
    options: Partial<RedisStoreOptions> = {},
    kind = ioredisPlain,
  ): Promise<PreflightReport> {
    const client = await kind.open(server.port);
    opened.push(client);
    return preflight(createRedisStore({ client: client.client, ...options, watch: true }));
  }

  /** As a user with these rights and no others. */
  function as(name: string, rights: readonly string[], options: RedisOptions = {}): Promise<Redis> {
    return admin.acl("SETUSER", name, "reset", "on", ">pw", ...rights).then(() => {
      const login = { username: name, password: "pw", enableReadyCheck: false, ...options };
      const client = new Redis(server.port, "127.0.0.1", login);
      client.on("error", () => {});
      opened.push({ client, close: () => client.disconnect() });
      return client;
    });
  }

  const ids = ({ findings }: PreflightReport): string[] =>
    findings.map(({ id, severity }) => `${severity} ${id}`);
  const find = ({ findings }: PreflightReport, id: Finding["id"]): Finding | undefined =>
    findings.find((finding) => finding.id === id);

  test.each(KINDS)(
    "with $name a server set up well has no findings, and plain data",
    async (kind) => {
      const report = await look({ durability: "durable" }, kind);
      expect(ids(report)).toEqual([]);
      expect(report).toMatchObject({
        fit: true,
        durability: { declared: "durable", found: "durable" },
        servers: [
          {
            address: `127.0.0.1:${server.port}`,
            role: "master",
            evictionPolicy: "noeviction",
            maxMemoryBytes: 0,
            appendonly: true,
            appendfsync: "always",
            snapshots: false,
            cluster: false,
            replicas: 0,
            minReplicasToWrite: 0,
          },
        ],
      });
      expect(JSON.parse(JSON.stringify(report))).toEqual(report);
      expect(await admin.dbsize()).toBe(0);
    },
  );

  test("an evicting policy is fatal, a warning where it is accepted or cannot evict yet", async () => {
    await set({ "maxmemory-policy": "volatile-lru", maxmemory: "100mb" });
    const refused = await look();
    expect(ids(refused)).toContain("fatal evictsRecords");
    expect(refused.fit).toBe(false);
    expect(find(refused, "evictsRecords")?.finding).toContain("volatile-lru");
    expect(ids(await look({ evictionAllowed: true }))).toContain("warning evictsRecords");
    await set({ maxmemory: "0" });
    const dormant = await look();
    expect(ids(dormant)).toContain("warning evictionDormant");
    expect(dormant.fit).toBe(true);
  });

  test("memory that is nearly used up is told", async () => {
    const used = Number(/used_memory:(\d+)/.exec(await admin.info("memory"))?.[1]);
    await set({ maxmemory: String(Math.round(used * 1.02)) });
    expect(ids(await look())).toContain("warning memoryNearlyFull");
  });

  test.each([
    [{ appendfsync: "everysec" }, "asynchronous"],
    [{ appendfsync: "no" }, "asynchronous"],
    [{ "no-appendfsync-on-rewrite": "yes" }, "asynchronous"],
    [{ appendonly: "no", save: "3600 1" }, "asynchronous"],
    [{ appendonly: "no" }, "process"],
  ])("durable that is declared and not set up is fatal: %o", async (settings, found) => {
    await set(settings);
    const report = await look({ durability: "durable" });
    expect(ids(report)).toContain("fatal durabilityOverstated");
    expect(report.durability).toEqual({ declared: "durable", found });
    expect(ids(await look()).includes("warning persistenceOff")).toBe(found === "process");
  });

  test("durable that is set up and not declared is told", async () => {
    expect(ids(await look())).toEqual(["info durabilityUnderstated"]);
  });

  test("without CONFIG, INFO is used as far as it goes, and what is unknown is told", async () => {
    await set({ "maxmemory-policy": "allkeys-lru", maxmemory: "100mb" });
    const client = await as("managed", ["~*", "&*", "+@all", "-config", "-acl"]);
    const store = createRedisStore({ client, durability: "durable" });
    const report = await preflight(store);
    expect(ids(report)).toEqual([
      "fatal evictsRecords",
      "warning durabilityUnread",
      "info clientResends",
    ]);
    expect(report.durability).toEqual({ declared: "durable" });
    expect(report.servers[0]).not.toHaveProperty("appendfsync");
    expect(report.servers[0]).toMatchObject({ appendonly: true, evictionPolicy: "allkeys-lru" });
  });

  test("without INFO and CONFIG everything unknown is told, and nothing is refused", async () => {
    const report = await preflight(await as("blind", ["~*", "&*", "+@all", "-info", "-config"]));
    expect(ids(report)).toEqual([
      "warning versionUnread",
      "warning evictionUnread",
      "info durabilityUnread",
      "info clientResends",
    ]);
    expect(report.fit).toBe(true);
  });

  test.each([
    "eval",
    "evalsha",
    "set",
    "get",
    "getrange",
    "setrange",
    "expireat",
    "persist",
    "time",
  ])("a user who may not run %s is told so, and nothing was written", async (command) => {
    const report = await preflight(await as("some", ["~*", "&*", "+@all", `-${command}`]));
    const denied = report.findings.filter(({ id }) => id === "permissionMissing");
    expect(denied).toHaveLength(1);
    expect(denied[0]).toMatchObject({ severity: "fatal" });
    expect(denied[0]?.finding).toContain(`${command.toUpperCase()} is not permitted`);
    expect(await admin.dbsize()).toBe(0);
  });

  test("a user of other keys is told so", async () => {
    const report = await preflight(await as("elsewhere", ["~other|*", "&*", "+@all"]));
    expect(report.fit).toBe(false);
    expect(ids(report)).toContain("fatal permissionMissing");
  });

  test("WAIT is asked for only where replicas are waited for", async () => {
    const client = await as("hasty", ["~*", "&*", "+@all", "-wait"]);
    expect(ids(await preflight(client))).not.toContain("fatal permissionMissing");
    const report = await preflight(createRedisStore({ client, waitReplicas: 1 }));
    expect(ids(report)).toEqual(
      expect.arrayContaining(["fatal permissionMissing", "fatal replicasTooFew"]),
    );
  });

  test("a user without channels cannot be woken, and all else works", async () => {
    const client = await as("mute", ["~*", "resetchannels", "+@all"]);
    const report = await preflight(client);
    expect(ids(report)).toEqual(
      expect.arrayContaining(["warning permissionMissing", "warning watchUnavailable"]),
    );
    expect(report.fit).toBe(true);
    const without = await preflight(createRedisStore({ client, watch: false }));
    expect(ids(without)).not.toContain("warning watchUnavailable");
    expect(ids(without)).not.toContain("warning permissionMissing");
  });

  test("the rights that a remedy names are enough", async () => {
    const denied = find(await preflight(await as("nobody", ["~*", "+ping"])), "permissionMissing");
    const rights = /ACL: (.*)$/.exec(denied?.remedy ?? "")?.[1] ?? "";
    const report = await preflight(await as("named", rights.split(" ")));
    expect(report.findings.filter(({ severity }) => severity === "fatal")).toEqual([]);
    expect(ids(report)).not.toContain("warning watchUnavailable");
    expect(ids(report)).not.toContain("warning permissionMissing");
  });

  test("a master with replicas, and a replica, are told", async () => {
    const args = ["--replicaof", `127.0.0.1 ${server.port}`];
    const replica = await startRedis({ args });
    try {
      await expect.poll(() => admin.info("replication")).toContain("connected_slaves:1");
      expect(ids(await look())).toContain("warning replicasNotAwaited");
      expect(ids(await look({ waitReplicas: 1 }))).not.toContain("warning replicasNotAwaited");
      expect(ids(await look({ waitReplicas: 2 }))).toContain("fatal replicasTooFew");
      const client = new Redis(replica.port, "127.0.0.1");
      opened.push({ client, close: () => client.disconnect() });
      expect(ids(await preflight(client))).toContain("fatal serverIsReplica");
    } finally {
      await replica.stop();
    }
  });

  test("a cluster behind a client of one server is told", async () => {
    const node = await startRedis({ args: ["--cluster-enabled", "yes"] });
    const client = new Redis(node.port, "127.0.0.1");
    try {
      expect(ids(await preflight(client))).toContain("fatal clusterThroughSingleClient");
    } finally {
      client.disconnect();
      await node.stop();
    }
  });

  test("settings of the client that make answers unknown are told", async () => {
    const ioredis = new Redis(server.port, "127.0.0.1", {
      retryStrategy: null as unknown as () => null,
      commandTimeout: 1500,
      maxRetriesPerRequest: 3,
      enableOfflineQueue: false,
      lazyConnect: true,
    });
    await ioredis.connect();
    opened.push({ client: ioredis, close: () => ioredis.disconnect() });
    const first = await preflight(ioredis);
    expect(ids(first)).toEqual([
      "warning clientNeverReconnects",
      "warning clientTimeoutShort",
      "info clientResends",
    ]);
    expect(first.client).toEqual({
      library: "ioredis",
      settings: {
        autoResendUnfulfilledCommands: true,
        commandTimeout: 1500,
        enableOfflineQueue: false,
        maxRetriesPerRequest: 3,
        retryStrategy: null,
      },
    });
    const socket = { host: "127.0.0.1", port: server.port, reconnectStrategy: false } as const;
    const options = {
      socket,
      commandsQueueMaxLength: 100,
      disableOfflineQueue: true,
      RESP: 3,
    } as const;
    const node = await createClient(options).connect();
    opened.push({ client: node, close: () => node.destroy() });
    const second = await preflight(node);
    expect(ids(second)).toEqual(["warning clientNeverReconnects", "warning clientQueueBounded"]);
    expect(second.client).toMatchObject({ library: "node-redis", settings: { RESP: 3 } });
    const reader = new Redis(server.port, "127.0.0.1", { readOnly: true, lazyConnect: true });
    expect(ids(await preflight(reader))).toEqual(["fatal clientReadsFromReplicas"]);
  });

  test("a server that does not answer is a finding in time, not a failure", async () => {
    const client = new Redis(1, "127.0.0.1", { lazyConnect: true });
    client.on("error", () => {});
    opened.push({ client, close: () => client.disconnect() });
    const report = await preflight(client, { timeoutMs: 200 });
    expect(ids(report)).toEqual(["fatal serverUnread", "info clientResends"]);
  });

  test("the text names verdict, servers, findings and remedies, the worst first", async () => {
    await set({ "maxmemory-policy": "allkeys-lru", maxmemory: "100mb" });
    const text = formatPreflight(await look());
    expect(text.split("\n")).toEqual([
      expect.stringMatching(
        /^preflight: not fit \(1 fatal, 0 warning, 1 info\): 127\.0\.0\.1:\d+ \((redis|valkey) \d.*\)$/,
      ),
      expect.stringMatching(
        /^fatal {3}evictsRecords: 127\.0\.0\.1:\d+: maxmemory-policy allkeys-lru/,
      ),
      "        -> set maxmemory-policy noeviction",
      expect.stringMatching(/^info {4}durabilityUnderstated: /),
      expect.stringMatching(/^ {8}-> /),
    ]);
  });
});
