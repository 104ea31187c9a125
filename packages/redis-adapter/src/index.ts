// The public surface: the store on Redis and Valkey, and the shapes of the clients it takes.

export type {
  IoredisClient,
  IoredisCluster,
  NodeRedisClient,
  NodeRedisCluster,
  NodeRedisPool,
  NodeRedisSentinel,
  RedisClient,
} from "./client.js";
export type { Finding, FindingId } from "./finding.js";
export type { RedisStoreOptions } from "./options.js";
export { type PreflightOptions, type PreflightReport, preflight } from "./preflight.js";
export type { ClientFacts } from "./preflight-client.js";
export type { ServerFacts } from "./preflight-facts.js";
export { formatPreflight } from "./preflight-text.js";
export { createRedisStore, type RedisStore } from "./redis-store.js";
