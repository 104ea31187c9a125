// Finds the connection that must be copied to hear of a channel: the client's own, or in a cluster
// the one to the master that holds the channel's slot, since sharded channels live where keys do.

import type { RedisClient } from "./client.js";
import { hashSlot } from "./hash-slot.js";
import {
  type IoredisOrigin,
  ioredisLink,
  type NodeRedisOrigin,
  type NodeRedisSentinelOrigin,
  nodeRedisLink,
  nodeRedisSentinelLink,
  type OpenLink,
} from "./watch-link.js";

/** Where a channel is told, and how a link to there is opened. */
export interface Route {
  /** The same object for every channel of the same server. */
  readonly server: object;
  readonly open: OpenLink;
}

interface IoredisClusterParts {
  readonly isCluster: true;
  readonly slots: readonly (readonly string[] | undefined)[];
  nodes(role: "master"): readonly (IoredisOrigin & {
    readonly options: { readonly host?: string; readonly port?: number };
  })[];
}

interface NodeRedisPoolParts {
  execute<T>(use: (client: NodeRedisOrigin) => T): Promise<Awaited<T>>;
}

interface NodeRedisClusterParts {
  readonly slots: readonly ({ readonly master: object } | undefined)[];
  nodeClient(node: object): Promise<NodeRedisOrigin>;
}

function has<T extends object>(client: object, ...members: (keyof T & string)[]): client is T {
  return members.every((member) => (client as Partial<Record<string, unknown>>)[member]);
}

/** The route of a channel; undefined while a cluster's slots are not known. */
function routeOf(client: object, channel: string): Route | undefined {
  if (has<IoredisClusterParts>(client, "isCluster", "slots", "nodes")) {
    const [address] = client.slots[hashSlot(channel)] ?? [];
    const server = client
      .nodes("master")
      .find(({ options: { host, port } }) => `${host}:${port}` === address);
    return server && { server, open: ioredisLink(server) };
  }
  if (has<NodeRedisClusterParts>(client, "slots", "nodeClient")) {
    const server = client.slots[hashSlot(channel)]?.master;
    return (
      server && {
        server,
        open: async (events) => nodeRedisLink(await client.nodeClient(server))(events),
      }
    );
  }
  if (has<{ call: unknown } & IoredisOrigin>(client, "call", "duplicate")) {
    return { server: client, open: ioredisLink(client) };
  }
  if (has<{ sendCommand: unknown } & NodeRedisOrigin>(client, "sendCommand", "duplicate")) {
    return { server: client, open: nodeRedisLink(client) };
  }
  if (
    has<{ isClosing?: boolean } & NodeRedisPoolParts>(client, "execute") &&
    "isClosing" in client
  ) {
    return {
      server: client,
      open: (events) => client.execute((member) => nodeRedisLink(member)(events)),
    };
  }
  if (has<NodeRedisSentinelOrigin>(client, "sSubscribe", "sUnsubscribe")) {
    return { server: client, open: nodeRedisSentinelLink(client) };
  }
  return { server: client, open: () => Promise.reject(new Error("the client has no duplicate()")) };
}

/** How the channels of one client are named and routed. */
export interface Router {
  channelOf(redisKey: string): string;
  routeOf(channel: string): Route | undefined;
}

export function routerOf(client: RedisClient): Router {
  // ioredis puts its own prefix before every key, and the scripts name the channel after the key.
  const { keyPrefix } =
    (client as { readonly options?: { readonly keyPrefix?: unknown } }).options ?? {};
  const prefix = "call" in client && keyPrefix ? String(keyPrefix) : "";
  return {
    channelOf: (redisKey) => prefix + redisKey,
    routeOf: (channel) => routeOf(client, channel),
  };
}
