// Where the stores of a run come from. Each half of a disaster gets one of its own.

import { createMemoryStore } from "@onceproof/core";
import type { MultiKeyStore } from "@onceproof/core/advanced";
import { withRoundTrips } from "../world/round-trips.js";

export interface Stores {
  /** Opens one in which nothing was written yet; closing it frees all that it took. */
  open(): Promise<MultiKeyStore>;
  /** Ends what they share. */
  close(): Promise<void>;
}

/** Stores in memory. */
export const inMemory: Stores = {
  open: async () => withRoundTrips(createMemoryStore()),
  async close() {},
};
