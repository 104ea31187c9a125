// What most people need: a factory per algorithm, the in-memory store, the errors.

export type { DedupContext, VerifyContext } from "./dedup/context.js";
export { type CallOptions, createDedup, type Dedup } from "./dedup/create-dedup.js";
export type { Handler } from "./dedup/execute.js";
export type { Inspection, Resolution, ResolveResult } from "./dedup/inspect.js";
export type { KeyTime } from "./dedup/key-time.js";
export type {
  DedupOptions,
  Disposition,
  OnCrash,
  Verify,
  VerifyAnswer,
} from "./dedup/options.js";
export type { DedupResult, IndeterminateReason } from "./dedup/outcome.js";
export * from "./errors/errors.js";
export type { Algorithm } from "./shared/algorithm.js";
export type { OnceproofEvent } from "./shared/events.js";
