// The clients that people use, each opened the same way, so that every test runs on all of them.
import type { RedisClient } from "@onceproof/redis-adapter";
import * as ioredis5 from "ioredis";
import * as ioredis6 from "ioredis6";
import * as redis5 from "redis";
import * as redis6 from "redis6";

export interface OpenClient {
  readonly client: RedisClient;
  close(): unknown;
}

export interface ClientKind {
  readonly name: string;
  /** Connects, and reconnects by itself when the connection is lost. */
  open(port: number): Promise<OpenClient>;
}

/** A client of a cluster, or one that asks Sentinel, opened by any of the ports. */
export interface GroupClientKind {
  readonly name: string;
  /** With `proxied`, the servers are reached by these other ports. */
  open(ports: readonly number[], proxied?: ReadonlyMap<number, number>): Promise<OpenClient>;
}

/** The name under which the test servers' Sentinels know their master. */
export const MASTER_NAME = "onceproof";

const HOST = "127.0.0.1";
const RECONNECT_MS = 20;
const COMMAND_TIMEOUT_MS = 5000;
const quiet = (): void => {};

// The two majors have the same members as far as they are used here, but types of their own.
type Ioredis = typeof ioredis5;
type NodeRedis = typeof redis5;
const IOREDIS = { 5: ioredis5, 6: ioredis6 as unknown as Ioredis } as const;
const NODE_REDIS = { 5: redis5, 6: redis6 as unknown as NodeRedis } as const;

function ioredis(name: string, major: 5 | 6, autoResendUnfulfilledCommands: boolean): ClientKind {
  return {
    name,
    async open(port) {
      const client = new IOREDIS[major].Redis(port, HOST, {
        autoResendUnfulfilledCommands,
        lazyConnect: true,
        maxRetriesPerRequest: null,
        retryStrategy: () => RECONNECT_MS,
      });
      client.on("error", quiet);
      await client.connect();
      return { client, close: () => client.disconnect() };
    },
  };
}

function nodeRedisOf(name: string, major: 5 | 6): ClientKind {
  return {
    name,
    async open(port) {
      const client = NODE_REDIS[major].createClient({
        socket: { host: HOST, port, reconnectStrategy: () => RECONNECT_MS },
      });
      client.on("error", quiet);
      await client.connect();
      return { client, close: () => client.isOpen && client.destroy() };
    },
  };
}

/** As ioredis comes: after a reconnect it sends again what had no reply. */
export const ioredisResending: ClientKind = ioredis("ioredis", 5, true);

/** ioredis told not to send again, so that a lost reply is seen as one. */
export const ioredisPlain: ClientKind = ioredis("ioredis without resending", 5, false);

export const nodeRedis: ClientKind = nodeRedisOf("node-redis", 5);

export const ioredis6Resending: ClientKind = ioredis("ioredis 6", 6, true);
export const ioredis6Plain: ClientKind = ioredis("ioredis 6 without resending", 6, false);
export const nodeRedis6: ClientKind = nodeRedisOf("node-redis 6", 6);

function nodeRedisPoolOf(major: 5 | 6): ClientKind {
  return {
    name: `node-redis ${major} pool`,
    async open(port) {
      const socket = { host: HOST, port, reconnectStrategy: () => RECONNECT_MS };
      const pool = NODE_REDIS[major].createClientPool({ socket }, { minimum: 2, maximum: 4 });
      pool.on("error", quiet);
      await pool.connect();
      return { client: pool, close: () => pool.isOpen && pool.destroy() };
    },
  };
}

export const POOLS: readonly ClientKind[] = [nodeRedisPoolOf(5), nodeRedisPoolOf(6)];

function addressMap(
  proxied: ReadonlyMap<number, number> = new Map(),
): Record<string, { host: string; port: number }> {
  return Object.fromEntries(
    [...proxied].map(([from, port]) => [`${HOST}:${from}`, { host: HOST, port }]),
  );
}

function ioredisClusterOf(major: 5 | 6, resending = true): GroupClientKind {
  return {
    name: `ioredis ${major} Cluster${resending ? "" : " without resending"}`,
    async open(ports, proxied) {
      const nodes = ports.map((port) => ({ host: HOST, port }));
      const client = new IOREDIS[major].Cluster(nodes, {
        lazyConnect: true,
        clusterRetryStrategy: () => 50,
        natMap: addressMap(proxied),
        // Else what is sent next, while a node connects again, fails with what was in flight.
        ...(resending ? {} : { clusterNodeRetryStrategy: () => RECONNECT_MS }),
        redisOptions: { maxRetriesPerRequest: null, autoResendUnfulfilledCommands: resending },
      });
      client.on("error", quiet);
      await client.connect();
      return { client, close: () => client.disconnect() };
    },
  };
}

function nodeRedisClusterOf(major: 5 | 6): GroupClientKind {
  return {
    name: `node-redis ${major} cluster`,
    async open(ports, proxied) {
      const client = NODE_REDIS[major].createCluster({
        rootNodes: ports.map((port) => ({ socket: { host: HOST, port } })),
        defaults: { socket: { reconnectStrategy: () => RECONNECT_MS } },
        nodeAddressMap: addressMap(proxied),
      });
      client.on("error", quiet);
      await client.connect();
      return { client, close: () => client.isOpen && client.destroy() };
    },
  };
}

export const ioredisClusterPlain: GroupClientKind = ioredisClusterOf(5, false);
export const nodeRedisCluster6: GroupClientKind = nodeRedisClusterOf(6);

export const CLUSTERS: readonly GroupClientKind[] = [
  ioredisClusterOf(5),
  nodeRedisClusterOf(5),
  ioredisClusterOf(6),
  nodeRedisClusterOf(6),
];

function ioredisSentinelOf(major: 5 | 6): GroupClientKind {
  return {
    name: `ioredis ${major} by Sentinel`,
    async open(ports, proxied) {
      const client = new IOREDIS[major].Redis({
        sentinels: ports.map((port) => ({ host: HOST, port })),
        name: MASTER_NAME,
        natMap: addressMap(proxied),
        lazyConnect: true,
        maxRetriesPerRequest: null,
        retryStrategy: () => RECONNECT_MS,
        sentinelRetryStrategy: () => RECONNECT_MS,
      });
      client.on("error", quiet);
      await client.connect();
      return { client, close: () => client.disconnect() };
    },
  };
}

function nodeRedisSentinelOf(major: 5 | 6): GroupClientKind {
  return {
    name: `node-redis ${major} by Sentinel`,
    async open(ports, proxied) {
      const client = NODE_REDIS[major].createSentinel({
        name: MASTER_NAME,
        nodeAddressMap: addressMap(proxied),
        sentinelRootNodes: ports.map((port) => ({ host: HOST, port })),
        nodeClientOptions: { commandOptions: { timeout: COMMAND_TIMEOUT_MS } },
      });
      client.on("error", quiet);
      await client.connect();
      return { client, close: () => client.isOpen && client.destroy() };
    },
  };
}

export const SENTINELS: readonly GroupClientKind[] = [
  ioredisSentinelOf(5),
  nodeRedisSentinelOf(5),
  ioredisSentinelOf(6),
  nodeRedisSentinelOf(6),
];
