// Clients that send a command again after its connection was lost: what the second send is told must
// not pass for what became of the first.
import { createRedisStore, type RedisStore } from "@onceproof/redis-adapter";
import {
  missing,
  newOpId,
  type RedisCluster,
  type RedisSentinel,
  startRedisCluster,
  startRedisSentinel,
  startTcpProxy,
  type TcpProxy,
  until,
} from "@onceproof/test-servers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  CLUSTERS,
  type GroupClientKind,
  ioredis6Resending,
  ioredisResending,
  nodeRedis,
  nodeRedis6,
  type OpenClient,
  SENTINELS,
} from "./support/clients.js";
import { warmUp } from "./support/warm-up.js";

const next = { value: "v", ttlMs: 60_000 } as const;

interface Reached {
  readonly own: OpenClient;
  readonly other: OpenClient;
  readonly proxies: readonly TcpProxy[];
}

describe.skipIf(missing("redis"))("a write whose reply is lost with its connection", () => {
  let group: RedisSentinel;
  let cluster: RedisCluster;
  beforeAll(async () => {
    [group, cluster] = await Promise.all([
      startRedisSentinel({ replicas: 1, sentinels: 1, downAfterMs: 60_000 }),
      startRedisCluster({ nodeTimeoutMs: 60_000 }),
    ]);
  });
  afterAll(() => Promise.all([group.stop(), cluster.stop()]));

  async function reach(
    kind: GroupClientKind,
    ports: readonly number[],
    servers: readonly number[],
  ): Promise<Reached> {
    const proxies = await Promise.all(servers.map((port) => startTcpProxy(port)));
    const through = new Map(servers.map((port, index) => [port, proxies[index]?.port ?? port]));
    return { proxies, own: await kind.open(ports, through), other: await kind.open(ports) };
  }

  const kinds = [
    ...[ioredisResending, ioredis6Resending, nodeRedis, nodeRedis6].map((kind) => ({
      name: kind.name,
      async reach(): Promise<Reached> {
        const { port } = await group.master();
        const proxy = await startTcpProxy(port);
        const [own, other] = [await kind.open(proxy.port), await kind.open(port)];
        return { proxies: [proxy], own, other };
      },
    })),
    ...SENTINELS.map((kind) => ({
      name: kind.name,
      reach: () =>
        reach(
          kind,
          group.sentinelPorts,
          group.servers.map(({ port }) => port),
        ),
    })),
    ...CLUSTERS.map((kind) => ({
      name: kind.name,
      reach: () => reach(kind, cluster.ports, cluster.ports),
    })),
  ];

  /** Loses the reply of the next write, and holds what is sent after it until lifted. */
  function loseReplyAndHold(proxies: readonly TcpProxy[]): () => void {
    const holds: (() => void)[] = [];
    const lifts = proxies.map((proxy) =>
      proxy.addRule((request) => {
        if (!request.includes("EVALSHA")) return undefined;
        for (const lift of lifts) lift();
        // After this one has passed, and before anybody can have connected again.
        setImmediate(() => holds.push(...proxies.map((each) => each.hold())));
        return "loseReply";
      }),
    );
    return () => {
      for (const lift of holds) lift();
    };
  }

  async function stores(
    { own, other }: Reached,
    name: string,
  ): Promise<{ store: RedisStore; peer: RedisStore }> {
    // One slot, so that the warm-up loads the scripts where they are needed.
    const options = { keyPrefix: `{resend ${name}}`, operationTimeoutMs: 1500 };
    const peer = createRedisStore({ ...options, client: other.client });
    await warmUp(peer);
    await peer.read("k");
    return { store: createRedisStore({ ...options, client: own.client }), peer };
  }

  describe.each(kinds)("with $name", ({ name, reach: open }) => {
    test("is never told as refused when another write took its place", async () => {
      const reached = await open();
      const { store, peer } = await stores(reached, name);
      await store.read("k");
      const opId = newOpId();
      const lift = loseReplyAndHold(reached.proxies);
      const sent = store.write({ key: "k", opId, expect: "absent", next });
      let revision = 0;
      await until("it is applied", async () => {
        const { entry } = await peer.read("k");
        revision = entry?.stamp.revision ?? 0;
        return entry?.stamp.opId === opId;
      });
      const stamp = { revision, opId };
      const replace = { key: "k", opId: newOpId(), expect: stamp, next };
      expect(await peer.write(replace)).toMatchObject({ outcome: "applied" });
      lift();
      expect(await sent).toMatchObject({ outcome: "unknown" });
      reached.own.close();
      reached.other.close();
      await Promise.all(reached.proxies.map((proxy) => proxy.close()));
    });
  });
});
