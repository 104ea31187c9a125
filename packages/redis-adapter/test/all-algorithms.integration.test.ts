// All seven algorithms on real servers, in drawn programs while requests and replies get lost: on one
// Redis and one Valkey with both clients in both majors at once, and pools; and on a cluster with
// every cluster client at once.
import { createRedisStore } from "@onceproof/redis-adapter";
import {
  missing,
  type RedisCluster,
  startRedis,
  startRedisCluster,
  startTcpProxy,
  startValkey,
  type TestServer,
} from "@onceproof/test-servers";
import { afterAll, beforeAll, describe } from "vitest";
import { inTurn, type Place } from "../../simulator/test/support/live/place.js";
import { registerProperties } from "../../simulator/test/support/live/register-properties.js";
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

/** Clients behind proxies of their own, one before each server. */
async function openPlace(
  ports: readonly number[],
  open: (through: ReadonlyMap<number, number>) => readonly Promise<OpenClient>[],
): Promise<Place> {
  const proxies = await Promise.all(ports.map((port) => startTcpProxy(port)));
  const through = new Map(ports.map((port, index) => [port, proxies[index]?.port ?? port]));
  const clients = await Promise.all(open(through));
  return {
    stores: clients.map(({ client }) =>
      createRedisStore({ client, operationTimeoutMs: 500, durability: "durable" }),
    ),
    lose(passages) {
      const passage = inTurn(passages);
      const lifts = proxies.map((proxy) =>
        proxy.addRule((chunk) => (chunk.includes("EVAL") ? passage() : undefined)),
      );
      return () => {
        for (const lift of lifts) lift();
      };
    },
    async close() {
      for (const client of clients) client.close();
      await Promise.all(proxies.map((proxy) => proxy.close()));
    },
  };
}

const openKinds = ({ port }: TestServer): Promise<Place> =>
  openPlace([port], (through) => KINDS.map((kind) => kind.open(through.get(port) ?? port)));

describe.skipIf(missing("redis"))("on a real Redis", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());
  registerProperties(() => openKinds(server));
});

describe.skipIf(missing("valkey"))("on a real Valkey", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startValkey();
  });
  afterAll(() => server.stop());
  registerProperties(() => openKinds(server));
});

describe.skipIf(missing("redis"))("on a real cluster", () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster();
  });
  afterAll(() => cluster.stop());
  registerProperties(() =>
    openPlace(cluster.ports, (through) =>
      CLUSTERS.map((kind) => kind.open(cluster.ports, through)),
    ),
  );
});
