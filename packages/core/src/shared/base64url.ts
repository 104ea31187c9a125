// Base64url without padding, for opIds, hashes and tokens: no runtime offers it everywhere.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const UNITS = Array.from(ALPHABET, (character) => character.charCodeAt(0));
const MOST_ARGUMENTS = 4_096;

/** Encodes `length` bytes from `start`: 16 bytes become 22 characters. */
export function base64url(
  bytes: Uint8Array,
  start = 0,
  length: number = bytes.length - start,
): string {
  // Code units in one array: a string that grows by a character leaves one behind at each step.
  const units: number[] = [];
  let text = "";
  let bits = 0;
  let held = 0;
  for (let index = start; index < start + length; index += 1) {
    held = (held << 8) | (bytes[index] as number);
    for (bits += 8; bits >= 6; ) {
      bits -= 6;
      units.push(UNITS[(held >> bits) & 63] as number);
    }
    held &= (1 << bits) - 1;
    if (units.length >= MOST_ARGUMENTS) {
      text += String.fromCharCode(...units.splice(0));
    }
  }
  if (bits > 0) {
    units.push(UNITS[(held << (6 - bits)) & 63] as number);
  }
  return text + String.fromCharCode(...units);
}
