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
export { type RegisterInput, type RegisterOutput, registerModel } from "./models/register.js";
export { createRecorder, type Invocation, type Recorder } from "./recorder.js";
