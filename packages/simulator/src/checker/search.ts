// The search for an order of one partition that the model accepts: Wing and Gong's, with Lowe's
// memory of what has been met. It can stop at any step and go on later.
//
// What keeps it short: it ends when every *completed* operation is placed; a right read-only
// operation that leaves the state as it is gets placed at once; an unknown operation is tried only
// where it changes the state, and after its identical twin. It goes deep from return to return, but
// wide between two: the fewest operations that let the next return happen are found first.

import { Configurations, FIRST, MASK, STATE, TRAIL } from "./configurations.js";
import type { Model, Operation } from "./model.js";
import { layOut, type Problem } from "./problem.js";
import { ILLEGAL, Transitions } from "./transitions.js";

/** How far a search has come. */
export type Progress = "linearizable" | "violated" | "undecided";

/** An order of some operations, and the state that it leads to. */
export interface Path<State, Input, Output> {
  readonly order: readonly Operation<Input, Output>[];
  readonly state: State;
  /** Which operations could have come next, as far as real time allows. */
  readonly next: readonly Operation<Input, Output>[];
}

/** The configurations that wait for the same return, in the order in which they are tried. */
interface Level {
  head: number;
  tail: number;
  /** How many of the head's candidates have been tried. */
  cursor: number;
}

export class Search<State, Input, Output> {
  /** How many steps of the model have been asked for so far. */
  steps = 0;
  readonly #problem: Problem<Input, Output>;
  readonly #transitions: Transitions<State, Input, Output>;
  readonly #met: Configurations;
  /** One for each return that the search has reached, the furthest last. */
  readonly #levels: Level[] = [];
  /** For each configuration the one that is to be tried after it, or -1. */
  readonly #after: number[] = [];
  /** Pairs of the trail before and the operation placed: every path, as a tree. */
  readonly #trail: number[] = [];
  #progress: Progress = "undecided";
  #end = -1;
  #reached = 0;

  constructor(model: Model<State, Input, Output>, history: readonly Operation<Input, Output>[]) {
    this.#problem = layOut(model, history);
    const { operations, completed, slotCount } = this.#problem;
    this.#transitions = new Transitions(model, operations, completed);
    this.#met = new Configurations(slotCount, operations.length - completed);
    this.#transitions.states.intern(model.init());
    this.#met.data[TRAIL] = -1;
    if (completed === 0 || this.#placeReads(0)) {
      this.#progress = "linearizable";
    } else {
      this.#openLevel(this.#met.keep());
    }
  }

  /** Goes on for about `steps` steps, or until it is decided. */
  run(steps: number): Progress {
    const stopAt = this.steps + steps;
    while (this.#progress === "undecided" && this.steps < stopAt) {
      this.#advance();
    }
    return this.#progress;
  }

  /** When the furthest operation that the search had to wait for returned. */
  reached(): number {
    return this.#problem.operations[this.#reached]?.returnedAt ?? -Infinity;
  }

  /** Gives the memory back; of what follows only `order` may be called then. */
  release(): void {
    this.#met.release();
    this.#transitions.release();
  }

  /** The order that was found, if it is linearizable. */
  order(): readonly Operation<Input, Output>[] {
    return this.#progress === "linearizable" ? this.#orderOf(this.#end) : [];
  }

  /** The longest order of completed operations that was found, and where it got stuck. */
  furthest(): Path<State, Input, Output> {
    const { data, length, stride } = this.#met;
    let best = 0;
    let most = -1;
    for (let id = 0; id < length; id += 1) {
      const placed = this.#placed(id * stride);
      if (placed > most) {
        best = id * stride;
        most = placed;
      }
    }
    const { operations } = this.#problem;
    return {
      order: this.#orderOf(data[best + TRAIL] as number),
      state: this.#transitions.states.list[data[best + STATE] as number] as State,
      next: this.#candidates(data[best + FIRST] as number)
        .filter((rank) => !this.#isPlaced(best, rank))
        .map((rank) => operations[rank] as Operation<Input, Output>),
    };
  }

  #advance(): void {
    const level = this.#levels.at(-1);
    if (level === undefined) {
      this.#progress = "violated";
      return;
    }
    if (level.head < 0) {
      this.#levels.pop();
      return;
    }
    const { candidateStart, candidates, unknownBefore, completed } = this.#problem;
    const base = level.head * this.#met.stride;
    const first = this.#met.data[base + FIRST] as number;
    const at = (candidateStart[first] as number) + level.cursor;
    const index = at - (candidateStart[first + 1] as number);
    level.cursor += 1;
    if (index < 0) {
      const operation = candidates[at] as number;
      if (!this.#isPlaced(base, operation)) {
        this.#try(level, operation, this.#ask(base, operation));
      }
    } else if (index < (unknownBefore[first] as number)) {
      this.#tryUnknown(level, base, index, completed + index);
    } else {
      level.head = this.#after[level.head] as number;
      level.cursor = 0;
    }
  }

