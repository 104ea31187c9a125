// The same runs on a Redis of your own. Records lie under a prefix of their own for each store, and
// Redis drops those of them that end, within a day.

import { randomUUID } from "node:crypto";
import { createRedisStore } from "@onceproof/redis-adapter";
import { Redis } from "ioredis";
import type { Stores } from "./stores.js";

/** Stores on the Redis at this address. */
export function redisAt(url: string): Stores {
  return {
    async open() {
      const client = new Redis(url, { lazyConnect: true });
      // What goes wrong is told by the calls.
      client.on("error", () => {});
      const store = createRedisStore({ client, keyPrefix: `disasters-${randomUUID()}` });
      return {
        ...store,
        async close() {
          await store.close();
          client.disconnect();
        },
      };
    },
    async close() {},
  };
}
