// `waitReplicas` on a real master with a replica: an applied write is told only once the replica holds
// it, whichever client asks and whatever becomes of its connections.
import { createRedisStore, type RedisStore } from "@onceproof/redis-adapter";
import {
  fieldsOf,
  missing,
  newOpId,
  type RedisCluster,
  type RedisSentinel,
  redisCommand,
  startRedisCluster,
  startRedisSentinel,
  startTcpProxy,
  startValkey,
  type TcpProxy,
  type TestServer,
  until,
} from "@onceproof/test-servers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  CLUSTERS,
  ioredis6Resending,
  ioredisPlain,
  ioredisResending,
  nodeRedis,
  nodeRedis6,
  type OpenClient,
  POOLS,
  SENTINELS,
} from "./support/clients.js";

// Short, for the replica that does not acknowledge; long, for the one that does, on a busy machine.
const WAIT = { waitReplicas: 1, waitReplicasMs: 100, operationTimeoutMs: 3000 } as const;
const PATIENT = { ...WAIT, waitReplicasMs: 2000 } as const;

describe.skipIf(missing("redis"))("waiting for replicas", () => {
  let group: RedisSentinel;
  let cluster: RedisCluster;
  let master: TestServer;
  let opened: OpenClient[] = [];
  beforeAll(async () => {
    [group, cluster] = await Promise.all([
      startRedisSentinel({ replicas: 1, downAfterMs: 60_000 }),
      startRedisCluster({ replicasEach: 1, nodeTimeoutMs: 60_000 }),
    ]);
    master = await group.master();
  });
  afterEach(() => {
    for (const { close } of opened) close();
    opened = [];
  });
  afterAll(async () => {
    await Promise.all([group.stop(), cluster.stop()]);
  });

  const kinds = [
    ...[ioredisResending, ioredis6Resending, nodeRedis, nodeRedis6, ...POOLS].map((kind) => ({
      name: kind.name,
      replicas: () => group.servers.slice(1),
      open: () => kind.open(master.port),
    })),
    ...SENTINELS.map((kind) => ({
      name: kind.name,
      replicas: () => group.servers.slice(1),
      open: () => kind.open(group.sentinelPorts),
    })),
    ...CLUSTERS.map((kind) => ({
      name: kind.name,
      replicas: () => cluster.replicas,
      open: () => kind.open(cluster.ports),
    })),
  ];

  async function storesOf(open: () => Promise<OpenClient>): Promise<[RedisStore, RedisStore]> {
    const client = await open();
    opened.push(client);
    return [
      createRedisStore({ ...WAIT, client: client.client }),
      createRedisStore({ ...PATIENT, client: client.client }),
    ];
  }
  const create = (key: string) =>
    ({ key, opId: newOpId(), expect: "absent", next: { value: "v", ttlMs: 60_000 } }) as const;
  const both = (name: string) => ({
    opId: newOpId(),
    writes: ["a", "b"].map((key) => {
      const next = { value: "v", ttlMs: 60_000 };
      return { key: `{${name}}${key}`, expect: "absent" as const, next };
    }),
  });

  describe.each(kinds)("with $name", ({ name, open, replicas }) => {
    test("a write is applied while the replica acknowledges, and unknown while it does not", async () => {
      // Both now: a stopped replica may be the one that a cluster's client asks for the way.
      const [store, patient] = await storesOf(open);
      const [another, patientToo] = await storesOf(open);
      const applied = create(`acknowledged ${name}`);
      expect(await patient.write(applied)).toMatchObject({ outcome: "applied", replayed: false });
      expect(await patient.writeAll(both(`acknowledged ${name}`))).toMatchObject({
        outcome: "applied",
        replayed: false,
      });

      for (const server of replicas()) server.kill("SIGSTOP");
      const write = create(`alone ${name}`);
      const alone = both(`alone ${name}`);
      const unknown = {
        outcome: "unknown",
        cause: { message: expect.stringMatching(/only 0 of 1 replicas/) },
      };
      expect(await store.write(write)).toMatchObject(unknown);
      // It stands on the master; whoever asks again waits again, also on a connection of its own.
      expect((await store.read(write.key)).entry?.stamp.opId).toBe(write.opId);
      expect(await another.write(write)).toMatchObject(unknown);
      expect(await store.writeAll(alone)).toMatchObject(unknown);
      expect(await another.writeAll(alone)).toMatchObject(unknown);
      // What is refused waits for nobody.
      expect(await store.write(create(write.key))).toMatchObject({ outcome: "refused" });

      for (const server of replicas()) server.kill("SIGCONT");
      const told = { outcome: "applied", replayed: true };
      expect(await patientToo.write(write)).toMatchObject(told);
      expect(await patientToo.writeAll(alone)).toMatchObject(told);
      expect((await store.read(write.key)).entry?.value).toBe("v");
    });
  });

  describe.each(kinds.filter(({ name }) => !name.includes("6")))("with $name", (kind) => {
    const { name, open, replicas } = kind;
    test("while a replica is missing, writes share their waits and reads are answered", async () => {
      const client = await open();
      opened.push(client);
      const options = { waitReplicas: 1, waitReplicasMs: 500, operationTimeoutMs: 2500 };
      const store = createRedisStore({ ...options, client: client.client });
      await store.read(`{shared ${name}}`);
      const waits = await countWaits();
      for (const server of replicas()) server.kill("SIGSTOP");
      try {
        const keys = Array.from({ length: 12 }, (_, index) => `{shared ${name}}${index}`);
        const writes = keys.map((key) => store.write(create(key)));
        const results = await Promise.all([...writes, ...keys.map((key) => store.read(key))]);
        for (const result of results.slice(0, keys.length)) {
          expect(result).toMatchObject({ outcome: "unknown" });
        }
        expect(results.slice(keys.length).every((result) => "now" in result)).toBe(true);
        // Only what applied while another waits has to wait for the next. node-redis' Sentinel client
        // sends what begins at once one after the other, so there some come too late for each.
        const most = name === "node-redis 5 by Sentinel" ? keys.length - 1 : 3;
        expect((await countWaits()) - waits).toBeLessThanOrEqual(most);
      } finally {
        for (const server of replicas()) server.kill("SIGCONT");
      }
    });
  });

  /** How many times any master was asked to wait. */
  async function countWaits(): Promise<number> {
    const stats = await Promise.all(
      [master, ...cluster.masters].map(({ port }) => redisCommand(port, "INFO", "commandstats")),
    );
    return stats
      .map((each) => Number(/cmdstat_wait:calls=(\d+)/.exec(String(each))?.[1] ?? 0))
      .reduce((sum, calls) => sum + calls);
  }

  test("it costs one WAIT for what applies, and nothing for what does not", async () => {
    const [, store] = await storesOf(() => ioredisPlain.open(master.port));
    await store.write(create("counted before"));
    await redisCommand(master.port, "CONFIG", "RESETSTAT");
    const write = create("counted");
    await store.write(write);
    await store.write(create("counted"));
    await store.read("counted");
    const stats = String(await redisCommand(master.port, "INFO", "commandstats"));
    const calls = (name: string) => new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1];
    expect([calls("evalsha"), calls("wait"), calls("eval")]).toEqual(["3", "1", undefined]);
  });

  test.each([
    ["a count that is none", { waitReplicas: -1 }, "optionInvalid"],
    ["half a replica", { waitReplicas: 0.5 }, "optionInvalid"],
    ["a wait as long as the operation", { waitReplicasMs: 3000 }, "durationInvalid"],
  ])("%s is no option", async (_, options, code) => {
    const client = await nodeRedis.open(master.port);
    opened.push(client);
    expect(() => createRedisStore({ ...WAIT, ...options, client: client.client })).toThrow(
      expect.objectContaining({ code }),
    );
  });
});

