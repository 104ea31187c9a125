// The independent judges: linearizability by its definition, without any of the checker's ideas.

import type { Model, Operation } from "@onceproof/simulator/checker";

type Operations = readonly Operation<unknown, unknown>[];
type AnyModel = Model<unknown, unknown, unknown>;

/** The states that a step leads to; none if the answer is wrong. */
function nextStates(
  model: AnyModel,
  state: unknown,
  { input, output, returnedAt }: Operation<unknown, unknown>,
) {
  const step = model.step(state, input, returnedAt === undefined ? undefined : output);
  return !step.ok ? [] : "states" in step ? step.states : [step.state];
}

/** Tries everything that may come next, until all completed operations are placed. */
export function judge(model: AnyModel, history: Operations): boolean {
  const placed = history.map(() => false);
  let left = history.filter(({ returnedAt }) => returnedAt !== undefined).length;
  const mayComeNext = (index: number): boolean =>
    !placed[index] &&
    !history.some(
      ({ returnedAt }, other) =>
        !placed[other] && returnedAt !== undefined && returnedAt < history[index]!.invokedAt,
    );
  const place = (state: unknown): boolean => {
    if (left === 0) {
      return true;
    }
    for (const [index, operation] of history.entries()) {
      if (mayComeNext(index)) {
        const completed = operation.returnedAt === undefined ? 0 : 1;
        placed[index] = true;
        left -= completed;
        const found = nextStates(model, state, operation).some(place);
        placed[index] = false;
        left += completed;
        if (found) {
          return true;
        }
      }
    }
    return false;
  };
  return place(model.init());
}

function* permutations<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length === 0) {
    yield [];
  }
  for (const [index, item] of items.entries()) {
    for (const rest of permutations(items.filter((_, at) => at !== index))) {
      yield [item, ...rest];
    }
  }
}

function* subsets<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let mask = 0; mask < 2 ** items.length; mask += 1) {
    yield items.filter((_, index) => (mask & (2 ** index)) !== 0);
  }
}

/** Word for word: some subset of the unknown operations, some permutation of all. */
export function judgeLiterally(model: AnyModel, history: Operations): boolean {
  const completed = history.filter(({ returnedAt }) => returnedAt !== undefined);
  const unknown = history.filter(({ returnedAt }) => returnedAt === undefined);
  for (const effective of subsets(unknown)) {
    for (const order of permutations([...completed, ...effective])) {
      const agrees = order.every((later, at) =>
        order.slice(0, at).every(({ invokedAt }) => !((later.returnedAt ?? Infinity) < invokedAt)),
      );
      const accepts = order.reduce<readonly unknown[]>(
        (states, operation) => states.flatMap((state) => nextStates(model, state, operation)),
        [model.init()],
      );
      if (agrees && accepts.length > 0) {
        return true;
      }
    }
  }
  return false;
}

/** Whether an order contains every completed operation, agrees with real time and is accepted. */
export function isWitness(model: AnyModel, history: Operations, order: Operations): boolean {
  const inHistory = order.every((operation) => history.includes(operation));
  const once = new Set(order).size === order.length;
  const all = history.every((each) => each.returnedAt === undefined || order.includes(each));
  const agrees = order.every((later, at) =>
    order.slice(0, at).every(({ invokedAt }) => !((later.returnedAt ?? Infinity) < invokedAt)),
  );
  const accepts = order.reduce<readonly unknown[]>(
    (states, operation) => states.flatMap((state) => nextStates(model, state, operation)),
    [model.init()],
  );
  return inHistory && once && all && agrees && accepts.length > 0;
}
