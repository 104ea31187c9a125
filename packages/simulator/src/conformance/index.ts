// The conformance kit: the clauses of the AtomicStore contract as cases for any store and any test
// runner, and stores that each break one clause, to try a harness on.

export { type BrokenStore, brokenStores } from "./broken-stores.js";
export { ConformanceError, ConformanceSkip } from "./checks.js";
export type {
  Clause,
  ConformanceCase,
  ConformanceFixture,
  ConformanceHarness,
  Need,
  SkipContext,
} from "./harness.js";
export { storeConformance } from "./store-conformance.js";
