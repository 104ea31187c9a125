// What the command and the tests use.
export { brokenAdapters, brokenNames, UNFENCED } from "./broken.js";
export { judgeRun } from "./oracles/judge.js";
export type { Verdict, Violation } from "./oracles/violation.js";
export { allFaults, COMMON_FAULTS, defaultFaults } from "./run/faults.js";
export { type ChaosOptions, type ChaosReport, type Progress, runChaos } from "./run/run-chaos.js";
export type { StoreKind } from "./stores/store-kind.js";
export { storeKind, storeKinds } from "./stores/store-kinds.js";
