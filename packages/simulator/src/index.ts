// The public surface: a driven runtime, a call counter and a faulty store. The full simulator
// (nodes, links, store profiles, fault portfolios, oracles) comes next.

export {
  type CallCounter,
  type CallCounts,
  countCalls,
} from "./counting-store.js";
export {
  DEFAULT_RATES,
  type Fault,
  type FaultRates,
  NO_FAULTS,
  type PlannedFault,
} from "./faults.js";
export {
  createFaultyMemoryStore,
  createFaultyStore,
  type FaultyMemoryStore,
  type FaultyMemoryStoreOptions,
  type FaultyStore,
} from "./faulty-store.js";
export type { FaultyStoreOptions } from "./faulty-store-options.js";
export { createRandom, type Random } from "./random.js";
export type { Hop } from "./runtime.js";
export { createSkewedRuntime, type SkewedRuntime } from "./skewed-runtime.js";
export {
  createVirtualRuntime,
  SimulationError,
  type VirtualRuntime,
  type VirtualRuntimeOptions,
} from "./virtual-runtime.js";
