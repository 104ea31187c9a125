// The search of one partition, with a scout where it takes long.
//
// A violation shows at some return, but operations that return later hide it: the search must place
// each of them somewhere, in every possible way. Up to that return they might as well never happen,
// and of what may never happen far less has to be tried. So the scout searches the history only as
// far as the search has come: if that is violated, all of it is.

import type { Model, Operation } from "./model.js";
import { type Progress, Search } from "./search.js";

const SCOUT_AFTER = 4_096;

/** What had been seen at an instant: what had not returned by then is unknown. */
export function until<Input, Output>(
  history: readonly Operation<Input, Output>[],
  time: number,
): readonly Operation<Input, Output>[] {
  return history
    .filter(({ invokedAt }) => invokedAt <= time)
    .map((operation) => {
      const { process, input, invokedAt, returnedAt } = operation;
      return returnedAt !== undefined && returnedAt <= time
        ? operation
        : { process, input, invokedAt };
    });
}

export class PartitionSearch<State, Input, Output> {
  /** The part of the history that was found to be violated; at first all of it. */
  history: readonly Operation<Input, Output>[];
  /** How many operations the partition has. */
  readonly size: number;
  readonly #model: Model<State, Input, Output>;
  readonly #search: Search<State, Input, Output>;
  #scout: Search<State, Input, Output> | undefined;
  #scouted = -Infinity;
  #scoutSteps = 0;

  constructor(model: Model<State, Input, Output>, history: readonly Operation<Input, Output>[]) {
    this.#model = model;
    this.history = history;
    this.size = history.length;
    this.#search = new Search(model, history);
  }

  get steps(): number {
    return this.#search.steps + this.#scoutSteps;
  }

  /** Goes on for about `steps` steps, or until it is decided. */
  run(steps: number): Progress {
    const scouts = this.#search.steps >= SCOUT_AFTER;
    const progress = this.#search.run(scouts ? steps / 2 : steps);
    const decided = progress === "undecided" && scouts ? this.#runScout(steps / 2) : progress;
    if (decided !== "undecided") {
      this.#search.release();
      this.#scout?.release();
    }
    return decided;
  }

  /** The order that was found, if it is linearizable. */
  order(): readonly Operation<Input, Output>[] {
    return this.#search.order();
  }

  #runScout(steps: number): Progress {
    const reached = this.#search.reached();
    if (this.#scout === undefined && reached > this.#scouted) {
      this.#scouted = reached;
      this.#scout = new Search(this.#model, until(this.history, reached));
    }
    if (this.#scout === undefined) {
      return "undecided";
    }
    const before = this.#scout.steps;
    const progress = this.#scout.run(steps);
    this.#scoutSteps += this.#scout.steps - before;
    if (progress === "violated") {
      this.history = until(this.history, this.#scouted);
      return "violated";
    }
    if (progress === "linearizable") {
      this.#scout.release();
      this.#scout = undefined;
    }
    return "undecided";
  }
}
