// The public surface: the store on Redis and Valkey, and the shapes of the clients it takes.

export type { IoredisClient, NodeRedisClient, RedisClient } from "./client.js";
export type { RedisStoreOptions } from "./options.js";
export { createRedisStore } from "./redis-store.js";
