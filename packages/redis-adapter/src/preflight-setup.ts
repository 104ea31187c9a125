// What preflight knows of a store: its client and what its user declared. A bare client has the
// defaults.

import type { StoreCapabilities } from "@onceproof/core/advanced";
import type { RedisClient } from "./client.js";

export type Durability = StoreCapabilities["durability"];

/** What a store's user chose, as far as it bears on the server. */
export interface Setup {
  readonly client: RedisClient;
  /** The Redis key of a store key. */
  readonly keyOf: (key: string) => string;
  /** Absent for a bare client: then nothing was declared. */
  readonly durability?: Durability;
  readonly evictionAllowed: boolean;
  readonly hashTags: boolean;
  readonly operationTimeoutMs: number;
  readonly waitReplicas: number;
  readonly watch: boolean;
}

const setups = new WeakMap<object, Setup>();

/** Lets preflight find what is behind a store. */
export function rememberSetup(store: object, setup: Setup): void {
  setups.set(store, setup);
}

/** What is behind a store, if it is one of ours. */
export function setupOf(store: object): Setup | undefined {
  return setups.get(store);
}
