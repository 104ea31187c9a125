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

/** Where the prefix of a wire key ends, which all keys of one factory share; 0 if it is none. */
export function prefixEnd(key: string): number {
  const end = partEnd(key, partEnd(key, 0));
  return end <= key.length ? end : 0;
}

/** Where a part ends that begins with its length; NaN where none does. */
function partEnd(key: string, start: number): number {
  const [length, digits] = /^(\d+):/.exec(key.slice(start, start + 5)) ?? [];
  return length === undefined ? Number.NaN : start + length.length + Number(digits);
}
