// node-redis (5 and 6) as a connection: a client, a pool of them, a Sentinel client and a cluster.
// Of these only the Sentinel client sends a command again when its connection was lost.

import type {
  NodeRedisClient,
  NodeRedisCluster,
  NodeRedisPool,
  NodeRedisSentinel,
} from "./client.js";
import { type Connection, createConnectionEvents } from "./connection.js";
import { checkReadsFromMaster } from "./replica-reads.js";

// What is sent is always a write to node-redis, so that it goes to a master.
const READONLY = false;

interface Batch {
  execAsPipeline(): Promise<unknown>;
}

async function run(batch: Batch): Promise<readonly unknown[]> {
  return (await batch.execAsPipeline()) as readonly unknown[];
}

/** A client of one server. */
export function nodeRedisConnection(client: NodeRedisClient): Connection {
  checkReadsFromMaster((client as { readonly options?: unknown }).options);
  const { wake, lost, ...events } = createConnectionEvents();
  client.on("ready", wake);
  client.on("end", wake);
  client.on("reconnecting", lost);
  client.on("end", lost);
  return {
    cluster: false,
    sole: true,
    tells: true,
    keyPrefix: "",
    send: (_, args) => client.sendCommand(args),
    sendBoth: (_, first, second) =>
      Promise.all([client.sendCommand(first), client.sendCommand(second)]),
    state: () => (client.isReady ? "ready" : client.isOpen ? "connecting" : "ended"),
    ...events,
  };
}

/** A pool of clients of one server. */
export function nodeRedisPoolConnection(pool: NodeRedisPool): Connection {
  return {
    cluster: false,
    sole: false,
    tells: false,
    keyPrefix: "",
    send: (_, args) => pool.sendCommand(args),
    sendBoth(_, first, second) {
      const batch = pool.multi();
      batch.addCommand(first);
      batch.addCommand(second);
      return run(batch);
    },
    state: () => (pool.isOpen && !pool.isClosing ? "ready" : "ended"),
    ...createConnectionEvents(),
  };
}

/** A client of whatever server Sentinel names as the master. */
export function nodeRedisSentinelConnection(sentinel: NodeRedisSentinel): Connection {
  const { wake, lost, ...events } = createConnectionEvents();
  const lostBy =
    (type: string) =>
    (event: unknown): void => {
      if ((event as { readonly type?: unknown } | undefined)?.type === type) {
        lost();
      }
    };
  sentinel.on("ready", wake);
  sentinel.on("end", wake);
  sentinel.on("client-error", lostBy("MASTER"));
  sentinel.on("topology-change", lostBy("MASTER_CHANGE"));
  return {
    cluster: false,
    sole: false,
    tells: true,
    keyPrefix: "",
    send: (_, args) => sentinel.sendCommand(READONLY, args),
    sendBoth(_, first, second) {
      const batch = sentinel.multi();
      batch.addCommand(READONLY, first);
      batch.addCommand(READONLY, second);
      return run(batch);
    },
    state: () => (sentinel.isReady ? "ready" : sentinel.isOpen ? "connecting" : "ended"),
    ...events,
  };
}

/** A client of a cluster. */
export function nodeRedisClusterConnection(cluster: NodeRedisCluster): Connection {
  checkReadsFromMaster((cluster as { readonly _options?: unknown })._options);
  const { wake, lost: _, ...events } = createConnectionEvents();
  cluster.on("connect", wake);
  cluster.on("disconnect", wake);
  return {
    cluster: true,
    sole: false,
    tells: false,
    keyPrefix: "",
    send: (key, args) => cluster.sendCommand(key, READONLY, args),
    sendBoth(key, first, second) {
      const batch = cluster.multi(key);
      batch.addCommand(key, READONLY, first);
      batch.addCommand(key, READONLY, second);
      return run(batch);
    },
    // Before its first look at the cluster it has no masters.
    state: () => (!cluster.isOpen ? "ended" : cluster.masters.length > 0 ? "ready" : "connecting"),
    ...events,
  };
}
