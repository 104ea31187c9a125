// The linearizability checker: a verdict on any history, with a counterexample that a person can
// read, and ready models of common objects.

export {
  type CheckOptions,
  checkHistory,
  type Linearizable,
  type PartitionOrder,
  type Undecided,
  type Verdict,
  type Violated,
} from "./check.js";
export type { Counterexample } from "./counterexample.js";
export type { History, Model, Operation, PartitionKey, Step } from "./model.js";
export {
  type AppendListInput,
  type AppendListOutput,
  appendListModel,
} from "./models/append-list.js";
export {
  type AtomicStoreModelOptions,
  atomicStoreModel,
  type StoreInput,
  type StoreOutput,
} from "./models/atomic-store.js";
export {
  type QueueInput,
  type QueueOutput,
  queueModel,
  type SetInput,
  setModel,
} from "./models/collections.js";
export { type CounterInput, type CounterOutput, counterModel } from "./models/counter.js";
export { type LockInput, type LockOutput, type LockState, lockModel } from "./models/lock.js";
export { type RegisterInput, type RegisterOutput, registerModel } from "./models/register.js";
export type { StoreSlot, StoreState } from "./models/store-slot.js";
export { createRecorder, type Invocation, type Recorder } from "./recorder.js";
export {
  createRecordingStore,
  type RecordingStore,
  type RecordingStoreOptions,
} from "./recording-store.js";
