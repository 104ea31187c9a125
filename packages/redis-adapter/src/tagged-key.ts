// Where a key lives on Cluster: what core writes in one step bears the same hash tag, and so lies in
// one slot. Other keys spread as Redis likes.

import { ArgumentError, boundedKey, entityKeyOf } from "@onceproof/core/advanced";
import { hashTag } from "./hash-slot.js";

const MAX_PLAIN_BYTES = 512;
const MAX_PART_BYTES = 256;

/** Whether a key that is not tagged looks like one that is. */
function looksTagged(key: string): boolean {
  return key[0] === "{" && (key[1] === "#" || entityKeyOf(key.slice(1)) !== undefined);
}

/**
 * The Redis key of a store key, with the entity that it belongs to as its hash tag.
 *
 * Guarantee: two store keys never share one. Where the entity of a tagged key ends is read off the
 * entity itself; a key of another form that looks like a tagged one is hashed.
 */
export function taggedRedisKey(keyPrefix: string, key: string): string {
  const entity = entityKeyOf(key);
  if (entity === undefined) {
    // No byte allowed: always hashed.
    return `${keyPrefix}|${boundedKey(key, looksTagged(key) ? 0 : MAX_PLAIN_BYTES)}`;
  }
  const rest = key.slice(entity.length);
  return `${keyPrefix}|{${boundedKey(entity, MAX_PART_BYTES)}}${boundedKey(rest, MAX_PART_BYTES)}`;
}

/** Throws unless the keys of one call have one hash tag, and so one slot. */
export function checkOneSlot(keys: readonly string[]): void {
  const tags = new Set(keys.map(hashTag));
  if (tags.size > 1) {
    throw new ArgumentError(
      "crossSlot",
      `the ${keys.length} keys of one writeAll lie in ${tags.size} slots of the cluster, which cannot ` +
        "write them in one step. Give them one hash tag: put it into the factory's name or the " +
        'store\'s keyPrefix, as in name: "{accounts}", or the same {tag} into each key',
    );
  }
}
