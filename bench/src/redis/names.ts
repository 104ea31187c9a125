// What is measured on a Redis, by name.

export const REDIS_NAMES = {
  lock: "redis: lock, acquire and release",
  firstRun: "redis: dedup, first run",
  replay: "redis: dedup, replay",
  primitives: "redis: server time of each store call",
} as const;
