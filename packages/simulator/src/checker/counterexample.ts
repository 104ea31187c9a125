// The smallest part of a violated history that is violated too, for a person to read.
//
// Only what weakens a history is done to it, so that a violation that remains was there from the
// start. To delete a write is not of that kind: the read that saw its value would be left over as
// the "violation". So the end is cut off, read-only operations are deleted, and of the others only
// the outcome is forgotten. Operations of unknown outcome are left out last, where every operation
// that is still completed remains needed: what is shown is what matters.

import type { Model, Operation } from "./model.js";
import { until } from "./partition-search.js";
import { Search } from "./search.js";
import { drawTimeline } from "./timeline.js";

export interface Counterexample<State, Input, Output> {
  /**
   * Part of the history, by invocation. An operation whose outcome does not matter has lost its
   * output and its return.
   */
  readonly operations: readonly Operation<Input, Output>[];
  /**
   * Forgetting the outcome of any of its completed operations makes it linearizable. False if some
   * search for that was given up.
   */
  readonly minimal: boolean;
  /** The longest order of `operations` that the model accepts. */
  readonly longestPrefix: readonly Operation<Input, Output>[];
  /** The state after it. */
  readonly state: State;
  /** What real time lets come next, none of which the model accepts in that state. */
  readonly stuckAt: readonly Operation<Input, Output>[];
  /** A timeline of the operations and where they get stuck. */
  readonly text: string;
}

type Operations<Input, Output> = readonly Operation<Input, Output>[];

/** Makes a violated history as small as can be; `of` is how many operations there were at first. */
export function findCounterexample<State, Input, Output>(
  model: Model<State, Input, Output>,
  history: Operations<Input, Output>,
  maxSteps: number,
  of: number,
): Counterexample<State, Input, Output> {
  const minimizer = new Minimizer(model, maxSteps);
  const needed = minimizer.weaken(minimizer.cut(history));
  const operations = minimizer.leaveOut(needed);
  const search = new Search(model, operations);
  search.run(Infinity);
  const { order, state, next } = search.furthest();
  search.release();
  return {
    operations,
    minimal: minimizer.exact,
    longestPrefix: order,
    state,
    stuckAt: next,
    text: drawTimeline(model, { operations, order, state, next, of }),
  };
}

class Minimizer<State, Input, Output> {
  /** False once a search was given up. */
  exact = true;
  readonly #model: Model<State, Input, Output>;
  readonly #maxSteps: number;

  constructor(model: Model<State, Input, Output>, maxSteps: number) {
    this.#model = model;
    this.#maxSteps = maxSteps;
  }

  /** The history up to the first return at which it is violated. */
  cut(history: Operations<Input, Output>): Operations<Input, Output> {
    const returns = history.flatMap(({ returnedAt }) => returnedAt ?? []).sort((a, b) => a - b);
    let [fine, violated] = [-1, returns.length - 1];
    while (violated - fine > 1) {
      const middle = (fine + violated) >> 1;
      if (this.#isViolated(until(history, returns[middle] as number))) {
        violated = middle;
      } else {
        fine = middle;
      }
    }
    const shortest = until(history, returns[violated] as number);
    return [...shortest].sort((a, b) => a.invokedAt - b.invokedAt);
  }

  /** Forgets what can be forgotten, from the end. */
  weaken(history: Operations<Input, Output>): Operations<Input, Output> {
    let kept = history;
    for (let index = history.length - 1; index >= 0; index -= 1) {
      const weaker = kept[index]?.returnedAt === undefined ? undefined : this.#without(kept, index);
      if (weaker !== undefined && this.#isViolated(weaker)) {
        kept = weaker;
      }
    }
    return kept;
  }

  /** Leaves out unknown operations, many at once at first, while the completed remain needed. */
  leaveOut(history: Operations<Input, Output>): Operations<Input, Output> {
    let kept = history;
    for (let size = history.length; size >= 1; size >>= 1) {
      for (let end = kept.length; end > 0; end -= size) {
        const start = Math.max(0, end - size);
        const fewer = kept.filter(
          ({ returnedAt }, index) => returnedAt !== undefined || index < start || index >= end,
        );
        if (fewer.length < kept.length && this.#isNeeded(fewer)) {
          kept = fewer;
        }
      }
    }
    return kept;
  }

  #isNeeded(history: Operations<Input, Output>): boolean {
    return history.every(
      ({ returnedAt }, index) =>
        returnedAt === undefined || this.#isFine(this.#without(history, index)),
    );
  }

  /** The history without one completed operation, or at least without its outcome. */
  #without(history: Operations<Input, Output>, index: number): Operations<Input, Output> {
    const { process, input, output, invokedAt } = history[index] as Operation<Input, Output>;
    const left: Operations<Input, Output> =
      this.#model.isReadOnly?.(input, output) === true ? [] : [{ process, input, invokedAt }];
    return [...history.slice(0, index), ...left, ...history.slice(index + 1)];
  }

  #isViolated(history: Operations<Input, Output>): boolean {
    return this.#decide(history) === "violated";
  }

  #isFine(history: Operations<Input, Output>): boolean {
    return this.#decide(history) === "linearizable";
  }

  #decide(history: Operations<Input, Output>): string {
    const search = new Search(this.#model, history);
    const progress = search.run(this.#maxSteps);
    search.release();
    this.exact &&= progress !== "undecided";
    return progress;
  }
}
