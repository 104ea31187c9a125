// Which client is which, and the connection behind it.

import { ArgumentError } from "@onceproof/core/advanced";
import type {
  IoredisClient,
  IoredisCluster,
  NodeRedisClient,
  NodeRedisCluster,
  NodeRedisPool,
  NodeRedisSentinel,
  RedisClient,
} from "./client.js";
import type { Connection } from "./connection.js";
import { ioredisClusterConnection, ioredisConnection } from "./ioredis-connection.js";
import {
  nodeRedisClusterConnection,
  nodeRedisConnection,
  nodeRedisPoolConnection,
  nodeRedisSentinelConnection,
} from "./node-redis-connection.js";

// One set of listeners per client, however many stores share it; it lives as long as the client.
const connections = new WeakMap<RedisClient, Connection>();

function has(client: unknown, ...methods: readonly string[]): boolean {
  return methods.every(
    (method) => typeof (client as Record<string, unknown>)[method] === "function",
  );
}

/** Whether it has what is used of a client; of none it needs more. */
export function isClient(client: unknown): client is RedisClient {
  return (
    typeof client === "object" &&
    client !== null &&
    (has(client, "call", "connect", "on") || has(client, "sendCommand", "on"))
  );
}

function build(client: unknown): Connection {
  if (!isClient(client)) {
    throw new ArgumentError(
      "optionInvalid",
      "client must be a client, Cluster, pool or Sentinel client of ioredis or node-redis",
    );
  }
  if (has(client, "call", "connect")) {
    return (client as IoredisClient).isCluster === true
      ? ioredisClusterConnection(client as IoredisCluster)
      : ioredisConnection(client as IoredisClient);
  }
  if (has(client, "nodeClient")) {
    return nodeRedisClusterConnection(client as NodeRedisCluster);
  }
  if (has(client, "getMasterNode")) {
    return nodeRedisSentinelConnection(client as NodeRedisSentinel);
  }
  return "isClosing" in client
    ? nodeRedisPoolConnection(client as NodeRedisPool)
    : nodeRedisConnection(client as NodeRedisClient);
}

/** The connection behind a client. */
export function connectionOf(client: RedisClient): Connection {
  let connection = connections.get(client);
  if (connection === undefined) {
    connection = build(client);
    connections.set(client, connection);
  }
  return connection;
}
