// The conformance kit: the clauses of the AtomicStore contract as cases for any store and any test
// runner, and stores that each break one clause, to try a harness on.

export { breakHarness } from "./broken/break-harness.js";
export type { Break } from "./broken/breakage.js";
export type { BrokenStore } from "./broken/broken-store.js";
export { brokenStores } from "./broken/broken-stores.js";
export { ConformanceError, ConformanceSkip } from "./checks.js";
export type {
  Clause,
  ConformanceCase,
  ConformanceFixture,
  ConformanceHarness,
  Lift,
  Need,
  SkipContext,
} from "./harness.js";
export {
  type CaseReport,
  type ConformanceOutcome,
  type ConformanceReport,
  formatConformance,
} from "./report.js";
export {
  type ConformanceProgress,
  type RunConformanceOptions,
  runStoreConformance,
} from "./run-store-conformance.js";
export { storeConformance } from "./store-conformance.js";
