// Maps a store key to the bytes that name its row, so that two store keys never share one.

import { createHash } from "node:crypto";

// A row of a Postgres index holds at most about 2,700 bytes.
const MAX_PLAIN_BYTES = 1024;
const HASHED = "#sha256:";

/**
 * The bytes of a store key: its UTF-8 or, beyond 1,024 bytes, its SHA-256. Bytes compare as they
 * are, whatever the collation. A short key that looks like a hashed one is hashed too, so the two
 * can never meet.
 */
export function keyBytes(key: string): Buffer {
  const bytes = Buffer.from(key, "utf8");
  return bytes.length <= MAX_PLAIN_BYTES && !key.startsWith(HASHED)
    ? bytes
    : Buffer.from(HASHED + createHash("sha256").update(bytes).digest("base64url"), "utf8");
}
