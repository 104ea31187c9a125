// For authors of adapters and of other shapes: the contract, stamps, the runtime port, claims.

export { boundedKey } from "./adapter/bounded-key.js";
export { type Deadline, startDeadline, TIMED_OUT } from "./adapter/deadline.js";
export { driverError } from "./adapter/driver-error.js";
export { entityKeyOf } from "./adapter/entity-key.js";
export type * from "./contract/atomic-store.js";
export type * from "./contract/capabilities.js";
export {
  checkStoreKey,
  checkWrite,
  checkWriteAll,
  utf8Length,
} from "./contract/check-write.js";
export type * from "./contract/store-capabilities.js";
export {
  type BeginOptions,
  type Begun,
  createDedupClaims,
  type DedupClaim,
  type DedupClaims,
} from "./dedup/create-dedup-claims.js";
export { ArgumentError, FormatError, OnceproofError, StoreError } from "./errors/errors.js";
export type { Slot } from "./memory/slot.js";
export { readStep, type SlotView, writeAllStep, writeStep } from "./memory/steps.js";
export { type Runtime, systemRuntime } from "./runtime/runtime.js";
export { prefixEnd } from "./shared/store-key.js";
export { pause } from "./shared/time.js";
export { checkDefinition, type Transitions } from "./state-machine/definition.js";
