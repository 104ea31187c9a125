// Base64url without padding, for opIds, hashes and tokens: no runtime offers it everywhere.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Encodes `length` bytes from `start`: 16 bytes become 22 characters. */
export function base64url(
  bytes: Uint8Array,
  start = 0,
  length: number = bytes.length - start,
): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (let index = start; index < start + length; index += 1) {
    held = (held << 8) | (bytes[index] as number);
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      text += ALPHABET[(held >> bits) & 63];
    }
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + ALPHABET[(held << (6 - bits)) & 63];
}
