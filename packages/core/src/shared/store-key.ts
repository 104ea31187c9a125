// Where a record lives: the key on the wire. Length prefixes keep namespaces and algorithms apart
// whatever characters a caller uses.

import type { Algorithm } from "./algorithm.js";

/** The prefix of all keys of one factory. */
export function keyPrefix(name: string, algorithm: Algorithm): string {
  return `${name.length}:${name}${algorithm.length}:${algorithm}`;
}

/** The wire key of one key below a prefix. */
export function storeKey(prefix: string, key: string): string {
  return `${prefix}${key.length}:${key}`;
}
