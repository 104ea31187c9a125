// The clients that people use, each opened the same way, so that every test runs on both.
import type { RedisClient } from "@onceproof/redis-adapter";
import { Redis } from "ioredis";
import { createClient } from "redis";

export interface OpenClient {
  readonly client: RedisClient;
  close(): unknown;
}

export interface ClientKind {
  readonly name: string;
  /** Connects, and reconnects by itself when the connection is lost. */
  open(port: number): Promise<OpenClient>;
}

const RECONNECT_MS = 20;

function ioredis(name: string, autoResendUnfulfilledCommands: boolean): ClientKind {
  return {
    name,
    async open(port) {
      const client = new Redis(port, "127.0.0.1", {
        autoResendUnfulfilledCommands,
        lazyConnect: true,
        maxRetriesPerRequest: null,
        retryStrategy: () => RECONNECT_MS,
      });
      client.on("error", () => {});
      await client.connect();
      return { client, close: () => client.disconnect() };
    },
  };
}

/** As ioredis comes: after a reconnect it sends again what had no reply. */
export const ioredisResending: ClientKind = ioredis("ioredis", true);

/** ioredis told not to send again, so that a lost reply is seen as one. */
export const ioredisPlain: ClientKind = ioredis("ioredis without resending", false);

export const nodeRedis: ClientKind = {
  name: "node-redis",
  async open(port) {
    const client = createClient({
      socket: { host: "127.0.0.1", port, reconnectStrategy: () => RECONNECT_MS },
    });
    client.on("error", () => {});
    await client.connect();
    return { client, close: () => client.isOpen && client.destroy() };
  },
};