// Redis 7.0 forgives what is tried here: there WAIT on any connection waits for all that came before
// the connection's last command. Later versions and Valkey count only the connection's own writes.
describe.skipIf(missing("valkey"))("waiting for replicas of a Valkey", () => {
  let master: TestServer;
  let replica: TestServer;
  let proxy: TcpProxy;
  beforeAll(async () => {
    const quick = ["--repl-diskless-sync-delay", "0"];
    master = await startValkey({ args: quick });
    const of = ["--replicaof", "127.0.0.1", String(master.port)];
    replica = await startValkey({ args: [...quick, ...of] });
    proxy = await startTcpProxy(master.port);
    await until("the replica follows", async () => {
      const info = await redisCommand(replica.port, "INFO", "replication");
      return fieldsOf(info).master_link_status === "up";
    });
  });
  afterAll(async () => {
    await proxy.close();
    await Promise.all([replica.stop(), master.stop()]);
  });

  test.each([ioredisResending, ioredis6Resending, ioredisPlain, nodeRedis, nodeRedis6])(
    "with $name a connection lost before the acknowledgement, or a new one, counts nobody",
    async (kind) => {
      const [own, other] = [await kind.open(proxy.port), await kind.open(master.port)];
      const store = createRedisStore({ ...WAIT, client: own.client });
      const another = createRedisStore({ ...WAIT, client: other.client });
      const patient = createRedisStore({ ...PATIENT, client: own.client });
      const next = { value: "v", ttlMs: 60_000 };
      const create = (key: string) => ({ key, opId: newOpId(), expect: "absent", next }) as const;
      expect(await patient.write(create(`warm ${kind.name}`))).toMatchObject({
        outcome: "applied",
      });
      replica.kill("SIGSTOP");
      proxy.once("loseRequest", "WAIT");
      const write = create(`cut ${kind.name}`);
      expect(await store.write(write)).toMatchObject({ outcome: "unknown" });
      expect(await another.write(write)).toMatchObject({ outcome: "unknown" });
      expect(await store.write(write)).toMatchObject({ outcome: "unknown" });
      replica.kill("SIGCONT");
      expect(await patient.write(write)).toMatchObject({ outcome: "applied", replayed: true });
      own.close();
      other.close();
    },
  );
});
