// The user's own client, seen through the few members that are used of it: by structure, so that
// no client is imported and any version that has them will do.

type Listen = (event: string, listener: (...args: unknown[]) => void) => unknown;

/** What is used of an ioredis client (5 and 6), also of one that finds its server by Sentinel. */
export interface IoredisClient {
  readonly status: string;
  readonly isCluster?: boolean;
  readonly options: { readonly keyPrefix?: string | undefined };
  call(command: string, ...args: string[]): Promise<unknown>;
  connect(): Promise<unknown>;
  on: Listen;
}

/** What is used of an ioredis `Cluster` (5 and 6). */
export interface IoredisCluster extends IoredisClient {
  nodes(role?: "all" | "master" | "slave"): readonly { readonly status: string; on: Listen }[];
  pipeline(commands: string[][]): { exec(): Promise<unknown> };
}

/** What is used of a node-redis client (5 and 6). */
export interface NodeRedisClient {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  sendCommand(args: string[]): Promise<unknown>;
  on: Listen;
}

interface Batch {
  execAsPipeline(): Promise<unknown>;
}

/** Whether a client of node-redis is of version 6 or later: only those have CLIENT UNBLOCK. */
export function isNodeRedis6(client: object): boolean {
  return "clientUnblock" in client;
}

/** What is used of node-redis' `createClientPool` (5 and 6). */
export interface NodeRedisPool {
  readonly isOpen: boolean;
  readonly isClosing: boolean;
  sendCommand(args: string[]): Promise<unknown>;
  multi(): Batch & { addCommand(args: string[]): unknown };
  on: Listen;
}

/** What is used of node-redis' `createSentinel` (5 and 6). */
export interface NodeRedisSentinel {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  sendCommand(isReadonly: boolean, args: string[]): Promise<unknown>;
  getMasterNode(): unknown;
  multi(): Batch & { addCommand(isReadonly: boolean, args: string[]): unknown };
  on: Listen;
}

/** What is used of node-redis' `createCluster` (5 and 6). */
export interface NodeRedisCluster {
  readonly isOpen: boolean;
  readonly masters: readonly unknown[];
  sendCommand(firstKey: string, isReadonly: boolean, args: string[]): Promise<unknown>;
  multi(routing?: string): Batch & {
    addCommand(firstKey: string, isReadonly: boolean, args: string[]): unknown;
  };
  on: Listen;
}

/** A client of the user's own. It stays the user's: closing a store does not close it. */
export type RedisClient =
  | IoredisClient
  | IoredisCluster
  | NodeRedisClient
  | NodeRedisPool
  | NodeRedisSentinel
  | NodeRedisCluster;
