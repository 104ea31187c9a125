// The user's own client, seen through the few members that are used of it, and one bridge that
// makes ioredis and node-redis look alike.

import { ArgumentError } from "@onceproof/core/advanced";

type Listen = (event: string, listener: () => void) => unknown;

/** What is used of an ioredis client (5 and 6). */
export interface IoredisClient {
  readonly status: string;
  call(command: string, ...args: string[]): Promise<unknown>;
  connect(): Promise<unknown>;
  on: Listen;
}

/** What is used of a node-redis client (5 and 6). */
export interface NodeRedisClient {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  sendCommand(args: readonly string[]): Promise<unknown>;
  on: Listen;
}

/** A client of the user's own. It stays the user's: closing a store does not close it. */
export type RedisClient = IoredisClient | NodeRedisClient;

/** One connection, whichever client it belongs to. */
export interface Connection {
  /** Sends a command now. Only called while `state` is *ready*, so nothing waits in a queue. */
  send(args: readonly string[]): Promise<unknown>;
  state(): "ready" | "connecting" | "ended";
  /** Calls back when the connection is ready or has ended for good. Returns a cancel. */
  onSettled(callback: () => void): () => void;
  /** How often the connection was lost: a client may have sent a command twice in between. */
  losses(): number;
}

function ioredis(client: IoredisClient): Pick<Connection, "send" | "state"> {
  return {
    send: ([command = "", ...args]) => client.call(command, ...args),
    state() {
      if (client.status === "ready") {
        return "ready";
      }
      if (client.status === "wait") {
        // A lazy client connects on its first command; we send none before it is ready.
        client.connect().catch(() => {});
      }
      return client.status === "end" ? "ended" : "connecting";
    },
  };
}

function nodeRedis(client: NodeRedisClient): Pick<Connection, "send" | "state"> {
  return {
    send: (args) => client.sendCommand(args),
    state() {
      if (client.isReady) {
        return "ready";
      }
      return client.isOpen ? "connecting" : "ended";
    },
  };
}

// One set of listeners per client, however many stores share it; it lives as long as the client.
const connections = new WeakMap<RedisClient, Connection>();

function watched(client: RedisClient, base: Pick<Connection, "send" | "state">): Connection {
  let losses = 0;
  const waiters = new Set<() => void>();
  const wake = (): void => {
    for (const waiter of waiters) {
      waiter();
    }
  };
  const lost = (): void => {
    losses += 1;
  };
  client.on("ready", wake);
  client.on("end", wake);
  // ioredis says close, node-redis says reconnecting or end.
  client.on("close", lost);
  client.on("reconnecting", lost);
  client.on("end", lost);
  return {
    ...base,
    losses: () => losses,
    onSettled(callback) {
      waiters.add(callback);
      return () => waiters.delete(callback);
    },
  };
}

/** Detects the client and returns the connection behind it. */
export function connectionOf(client: RedisClient): Connection {
  let connection = connections.get(client);
  if (connection === undefined) {
    if (typeof (client as Partial<IoredisClient> | null)?.call === "function") {
      connection = watched(client, ioredis(client as IoredisClient));
    } else if (typeof (client as Partial<NodeRedisClient> | null)?.sendCommand === "function") {
      connection = watched(client, nodeRedis(client as NodeRedisClient));
    } else {
      throw new ArgumentError("optionInvalid", "client must be an ioredis or node-redis client");
    }
    connections.set(client, connection);
  }
  return connection;
}
