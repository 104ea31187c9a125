// One partition of a history, laid out for the search: what may come next is looked up, not sought.
//
// Completed operations are numbered by their return. While r is the first one that is not placed
// yet, every operation before r is placed, and what may be placed next are exactly those that were
// invoked before r returned: r's candidates. All of them overlap the instant of r's return, so a
// few slots, given to operations as they are invoked and freed as they return, tell them apart. A
// set of placed operations is therefore (r, a mask of slots), however long the history is.

import type { Model, Operation } from "./model.js";
import { hashData, sameData } from "./plain-data.js";

// Below this the engine's sort costs more than a simple one.
const FEW = 64;

export interface Problem<Input, Output> {
  /** The completed operations by return, then the unknown ones by invocation. */
  readonly operations: readonly Operation<Input, Output>[];
  readonly completed: number;
  /** The candidates of r are `candidates` from `candidateStart[r]` to `candidateStart[r + 1]`. */
  readonly candidateStart: readonly number[];
  readonly candidates: readonly number[];
  /** The slot of each completed operation. */
  readonly slots: readonly number[];
  readonly slotCount: number;
  /** How many unknown operations had been invoked when r returned. */
  readonly unknownBefore: readonly number[];
  /** For each unknown operation the latest identical one before it, or -1. */
  readonly twins: readonly number[];
  readonly readOnly: readonly boolean[];
}

type Completed<Input, Output> = Operation<Input, Output> & { readonly returnedAt: number };

function isCompleted<Input, Output>(
  operation: Operation<Input, Output>,
): operation is Completed<Input, Output> {
  return operation.returnedAt !== undefined;
}

function twinsOf(unknown: readonly Operation<unknown, unknown>[]): number[] {
  const twins: number[] = [];
  const latest = new Map<number, number[]>();
  for (const { input } of unknown) {
    const index = twins.length;
    const hash = hashData(input);
    const alike = latest.get(hash);
    const at = alike?.findIndex((each) => sameData(unknown[each]?.input, input)) ?? -1;
    twins.push(alike?.[at] ?? -1);
    if (alike === undefined) {
      latest.set(hash, [index]);
    } else {
      alike[at === -1 ? alike.length : at] = index;
    }
  }
  return twins;
}

type Window = Pick<
  Problem<unknown, unknown>,
  "candidateStart" | "candidates" | "slots" | "slotCount"
>;

/** Sweeps over the returns: which operations overlap each of them, and in which slots. */
function sweep(completed: readonly Completed<unknown, unknown>[]): Window {
  const byInvocation: number[] = [];
  const slots: number[] = [];
  for (let rank = 0; rank < completed.length; rank += 1) {
    byInvocation.push(rank);
    slots.push(0);
  }
  sortBy(byInvocation, (rank) => invokedAt(completed, rank));
  const candidateStart: number[] = [];
  const candidates: number[] = [];
  const free: number[] = [];
  const active: number[] = [];
  let slotCount = 0;
  let next = 0;
  for (let first = 0; first < completed.length; first += 1) {
    const { returnedAt } = completed[first] as Completed<unknown, unknown>;
    while (next < completed.length) {
      const rank = byInvocation[next] as number;
      if (invokedAt(completed, rank) > returnedAt) {
        break;
      }
      next += 1;
      slots[rank] = free.pop() ?? slotCount++;
      insert(active, rank);
    }
    candidateStart.push(candidates.length);
    for (const rank of active) {
      candidates.push(rank);
    }
    active.shift();
    free.push(slots[first] as number);
  }
  candidateStart.push(candidates.length);
  return { candidateStart, candidates, slots, slotCount };
}

function invokedAt(operations: readonly Operation<unknown, unknown>[], rank: number): number {
  return (operations[rank] as Operation<unknown, unknown>).invokedAt;
}

function insert(ascending: number[], value: number): void {
  let at = ascending.length;
  while (at > 0 && (ascending[at - 1] as number) > value) {
    ascending[at] = ascending[at - 1] as number;
    at -= 1;
  }
  ascending[at] = value;
}

/** Sorts in place, and keeps the order of equals. */
function sortBy<Item>(items: Item[], key: (item: Item) => number): void {
  if (items.length > FEW) {
    items.sort((a, b) => key(a) - key(b));
    return;
  }
  for (let index = 1; index < items.length; index += 1) {
    const item = items[index] as Item;
    let at = index;
    while (at > 0 && key(items[at - 1] as Item) > key(item)) {
      items[at] = items[at - 1] as Item;
      at -= 1;
    }
    items[at] = item;
  }
}

/** Lays out one partition. Unknown operations that change nothing in any state are left out. */
export function layOut<State, Input, Output>(
  model: Model<State, Input, Output>,
  history: readonly Operation<Input, Output>[],
): Problem<Input, Output> {
  const completed: Completed<Input, Output>[] = [];
  const unknown: Operation<Input, Output>[] = [];
  for (const operation of history) {
    if (isCompleted(operation)) {
      completed.push(operation);
    } else if (model.isReadOnly?.(operation.input, undefined) !== true) {
      unknown.push(operation);
    }
  }
  sortBy(completed, (operation) => operation.returnedAt);
  sortBy(unknown, (operation) => operation.invokedAt);
  const unknownBefore: number[] = [];
  const readOnly: boolean[] = [];
  let before = 0;
  for (const { input, output, returnedAt } of completed) {
    while (before < unknown.length && invokedAt(unknown, before) <= returnedAt) {
      before += 1;
    }
    unknownBefore.push(before);
    readOnly.push(model.isReadOnly?.(input, output) === true);
  }
  const { candidateStart, candidates, slots, slotCount } = sweep(completed);
  return {
    operations: unknown.length === 0 ? completed : [...completed, ...unknown],
    completed: completed.length,
    candidateStart,
    candidates,
    slots,
    slotCount,
    unknownBefore,
    twins: unknown.length < 2 ? [-1] : twinsOf(unknown),
    readOnly,
  };
}
