// Maps a store key to the Redis key that holds it, so that two store keys never share one.

import { createHash } from "node:crypto";

// Redis takes far longer keys, but each would be held in memory as often as it is written.
const MAX_PLAIN_BYTES = 512;
const HASHED = "#sha256:";

/**
 * The Redis key of a store key: the prefix, `|`, and the key itself or, beyond 512 bytes, its
 * SHA-256. A short key that looks like a hashed one is hashed too, so the two can never meet.
 */
export function redisKey(keyPrefix: string, key: string): string {
  const long = key.length * 3 > MAX_PLAIN_BYTES && Buffer.byteLength(key, "utf8") > MAX_PLAIN_BYTES;
  const name =
    long || key.startsWith(HASHED)
      ? HASHED + createHash("sha256").update(key, "utf8").digest("base64url")
      : key;
  return `${keyPrefix}|${name}`;
}
