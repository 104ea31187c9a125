// What most people need: a factory per algorithm, the in-memory store, the errors.

export type { AtomicStore } from "./contract/atomic-store.js";
export type { DedupContext, VerifyContext } from "./dedup/context.js";
export { type CallOptions, createDedup, type Dedup } from "./dedup/create-dedup.js";
export {
  createTransactionalDedup,
  type TransactionalDedup,
  type TransactionalDedupOptions,
} from "./dedup/create-transactional-dedup.js";
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
export type { TransactionHandler } from "./dedup/transaction-call.js";
export type { TransactionContext } from "./dedup/transaction-context.js";
export type { TransactionResult } from "./dedup/transaction-result.js";
export * from "./errors/errors.js";
export {
  type Admission,
  createFence,
  type Fence,
  type FenceOptions,
} from "./fence/create-fence.js";
export { createLock, type Locks, type TryAcquired } from "./lock/create-lock.js";
export type { Lock, ReleaseOutcome } from "./lock/held-lock.js";
export type { AcquireOptions, LockOptions } from "./lock/options.js";
export {
  createMemoryStore,
  type MemoryStore,
  type MemoryStoreOptions,
} from "./memory/memory-store.js";
export type { MemoryTransaction } from "./memory/transaction.js";
export {
  createRegister,
  type Register,
  type RegisterOptions,
  type UpdateOptions,
} from "./register/create-register.js";
export type { RegisterSnapshot, UpdateResult } from "./register/result.js";
export type { Refusal, Update, UpdateContext } from "./register/update.js";
export type { Algorithm } from "./shared/algorithm.js";
export type { NoAnswer } from "./shared/decide-once.js";
export type { Seen } from "./shared/entity.js";
export type { OnceproofEvent } from "./shared/events.js";
export type { FactoryOptions } from "./shared/factory-options.js";
export {
  type CreateOptions,
  createStateMachine,
  type FireOptions,
  type StateMachine,
  type StateMachineOptions,
} from "./state-machine/create-state-machine.js";
export type { StateMachineDefinition, Transition } from "./state-machine/definition.js";
export type { CreateResult, FireResult, HistoryItem } from "./state-machine/result.js";
export type { Snapshot } from "./state-machine/snapshot.js";
export {
  type ConsumeOptions,
  createTokens,
  type RunnableTokens,
  type RunnableTokensOptions,
  type Tokens,
} from "./tokens/create-tokens.js";
export type { SigningKey, TokensOptions } from "./tokens/options.js";
export type { Consumption } from "./tokens/record.js";
export {
  createUniqueInsert,
  type InsertOptions,
  type UniqueInsert,
} from "./unique-insert/create-unique-insert.js";
export type { Inserted, InsertResult, KeySet } from "./unique-insert/result.js";
