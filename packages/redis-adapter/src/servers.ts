// The servers behind a client, one by one, for what has to be asked of each: of a cluster every
// master, else the one that commands go to.

import type { RedisClient } from "./client.js";
import { connectionOf } from "./connection-of.js";

/** One server, and how a command is sent to this one. */
export interface ServerHandle {
  readonly address: string;
  send(args: string[]): Promise<unknown>;
}

interface IoredisNode {
  readonly options: { readonly host?: string; readonly port?: number };
  call(command: string, ...args: string[]): Promise<unknown>;
}

interface NodeRedisNode {
  readonly address: string;
}

interface NodeRedisClusterParts {
  readonly masters: readonly NodeRedisNode[];
  nodeClient(node: NodeRedisNode): Promise<{ sendCommand(args: string[]): Promise<unknown> }>;
}

function ioredisHandle(node: IoredisNode): ServerHandle {
  return {
    address: `${node.options.host}:${node.options.port}`,
    send: ([command = "", ...args]) => node.call(command, ...args),
  };
}

interface ClientParts {
  readonly options?: Readonly<Record<string, unknown>>;
  readonly stream?: { readonly remoteAddress?: string; readonly remotePort?: number };
  getMasterNode?(): { readonly host?: string; readonly port?: number } | undefined;
}

function hostAndPort(host: unknown, port: unknown): string {
  return typeof host === "string" && host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Where a client of one server is connected to, as far as it tells. */
export function addressOf(client: object): string {
  const { options, stream, getMasterNode } = client as ClientParts;
  if (options?.sentinels || getMasterNode !== undefined) {
    // Its options name no server, or one that is not spoken to: Sentinel has named another.
    const node = getMasterNode?.call(client);
    const host = node === undefined ? stream?.remoteAddress : node.host;
    return host === undefined
      ? "the master that Sentinel names"
      : hostAndPort(host, node === undefined ? stream?.remotePort : node.port);
  }
  const parts = { ...options, ...Object(options?.socket) } as Record<string, unknown>;
  const { host, port, path } = parts;
  if (typeof path === "string") {
    return path;
  }
  return host === undefined && port === undefined
    ? "the server"
    : hostAndPort(host ?? "localhost", port ?? 6379);
}

/** The servers that a client knows now. */
export function serversOf(client: RedisClient): readonly ServerHandle[] {
  const connection = connectionOf(client);
  if (!connection.cluster) {
    return [{ address: addressOf(client), send: (args) => connection.send("", args) }];
  }
  if ("nodes" in client) {
    return (client.nodes("master") as readonly object[] as readonly IoredisNode[]).map(
      ioredisHandle,
    );
  }
  const cluster = client as unknown as NodeRedisClusterParts;
  return cluster.masters.map((node) => ({
    address: node.address,
    send: async (args) => (await cluster.nodeClient(node)).sendCommand(args),
  }));
}
