// The check of a history: each partition is searched, in turns, until one is found to violate the
// model, all are found to be linearizable, or the budget is spent.

import { ArgumentError } from "@onceproof/core/advanced";
import { type Counterexample, findCounterexample } from "./counterexample.js";
import type { History, Model, Operation, PartitionKey } from "./model.js";
import { PartitionSearch } from "./partition-search.js";

/** Options of `checkHistory`. */
export interface CheckOptions {
  /** How many steps of the model may be asked for in all. @defaultValue 2_000_000, below 1 s for a register */
  readonly maxSteps?: number;
  /** The same for each search that makes a counterexample smaller. @defaultValue 200_000 */
  readonly maxStepsToMinimize?: number;
}

/** An order of one partition's operations that the model accepts. */
export interface PartitionOrder<Input, Output> {
  /** Undefined if the model has no partitions. */
  readonly partition: PartitionKey | undefined;
  /** Every completed operation, and those of unknown outcome that must have taken effect. */
  readonly order: readonly Operation<Input, Output>[];
}

/** Every partition has an order that the model accepts and that agrees with real time. */
export interface Linearizable<Input, Output> {
  readonly verdict: "linearizable";
  readonly orders: readonly PartitionOrder<Input, Output>[];
  readonly steps: number;
}

/** One partition has no such order. */
export interface Violated<State, Input, Output> {
  readonly verdict: "violated";
  readonly partition: PartitionKey | undefined;
  /** A smallest part of the history that has none either; worked out when first read. */
  readonly counterexample: Counterexample<State, Input, Output>;
  readonly steps: number;
}

/** The budget was spent before an answer was found. */
export interface Undecided<State, Input, Output> {
  readonly verdict: "undecided";
  /** Goes on from here, for at most this many further steps. */
  continue(maxSteps: number): Verdict<State, Input, Output>;
  readonly steps: number;
}

export type Verdict<State, Input, Output> =
  | Linearizable<Input, Output>
  | Violated<State, Input, Output>
  | Undecided<State, Input, Output>;

const DEFAULT_MAX_STEPS = 2_000_000;
const DEFAULT_STEPS_TO_MINIMIZE = 200_000;
const FIRST_TURN = 256;

interface Part<State, Input, Output> {
  readonly partition: PartitionKey | undefined;
  readonly search: PartitionSearch<State, Input, Output>;
}

/**
 * Decides whether a history is linearizable: whether every operation can have taken effect at one
 * instant between its invocation and its return, in an order that the model accepts.
 *
 * Guarantee: exact, both ways, for a model that is right; `undecided` only when `maxSteps` are
 * spent. An operation without a return may take effect at any time after its invocation, or never.
 * Cost: the problem is NP-complete; a few microseconds for a short history, and exponential at
 * worst in how many operations overlap. Memory grows with the steps: about 40 bytes each.
 * Fails: ArgumentError `optionInvalid` for times that are no numbers or run backwards, for a
 * completed read-only operation without an output, which would say nothing, and for a model whose
 * step returns something other than a `Step`.
 * @see Lowe, Testing for linearizability, 2017; Horn and Kroening, Faster linearizability checking
 * via P-compositionality, 2015
 */
export function checkHistory<State, Input, Output>(
  model: Model<State, Input, Output>,
  history: History<Input, Output>,
  options: CheckOptions = {},
): Verdict<State, Input, Output> {
  const { maxSteps = DEFAULT_MAX_STEPS, maxStepsToMinimize = DEFAULT_STEPS_TO_MINIMIZE } = options;
  checkBudget(maxSteps, "maxSteps");
  checkBudget(maxStepsToMinimize, "maxStepsToMinimize");
  if ((model.equals === undefined) !== (model.hash === undefined)) {
    throw new ArgumentError("optionInvalid", "a model needs both equals and hash, or neither");
  }
  for (const operation of history) {
    checkOperation(model, operation);
  }
  const parts = partsOf(model, history);
  return goOn(model, parts, maxSteps, maxStepsToMinimize);
}

