// The model's steps between numbered states, each asked once: the search meets the same operation
// in the same state many times.

import { ArgumentError } from "@onceproof/core/advanced";
import type { Model, Operation } from "./model.js";
import { show } from "./plain-data.js";
import { Scratch } from "./scratch.js";
import { States } from "./states.js";

/** The answer is wrong in this state. Other answers: a state's number, or below it a set's. */
export const ILLEGAL = -1;

// Beyond this many pairs of a state and an operation, what is remembered costs more than it saves.
const MAX_REMEMBERED = 1 << 22;

/** The steps of one search. */
export class Transitions<State, Input, Output> {
  readonly states: States<State>;
  readonly #model: Model<State, Input, Output>;
  readonly #operations: readonly Operation<Input, Output>[];
  readonly #completed: number;
  /** By state and operation: 0 if not asked yet, else the answer + 2 or, for a set, its - 1. */
  readonly #remembered: Scratch;
  readonly #sets: (readonly number[])[] = [];

  constructor(
    model: Model<State, Input, Output>,
    operations: readonly Operation<Input, Output>[],
    completed: number,
  ) {
    this.#model = model;
    this.#operations = operations;
    this.#completed = completed;
    this.states = new States(model as Model<State, unknown, unknown>);
    this.#remembered = new Scratch(Math.min(MAX_REMEMBERED, 4 * operations.length));
  }

  /** A state's number, ILLEGAL, or a number below it that `set` turns into several states. */
  next(state: number, operation: number): number {
    const at = state * this.#operations.length + operation;
    if (at < this.#remembered.size) {
      const known = this.#remembered.data[at] as number;
      if (known !== 0) {
        return known > 0 ? known - 2 : known;
      }
    }
    const answer = this.#ask(state, operation);
    if (at < MAX_REMEMBERED) {
      if (at >= this.#remembered.size) {
        this.#remembered.grow(Math.min(MAX_REMEMBERED, Math.max(at + 1, 2 * at)));
      }
      this.#remembered.data[at] = answer < ILLEGAL ? answer : answer + 2;
    }
    return answer;
  }

  /** The states of an answer below ILLEGAL. */
  set(answer: number): readonly number[] {
    return this.#sets[ILLEGAL - 1 - answer] as readonly number[];
  }

  /** Gives the memory back, after which nothing may be asked. */
  release(): void {
    this.#remembered.release();
  }

  #ask(state: number, operation: number): number {
    const { input, output } = this.#operations[operation] as Operation<Input, Output>;
    const known = operation < this.#completed ? output : undefined;
    const step = this.#model.step(this.states.list[state] as State, input, known);
    if (step?.ok === false) {
      return ILLEGAL;
    }
    if (step?.ok !== true || !("state" in step || Array.isArray(step.states))) {
      throw noStep(this.#model.name, step);
    }
    if (!("states" in step)) {
      return this.states.intern(step.state);
    }
    const ids = [...new Set(step.states.map((each) => this.states.intern(each)))];
    if (ids.length < 2) {
      return ids[0] ?? ILLEGAL;
    }
    this.#sets.push(ids);
    return ILLEGAL - this.#sets.length;
  }
}

/** A step that forgets its `return` must not be taken for a wrong answer of the object. */
function noStep(name: string, step: unknown): ArgumentError {
  return new ArgumentError(
    "optionInvalid",
    `model ${name}: step must return { ok: true, state } (or states, a list), or { ok: false }, ` +
      `and not a promise; got ${show(step)}`,
  );
}
