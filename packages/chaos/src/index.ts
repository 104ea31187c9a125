// What the command and the tests use.
export { brokenAdapters, brokenNames, UNFENCED } from "./broken.js";
export type { Finding, Verdict } from "./judge/finding.js";
export { judgeRun } from "./judge/judge.js";
export { allFaults, COMMON_FAULTS, defaultFaults } from "./run/faults.js";
export { type ChaosOptions, type ChaosReport, type Progress, runChaos } from "./run/run-chaos.js";
export type { StoreKind } from "./stores/store-kind.js";
export { storeKind, storeKinds } from "./stores/store-kinds.js";
