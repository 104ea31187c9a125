// The unique keys of one insert, in one order and form, and where each is stored.

import { ArgumentError } from "../errors/errors.js";
import { checkKey } from "../shared/arguments.js";
import { storeKey } from "../shared/store-key.js";
import type { KeySet } from "./result.js";

/** The name of a key that was given alone. */
const SOLE = "key";
const MAX_KEYS = 32;

/** Names and keys in code-unit order of the names. */
export type SortedKeys = readonly [NamedKey, ...NamedKey[]];
type NamedKey = readonly [name: string, key: string];

/** Checks and sorts the keys of one insert. */
export function sortKeys(keys: string | KeySet): SortedKeys {
  if (typeof keys !== "object" || keys === null) {
    checkKey(keys, "keys");
    return [[SOLE, keys]];
  }
  const sorted = Object.entries(keys).sort(([a], [b]) => (a < b ? -1 : 1));
  const [first, ...others] = sorted;
  if (!first || sorted.length > MAX_KEYS) {
    throw new ArgumentError("optionInvalid", `an insert needs 1 to ${MAX_KEYS} keys`);
  }
  for (const [name, key] of sorted) {
    checkKey(name, "a key's name");
    checkKey(key, `key "${name}"`);
  }
  return [first, ...others];
}

/** Where one key is stored. */
export function uniqueKey(prefix: string, [name, key]: NamedKey): string {
  return storeKey(storeKey(prefix, name), key);
}
