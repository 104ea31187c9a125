// Connections as their libraries open them by default, one for each contestant.

import { createClient } from "@redis/client";
import { Redis } from "ioredis";

export const IOREDIS = "ioredis 5";
export const NODE_REDIS = "node-redis 6";
/** The one that node-idempotency brings along. */
export const NODE_REDIS_4 = "node-redis 4";

export async function openIoredis(port: number): Promise<Redis> {
  const client = new Redis(port, "127.0.0.1", { lazyConnect: true });
  await client.connect();
  return client;
}

function buildNodeRedis(port: number) {
  const client = createClient({ socket: { host: "127.0.0.1", port } });
  // Without a listener an error ends the process before the batch that it broke can tell of it.
  client.on("error", () => {});
  return client;
}

export type NodeRedis = ReturnType<typeof buildNodeRedis>;

export async function openNodeRedis(port: number): Promise<NodeRedis> {
  const client = buildNodeRedis(port);
  await client.connect();
  return client;
}