function goOn<State, Input, Output>(
  model: Model<State, Input, Output>,
  parts: readonly Part<State, Input, Output>[],
  maxSteps: number,
  maxStepsToMinimize: number,
): Verdict<State, Input, Output> {
  const violated = takeTurns(parts, maxSteps);
  const steps = parts.reduce((sum, { search }) => sum + search.steps, 0);
  if (violated === "undecided") {
    return {
      verdict: "undecided",
      steps,
      continue(further) {
        checkBudget(further, "maxSteps");
        return goOn(model, parts, further, maxStepsToMinimize);
      },
    };
  }
  if (violated === undefined) {
    const orders = parts.map(({ partition, search }) => ({ partition, order: search.order() }));
    return { verdict: "linearizable", orders, steps };
  }
  const { partition, search } = violated;
  let counterexample: Counterexample<State, Input, Output> | undefined;
  return {
    verdict: "violated",
    partition,
    steps,
    get counterexample() {
      counterexample ??= findCounterexample(model, search.history, maxStepsToMinimize, search.size);
      return counterexample;
    },
  };
}

/** Runs the searches in growing turns, so that a short one does not wait for a long one. */
function takeTurns<State, Input, Output>(
  parts: readonly Part<State, Input, Output>[],
  maxSteps: number,
): Part<State, Input, Output> | "undecided" | undefined {
  let left = maxSteps;
  let open = parts;
  for (let turn = FIRST_TURN; left > 0; turn *= 2) {
    const undecided: Part<State, Input, Output>[] = [];
    for (const part of open) {
      const before = part.search.steps;
      const progress = part.search.run(Math.min(turn, Math.max(0, left)));
      left -= part.search.steps - before;
      if (progress === "undecided") {
        undecided.push(part);
      } else if (progress === "violated") {
        return part;
      }
    }
    if (undecided.length === 0) {
      return undefined;
    }
    open = undecided;
  }
  return "undecided";
}

function partsOf<State, Input, Output>(
  model: Model<State, Input, Output>,
  history: History<Input, Output>,
): Part<State, Input, Output>[] {
  const only = onlyKey(model, history);
  if (only !== undefined) {
    return [{ partition: only.key, search: new PartitionSearch(model, history) }];
  }
  const byKey = new Map<PartitionKey, Operation<Input, Output>[]>();
  for (const operation of history) {
    const key = model.partitionKey?.(operation.input) ?? "";
    const part = byKey.get(key);
    if (part === undefined) {
      byKey.set(key, [operation]);
    } else {
      part.push(operation);
    }
  }
  return [...byKey].map(([partition, part]) => ({
    partition,
    search: new PartitionSearch(model, part),
  }));
}

/** The key of all operations, if there is but one, so that nothing need be sorted out. */
function onlyKey<State, Input, Output>(
  model: Model<State, Input, Output>,
  history: History<Input, Output>,
): { readonly key: PartitionKey | undefined } | undefined {
  const [first] = history;
  if (model.partitionKey === undefined || first === undefined) {
    return { key: undefined };
  }
  const key = model.partitionKey(first.input);
  for (const { input } of history) {
    if (model.partitionKey(input) !== key) {
      return undefined;
    }
  }
  return { key };
}

function checkBudget(value: number, name: string): void {
  if (!(value > 0)) {
    throw new ArgumentError("optionInvalid", `${name} must be above 0, got ${value}`);
  }
}

function checkOperation<State, Input, Output>(
  model: Model<State, Input, Output>,
  { process, input, output, invokedAt, returnedAt }: Operation<Input, Output>,
): void {
  if (returnedAt === undefined) {
    if (Number.isNaN(invokedAt) || typeof invokedAt !== "number") {
      throw new ArgumentError("optionInvalid", `invokedAt must be a number, got ${invokedAt}`);
    }
    return;
  }
  if (!(invokedAt <= returnedAt)) {
    throw new ArgumentError(
      "optionInvalid",
      `an operation of process ${process} returns at ${returnedAt}, before it was invoked at ` +
        `${invokedAt}: record both on one clock`,
    );
  }
  if (output === undefined && model.isReadOnly?.(input, output) === true) {
    throw new ArgumentError(
      "optionInvalid",
      `a completed read of process ${process} has no output: record null for nothing, or leave ` +
        "out its return if its answer is not known",
    );
  }
}
