// For adapters: keys that are too long for a store's index are hashed, never cut.

import { sha256 } from "@noble/hashes/sha2.js";
import { utf8Length } from "../contract/check-write.js";
import { base64url } from "../shared/base64url.js";
import { utf8 } from "../shared/hash.js";

const HASHED = "#sha256:";

/**
 * The key itself or, beyond `maxBytes` of UTF-8, its SHA-256.
 *
 * Guarantee: two keys never share a result: a short key that looks like a hashed one is hashed too.
 * Cost: no store call.
 */
export function boundedKey(key: string, maxBytes: number): string {
  const long = key.length * 3 > maxBytes && utf8Length(key) > maxBytes;
  return long || key.startsWith(HASHED) ? HASHED + base64url(sha256(utf8(key))) : key;
}
