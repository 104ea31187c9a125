// A store behind a bad network: requests and replies get lost, late and doubled, and the store's
// clock jumps, as a seed or a plan decides. The store behind it stays correct.

import { createMemoryStore, type MemoryStore, type MemoryStoreOptions } from "@onceproof/core";
import type { AtomicStore } from "@onceproof/core/advanced";
import type { Fault, PlannedFault } from "./faults.js";
import { FaultyClient } from "./faulty-client.js";
import { FaultyNetwork } from "./faulty-network.js";
import type { FaultyStoreOptions } from "./faulty-store-options.js";
import { createSkewedRuntime, type SkewedRuntime } from "./skewed-runtime.js";

/** A faulty store and what steers it. */
export interface FaultyStore<S extends AtomicStore> {
  /** What a client sees, with the same optional capabilities as the inner store. */
  readonly store: S;
  /** Every fault that struck so far: given as the `plan` of another run, it repeats this one. */
  readonly struck: readonly PlannedFault[];
  /** How many calls were made. */
  readonly calls: number;
  /** How many requests are still on their way, late and doubled ones included. */
  readonly inFlight: number;
  /** Lets these faults strike the next call, beside what the plan or the seed has for it. */
  inject(...faults: readonly Fault[]): void;
  /** No new faults from now on; what is on its way still arrives. */
  heal(): void;
}

/** Puts a bad network in front of a store. Same runtime, seed and calls: same faults. */
export function createFaultyStore<S extends AtomicStore>(
  inner: S,
  options: FaultyStoreOptions,
): FaultyStore<S> {
  const network = new FaultyNetwork(inner.capabilities, options);
  const client = new FaultyClient(inner, network);
  return {
    store: client.facade,
    get struck() {
      return [...network.struck];
    },
    get calls() {
      return network.calls;
    },
    get inFlight() {
      return network.inFlight;
    },
    inject: (...faults) => network.inject(faults),
    heal: () => network.heal(),
  };
}

/** Options of `createFaultyMemoryStore`. */
export interface FaultyMemoryStoreOptions extends Omit<FaultyStoreOptions, "clock"> {
  /** Options of the memory store behind it. */
  readonly memory?: Omit<MemoryStoreOptions, "runtime">;
}

/** A faulty memory store, with the store's own clock and a way past the network. */
export interface FaultyMemoryStore extends FaultyStore<MemoryStore> {
  /** The store's clock, apart from the client's. */
  readonly clock: SkewedRuntime;
  /** The same data without faults: for oracles. */
  readonly direct: MemoryStore;
}

/** Creates a memory store on a clock of its own behind a bad network. */
export function createFaultyMemoryStore(options: FaultyMemoryStoreOptions): FaultyMemoryStore {
  const { memory, ...network } = options;
  const clock = createSkewedRuntime(options.runtime);
  const direct = createMemoryStore({ ...memory, runtime: clock });
  const faulty = createFaultyStore(direct.peer(), { ...network, clock });
  return Object.defineProperties({} as FaultyMemoryStore, {
    ...Object.getOwnPropertyDescriptors(faulty),
    clock: { value: clock, enumerable: true },
    direct: { value: direct, enumerable: true },
  });
}
