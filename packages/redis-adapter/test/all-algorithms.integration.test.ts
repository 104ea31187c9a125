// All seven algorithms on real servers: on one Redis with both clients in both majors at once, also
// while messages get lost; on Valkey; and on a cluster with every cluster client at once.
import { createRedisStore, type RedisStore } from "@onceproof/redis-adapter";
import {
  missing,
  type RedisCluster,
  startRedis,
  startRedisCluster,
  startTcpProxy,
  startValkey,
  type TcpProxy,
  type TestServer,
} from "@onceproof/test-servers";
import { afterAll, beforeAll, describe } from "vitest";
import { registerAlgorithmRaces } from "./support/algorithm-races.js";
import {
  CLUSTERS,
  type ClientKind,
  ioredis6Resending,
  ioredisResending,
  nodeRedis,
  nodeRedis6,
  type OpenClient,
  POOLS,
} from "./support/clients.js";

const KINDS: readonly ClientKind[] = [
  ioredisResending,
  nodeRedis,
  ioredis6Resending,
  nodeRedis6,
  ...POOLS,
];

/** Opens each client once. */
function once(open: () => Promise<readonly OpenClient[]>) {
  let clients: Promise<readonly OpenClient[]> | undefined;
  let stores: readonly RedisStore[] | undefined;
  return {
    async stores(): Promise<readonly RedisStore[]> {
      clients ??= open();
      stores ??= (await clients).map(({ client }) =>
        createRedisStore({ client, operationTimeoutMs: 500, durability: "durable" }),
      );
      return stores;
    },
    async close(): Promise<void> {
      for (const client of (await clients) ?? []) client.close();
    },
  };
}

describe.skipIf(missing("redis"))("on a real Redis", () => {
  let server: TestServer;
  let proxy: TcpProxy;
  beforeAll(async () => {
    server = await startRedis();
    proxy = await startTcpProxy(server.port);
  });
  afterAll(async () => {
    await proxy.close();
    await server.stop();
  });

  describe("with both clients in both majors, and pools", () => {
    const clients = once(() => Promise.all(KINDS.map((kind) => kind.open(server.port))));
    afterAll(() => clients.close());
    registerAlgorithmRaces({ open: clients.stores });
  });

  describe("the same while requests and replies get lost", () => {
    const clients = once(() => Promise.all(KINDS.slice(0, 4).map((kind) => kind.open(proxy.port))));
    afterAll(() => clients.close());
    registerAlgorithmRaces({
      open: clients.stores,
      disturb() {
        let request = 0;
        return proxy.addRule((chunk) => {
          if (!chunk.includes("EVAL")) return undefined;
          request += 1;
          return request % 6 === 0 ? (request % 4 === 0 ? "loseReply" : "loseRequest") : "pass";
        });
      },
    });
  });
});

describe.skipIf(missing("valkey"))("on a real Valkey", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startValkey();
  });
  afterAll(() => server.stop());
  const clients = once(() => Promise.all(KINDS.map((kind) => kind.open(server.port))));
  afterAll(() => clients.close());
  registerAlgorithmRaces({ open: clients.stores });
});

describe.skipIf(missing("redis"))("on a real cluster", () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster();
  });
  afterAll(() => cluster.stop());
  const clients = once(() => Promise.all(CLUSTERS.map((kind) => kind.open(cluster.ports))));
  afterAll(() => clients.close());
  registerAlgorithmRaces({ open: clients.stores });
});
