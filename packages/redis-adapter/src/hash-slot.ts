// In which of a cluster's slots a key lies: CRC-16/XMODEM of the key, or of its hash tag, modulo
// 16384.

const SLOTS = 16_384;
const encoder = new TextEncoder();

/** What of the key is hashed: what stands between the first { and the next }, if that is anything. */
export function hashTag(key: string): string {
  const open = key.indexOf("{");
  const close = open < 0 ? -1 : key.indexOf("}", open + 1);
  return close > open + 1 ? key.slice(open + 1, close) : key;
}

/** Whether a key that begins so has no hash tag, whatever follows. */
export function emptyHashTag(start: string): boolean {
  const open = start.indexOf("{");
  return open >= 0 && start[open + 1] === "}";
}

/**
 * The hash slot of a Redis key.
 *
 * @see https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/ Key distribution
 */
export function hashSlot(key: string): number {
  let crc = 0;
  for (const byte of encoder.encode(hashTag(key))) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) {
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : crc << 1;
    }
  }
  return crc % SLOTS;
}
