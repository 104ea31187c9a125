// What the checker is told: an object as a pure function of its states, and a history of what was
// asked of it and answered.

/** What a model says of one operation in one state. */
export type Step<State> =
  /** The answer is right in this state, and leads to the next one. */
  | { readonly ok: true; readonly state: State }
  /** The answer is right, and any of these may be the next state. */
  | { readonly ok: true; readonly states: readonly State[] }
  /** No correct object in this state gives this answer. */
  | { readonly ok: false };

/** Names an independent part of the object, such as one key of a store. */
export type PartitionKey = string | number;

/**
 * A sequential object, as pure data and functions: no step may change a state that it was given.
 *
 * Guarantee: a verdict is as good as the model. `isReadOnly`, `partitionKey` and `equals` only make
 * it faster; a wrong one makes it wrong.
 */
export interface Model<State, Input, Output> {
  readonly name: string;
  /** The state before the first operation. */
  init(): State;
  /**
   * Judges one operation in one state. `output` is undefined when it is not known: then every
   * answer counts as right, and only the next state matters.
   */
  step(state: State, input: Input, output: Output | undefined): Step<State>;
  /** Operations of different keys never influence each other, so each key is checked alone. */
  partitionKey?(input: Input): PartitionKey;
  /**
   * Whether an operation with this input and this output changes nothing in *any* state: a read, a
   * refused write. Its step may only narrow down what the state says of things not yet known.
   */
  isReadOnly?(input: Input, output: Output | undefined): boolean;
  /** Whether two states behave alike. @defaultValue equality of plain data, else identity */
  equals?(left: State, right: State): boolean;
  /** A whole number, the same for equal states; goes with `equals`. */
  hash?(state: State): number;
  /** One operation on one line. @defaultValue its input and output as data */
  describe?(input: Input, output: Output | undefined): string;
  /** One state on one line. @defaultValue the state as data */
  describeState?(state: State): string;
}

/**
 * One operation as its caller saw it. One that returned before another was invoked precedes it;
 * equal times count as overlapping, which can hide a violation but never invents one.
 */
export interface Operation<Input, Output> {
  /** Who asked; only shown. */
  readonly process: string | number;
  readonly input: Input;
  /** Absent when it is not known; a read that found nothing needs a value for it, such as null. */
  readonly output?: Output;
  /** When it was asked, on any clock that all operations of the history share. */
  readonly invokedAt: number;
  /** When it was answered. Absent: it may take effect at any time after `invokedAt`, or never. */
  readonly returnedAt?: number;
}

/** Operations in any order. */
export type History<Input, Output> = readonly Operation<Input, Output>[];
