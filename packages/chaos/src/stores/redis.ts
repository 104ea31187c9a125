// Redis with AOF always, by both clients that people use.
import { createRedisStore, type RedisClient } from "@onceproof/redis-adapter";
import { missing, startRedis } from "@onceproof/test-servers";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { portOf, type StoreKind } from "./store-kind.js";

const RECONNECT_MS = 20;
const CLIENTS = ["ioredis", "node-redis", "ioredis-resending"] as const;

interface OpenClient {
  readonly client: RedisClient;
  readonly losses: () => number;
  close(): Promise<void>;
}

async function openIoredis(port: number, resending: boolean): Promise<OpenClient> {
  const client = new Redis(port, "127.0.0.1", {
    autoResendUnfulfilledCommands: resending,
    lazyConnect: true,
    maxRetriesPerRequest: null,
    retryStrategy: () => RECONNECT_MS,
  });
  let losses = 0;
  client.on("error", () => {});
  client.on("close", () => {
    losses += 1;
  });
  // It goes on trying by itself: a store serves a client that is not connected yet.
  void client.connect().catch(() => {});
  return { client, losses: () => losses, close: async () => client.disconnect() };
}

async function openNodeRedis(port: number): Promise<OpenClient> {
  const client = createClient({
    socket: { host: "127.0.0.1", port, reconnectStrategy: () => RECONNECT_MS },
  });
  client.on("error", () => {});
  void client.connect().catch(() => {});
  return {
    client,
    losses: () => 0,
    close: async () => {
      if (client.isOpen) client.destroy();
    },
  };
}

/** Redis, with `appendfsync always`. */
export const redis: StoreKind = {
  name: "redis",
  clients: CLIENTS,
  faults: { flush: "the server's scripts are flushed" },
  without: ["commit", "kill-commit"],
  missing: () => missing("redis"),

  async start({ clock }) {
    const clocked = clock ? await startRedis({ clock }) : undefined;
    const server = clocked ?? (await startRedis());
    return {
      place: { port: server.port },
      server,
      clock: clocked,
      tables: undefined,
      prepare: async () => {},
      stop: () => server.stop(),
      async strike() {
        const admin = new Redis(server.port, "127.0.0.1", {
          lazyConnect: true,
          retryStrategy: () => null,
        });
        admin.on("error", () => {});
        try {
          await admin.connect();
          await admin.call("SCRIPT", "FLUSH");
        } finally {
          admin.disconnect();
        }
      },
    };
  },

  async open(client, { place, space, operationTimeoutMs, tombstoneMs }) {
    const port = portOf(place);
    const resends = client === "ioredis-resending";
    const opened = await (client === "node-redis"
      ? openNodeRedis(port)
      : openIoredis(port, resends));
    const store = createRedisStore({
      client: opened.client,
      keyPrefix: space,
      operationTimeoutMs,
      tombstoneMs,
      durability: "durable",
    });
    return {
      store,
      transactions: undefined,
      resends: resends ? opened.losses : undefined,
      close: opened.close,
    };
  },
};
