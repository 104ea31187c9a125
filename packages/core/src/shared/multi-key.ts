// Which stores can write several keys in one step: told by their methods, so that wrappers and
// other copies of this package count too.

import type { AtomicStore } from "../contract/atomic-store.js";
import type { MultiKeyStore } from "../contract/capabilities.js";

/** The store as one that writes several keys, or undefined if it cannot. */
export function multiKeyOf(store: AtomicStore): MultiKeyStore | undefined {
  const { writeAll } = store as Partial<MultiKeyStore>;
  return typeof writeAll === "function" ? (store as MultiKeyStore) : undefined;
}