  #tryUnknown(level: Level, base: number, index: number, operation: number): void {
    const twin = this.#problem.twins[index] as number;
    if (this.#isUsed(base, index) || (twin >= 0 && !this.#isUsed(base, twin))) {
      return;
    }
    const next = this.#ask(base, operation);
    // One that changes nothing here is better kept for later.
    if (next !== this.#met.data[base + STATE]) {
      this.#try(level, operation, next);
    }
  }

  #try(level: Level, operation: number, next: number): void {
    const id = level.head;
    if (next > ILLEGAL) {
      this.#place(level, id, operation, next);
    } else if (next < ILLEGAL) {
      for (const state of this.#transitions.set(next)) {
        this.#place(level, id, operation, state);
      }
    }
  }

  #place(level: Level, id: number, operation: number, state: number): void {
    if (this.#progress === "linearizable") {
      return;
    }
    const base = this.#met.draft(id);
    const trailBefore = this.#trail.length;
    const first = this.#met.data[base + FIRST] as number;
    this.#met.data[base + STATE] = state;
    if (this.#mark(base, operation) || this.#placeReads(base)) {
      this.#progress = "linearizable";
      return;
    }
    const kept = this.#met.keep();
    if (kept < 0) {
      this.#trail.length = trailBefore;
    } else if (this.#met.data[base + FIRST] === first) {
      this.#after[level.tail] = kept;
      this.#after[kept] = -1;
      level.tail = kept;
    } else {
      this.#openLevel(kept);
    }
  }

  #openLevel(id: number): void {
    const first = this.#met.data[id * this.#met.stride + FIRST] as number;
    this.#reached = Math.max(this.#reached, first);
    this.#after[id] = -1;
    this.#levels.push({ head: id, tail: id, cursor: 0 });
  }

  /** Places what is read-only and right here. Says whether that was all. */
  #placeReads(base: number): boolean {
    const { data } = this.#met;
    const { candidateStart, candidates, readOnly } = this.#problem;
    let first = data[base + FIRST] as number;
    let at = candidateStart[first] as number;
    while (at < (candidateStart[first + 1] as number)) {
      const operation = candidates[at] as number;
      at += 1;
      if (
        readOnly[operation] === true &&
        !this.#isPlaced(base, operation) &&
        this.#ask(base, operation) === data[base + STATE]
      ) {
        if (this.#mark(base, operation)) {
          return true;
        }
        if (data[base + FIRST] !== first) {
          first = data[base + FIRST] as number;
          at = candidateStart[first] as number;
        }
      }
    }
    return false;
  }

  /** Marks an operation as placed. Says whether every completed one is now. */
  #mark(base: number, operation: number): boolean {
    const { data } = this.#met;
    const { completed, slots } = this.#problem;
    this.#trail.push(data[base + TRAIL] as number, operation);
    this.#end = this.#trail.length - 2;
    data[base + TRAIL] = this.#end;
    if (operation >= completed) {
      setBit(data, base + this.#met.unknownAt, operation - completed);
      return false;
    }
    let first = data[base + FIRST] as number;
    setBit(data, base + MASK, slots[operation] as number);
    // A slot is free for others once the first operation that is not placed lies behind it.
    while (first < completed && hasBit(data, base + MASK, slots[first] as number)) {
      clearBit(data, base + MASK, slots[first] as number);
      first += 1;
    }
    data[base + FIRST] = first;
    return first === completed;
  }

  #ask(base: number, operation: number): number {
    this.steps += 1;
    return this.#transitions.next(this.#met.data[base + STATE] as number, operation);
  }

  #isPlaced(base: number, rank: number): boolean {
    return hasBit(this.#met.data, base + MASK, this.#problem.slots[rank] as number);
  }

  #isUsed(base: number, index: number): boolean {
    return hasBit(this.#met.data, base + this.#met.unknownAt, index);
  }

  #candidates(first: number): readonly number[] {
    const { candidates, candidateStart } = this.#problem;
    return candidates.slice(candidateStart[first], candidateStart[first + 1]);
  }

  #placed(base: number): number {
    const first = this.#met.data[base + FIRST] as number;
    return first + this.#candidates(first).filter((rank) => this.#isPlaced(base, rank)).length;
  }

  #orderOf(end: number): readonly Operation<Input, Output>[] {
    const order: Operation<Input, Output>[] = [];
    for (let at = end; at >= 0; at = this.#trail[at] as number) {
      const operation = this.#problem.operations[this.#trail[at + 1] as number];
      order.push(operation as Operation<Input, Output>);
    }
    return order.reverse();
  }
}

function hasBit(data: Int32Array, base: number, index: number): boolean {
  return ((data[base + (index >> 5)] as number) & (1 << (index & 31))) !== 0;
}

function setBit(data: Int32Array, base: number, index: number): void {
  data[base + (index >> 5)] = (data[base + (index >> 5)] as number) | (1 << (index & 31));
}

function clearBit(data: Int32Array, base: number, index: number): void {
  data[base + (index >> 5)] = (data[base + (index >> 5)] as number) & ~(1 << (index & 31));
}
