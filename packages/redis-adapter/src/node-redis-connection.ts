// node-redis (5 and 6) as a connection: a client, a pool of them, a Sentinel client and a cluster.
// Of these only the Sentinel client sends a command again when its connection was lost.

import {
  isNodeRedis6,
  type NodeRedisClient,
  type NodeRedisCluster,
  type NodeRedisPool,
  type NodeRedisSentinel,
} from "./client.js";
import { atOnce, type Connection, createConnectionEvents } from "./connection.js";
import { observeErrors, watchErrors } from "./connection-error.js";
import { hashSlot } from "./hash-slot.js";
import { sendPacer } from "./pace-sends.js";
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
  const errors = watchErrors(client);
  client.on("ready", errors.connected);
  return {
    cluster: false,
    sole: true,
    tells: true,
    keyPrefix: "",
    // A turn may find that the connection was lost in the one before. Version 5 would write to it, and
    // never connect again.
    inTurn: isNodeRedis6(client) ? sendPacer() : atOnce,
    send: (_, args) => client.sendCommand(args),
    sendInOrder: (_, commands) =>
      Promise.all(commands.map((command) => client.sendCommand(command))),
    serverOf: () => "",
    lastError: errors.lastError,
    // A client that is being closed stays ready until its last reply, and takes no more commands.
    state: () => (!client.isOpen ? "ended" : client.isReady ? "ready" : "connecting"),
    ...events,
  };
}

/** A pool of clients of one server. */
export function nodeRedisPoolConnection(pool: NodeRedisPool): Connection {
  const { changed, ...events } = createConnectionEvents();
  // A member that lost its connection is told of as an error, as other things are; observed only.
  observeErrors(pool, changed);
  return {
    cluster: false,
    sole: false,
    tells: false,
    keyPrefix: "",
    inTurn: atOnce,
    send: (_, args) => pool.sendCommand(args),
    sendInOrder(_, commands) {
      const batch = pool.multi();
      for (const command of commands) {
        batch.addCommand(command);
      }
      return run(batch);
    },
    serverOf: () => "",
    lastError: watchErrors(pool).lastError,
    state: () => (pool.isOpen && !pool.isClosing ? "ready" : "ended"),
    ...events,
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
  const errors = watchErrors(sentinel);
  sentinel.on("ready", errors.connected);
  return {
    cluster: false,
    sole: false,
    tells: true,
    keyPrefix: "",
    inTurn: atOnce,
    send: (_, args) => sentinel.sendCommand(READONLY, args),
    sendInOrder(_, commands) {
      const batch = sentinel.multi();
      for (const command of commands) {
        batch.addCommand(READONLY, command);
      }
      return run(batch);
    },
    serverOf: () => "",
    lastError: errors.lastError,
    state: () => (sentinel.isReady ? "ready" : sentinel.isOpen ? "connecting" : "ended"),
    ...events,
  };
}

type Slots = readonly ({ readonly master: { readonly address: string } } | undefined)[];

/** A client of a cluster. */
export function nodeRedisClusterConnection(cluster: NodeRedisCluster): Connection {
  checkReadsFromMaster((cluster as { readonly _options?: unknown })._options);
  const { wake, lost: _, ...events } = createConnectionEvents();
  const slots = (): Slots | undefined => (cluster as { readonly slots?: Slots }).slots;
  cluster.on("connect", wake);
  cluster.on("disconnect", wake);
  const errors = watchErrors(cluster);
  cluster.on("connect", errors.connected);
  cluster.on("node-error", errors.note);
  return {
    cluster: true,
    sole: false,
    tells: false,
    keyPrefix: "",
    inTurn: atOnce,
    send: (key, args) => cluster.sendCommand(key, READONLY, args),
    sendInOrder(key, commands) {
      const batch = cluster.multi(key);
      for (const command of commands) {
        batch.addCommand(key, READONLY, command);
      }
      return run(batch);
    },
    serverOf: (key) => slots()?.[hashSlot(key)]?.master.address ?? key,
    lastError: errors.lastError,
    // Before its first look at the cluster it has no masters.
    state: () => (!cluster.isOpen ? "ended" : cluster.masters.length > 0 ? "ready" : "connecting"),
    ...events,
  };
}
