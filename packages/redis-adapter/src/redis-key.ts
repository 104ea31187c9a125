// Maps a store key to the Redis key that holds it, so that two store keys never share one.

import { boundedKey } from "@onceproof/core/advanced";

// Redis takes far longer keys, but each would be held in memory as often as it is written.
const MAX_PLAIN_BYTES = 512;

/** The Redis key of a store key: the prefix, `|`, and the key itself or, beyond 512 bytes, its hash. */
export function redisKey(keyPrefix: string, key: string): string {
  return `${keyPrefix}|${boundedKey(key, MAX_PLAIN_BYTES)}`;
}
