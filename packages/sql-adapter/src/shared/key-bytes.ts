// Maps a store key to the bytes that name its row, so that two store keys never share one.

import { boundedKey } from "@onceproof/core/advanced";

// A row of a Postgres index holds at most about 2,700 bytes.
const MAX_PLAIN_BYTES = 1024;

/**
 * The bytes of a store key: its UTF-8 or, beyond 1,024 bytes, those of its hash. Bytes compare as
 * they are, whatever the collation.
 */
export function keyBytes(key: string): Buffer {
  return Buffer.from(boundedKey(key, MAX_PLAIN_BYTES), "utf8");
}
