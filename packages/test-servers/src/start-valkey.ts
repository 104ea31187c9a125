// A private Valkey, which is a Redis in all that its tests ask of it.
import { findValkey } from "./find.mjs";
import { missing } from "./missing.js";
import type { TestServer } from "./server.js";
import { type RedisOptions, startRedis } from "./start-redis.js";

/** Starts a Valkey on a free port of 127.0.0.1 and resolves when it answers PING. */
export async function startValkey(
  options: Omit<RedisOptions, "program" | "clock"> = {},
): Promise<TestServer> {
  const program = findValkey();
  if (program === undefined) throw new Error(missing("valkey"));
  return startRedis({ ...options, program });
}
