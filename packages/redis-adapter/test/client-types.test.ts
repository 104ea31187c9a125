// Every real client of both majors is taken as it is: this file compiles without a cast, and at run
// time each is told apart.
import type { RedisClient } from "@onceproof/redis-adapter";
import * as ioredis5 from "ioredis";
import * as ioredis6 from "ioredis6";
import * as redis5 from "redis";
import * as redis6 from "redis6";
import { afterAll, expect, test } from "vitest";
import { connectionOf } from "../src/connection-of.js";

const at = { host: "127.0.0.1", port: 1 };
const url = "redis://127.0.0.1:1";
const lazyConnect = true;
const by = { name: "m", sentinelRootNodes: [at] };

// None of these connects before it is told to.
const ioredis = [
  new ioredis5.Redis({ ...at, lazyConnect }),
  new ioredis6.Redis({ ...at, lazyConnect }),
  new ioredis5.Redis({ sentinels: [at], name: "m", lazyConnect }),
  new ioredis6.Redis({ sentinels: [at], name: "m", lazyConnect }),
];
const clusters = [
  new ioredis5.Cluster([at], { lazyConnect }),
  new ioredis6.Cluster([at], { lazyConnect }),
  new ioredis5.Redis.Cluster([at], { lazyConnect }),
];
const taken: Record<string, readonly [client: RedisClient, cluster: boolean, sole: boolean]> = {
  "ioredis 5": [ioredis[0] as ioredis5.Redis, false, true],
  "ioredis 6": [ioredis[1] as ioredis6.Redis, false, true],
  "ioredis 5 by Sentinel": [ioredis[2] as ioredis5.Redis, false, true],
  "ioredis 6 by Sentinel": [ioredis[3] as ioredis6.Redis, false, true],
  "ioredis 5 Cluster": [clusters[0] as ioredis5.Cluster, true, false],
  "ioredis 6 Cluster": [clusters[1] as ioredis6.Cluster, true, false],
  "ioredis 5 Redis.Cluster": [clusters[2] as ioredis5.Cluster, true, false],
  "node-redis 5": [redis5.createClient({ url }), false, true],
  "node-redis 6": [redis6.createClient({ url }), false, true],
  "node-redis 5 with RESP3": [redis5.createClient({ url, RESP: 3 }), false, true],
  "node-redis 6 with RESP2": [redis6.createClient({ url, RESP: 2 }), false, true],
  "node-redis 5 pool": [redis5.createClientPool({ url }), false, false],
  "node-redis 6 pool": [redis6.createClientPool({ url }), false, false],
  "node-redis 5 Sentinel": [redis5.createSentinel(by), false, false],
  "node-redis 6 Sentinel": [redis6.createSentinel(by), false, false],
  "node-redis 5 cluster": [redis5.createCluster({ rootNodes: [{ url }] }), true, false],
  "node-redis 6 cluster": [redis6.createCluster({ rootNodes: [{ url }] }), true, false],
};

afterAll(() => {
  for (const client of [...ioredis, ...clusters]) client.disconnect();
});

test.each(Object.entries(taken))("%s is taken for what it is", (_, [client, cluster, sole]) => {
  expect(connectionOf(client)).toMatchObject({ cluster, sole });
  expect(connectionOf(client)).toBe(connectionOf(client));
});

test.each<readonly [what: string, make: () => RedisClient]>([
  ["scaleReads of ioredis", () => new ioredis5.Cluster([at], { lazyConnect, scaleReads: "slave" })],
  ["scaleReads all", () => new ioredis6.Cluster([at], { lazyConnect, scaleReads: "all" })],
  ["readOnly of ioredis", () => new ioredis6.Redis({ ...at, lazyConnect, readOnly: true })],
  [
    "the role slave of ioredis",
    () => new ioredis5.Redis({ sentinels: [at], name: "m", lazyConnect, role: "slave" }),
  ],
  ["readonly of node-redis 5", () => redis5.createClient({ url, readonly: true })],
  ["readonly of node-redis 6", () => redis6.createClient({ url, readonly: true })],
  [
    "useReplicas of node-redis 5",
    () => redis5.createCluster({ rootNodes: [{ url }], useReplicas: true }),
  ],
  [
    "useReplicas of node-redis 6",
    () => redis6.createCluster({ rootNodes: [{ url }], useReplicas: true }),
  ],
])("a client that reads from replicas is refused: %s", (_, make) => {
  const client = make();
  expect(() => connectionOf(client)).toThrow(
    expect.objectContaining({ code: "optionInvalid", message: expect.stringMatching(/replicas/) }),
  );
});
