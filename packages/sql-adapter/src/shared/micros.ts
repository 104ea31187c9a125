// Times to live in the store's unit.

import type { Ttl } from "@onceproof/core/advanced";

/** Microseconds, rounded up; null is never. */
export function micros(ttlMs: Ttl): number | null {
  return ttlMs === "never" ? null : Math.ceil(ttlMs * 1000);
}
