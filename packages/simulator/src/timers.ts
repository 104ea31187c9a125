// A queue of timers ordered by time, then by the order in which they were set: a binary heap.

/** A timer that is set. */
export interface Timer {
  readonly atUs: number;
  readonly sequence: number;
  /** Undefined once it was cancelled or taken. */
  callback: (() => void) | undefined;
}

function before(a: Timer, b: Timer): boolean {
  return a.atUs < b.atUs || (a.atUs === b.atUs && a.sequence < b.sequence);
}

export class TimerQueue {
  readonly #heap: Timer[] = [];
  #sequence = 0;
  #live = 0;

  /** How many timers are set and not cancelled. */
  get size(): number {
    return this.#live;
  }

  /** Adds a timer and returns what cancels it. */
  add(atUs: number, callback: () => void): () => void {
    const timer = this.set(atUs, callback);
    return () => this.cancel(timer);
  }

  /** Adds a timer. Most are never cancelled, so what would cancel it is not made. */
  set(atUs: number, callback: () => void): Timer {
    const timer: Timer = { atUs, sequence: this.#sequence, callback };
    this.#sequence += 1;
    this.#live += 1;
    this.#push(timer);
    return timer;
  }

  cancel(timer: Timer): void {
    if (timer.callback !== undefined) {
      timer.callback = undefined;
      this.#live -= 1;
    }
  }

  /** The time of the next timer, or undefined. */
  nextAtUs(): number | undefined {
    const heap = this.#heap;
    let first = heap[0];
    while (first !== undefined && first.callback === undefined) {
      this.#pop();
      first = heap[0];
    }
    return first?.atUs;
  }

  /** Removes the next timer and returns its callback. */
  take(): (() => void) | undefined {
    if (this.nextAtUs() === undefined) {
      return undefined;
    }
    const timer = this.#pop();
    const callback = timer?.callback;
    if (timer !== undefined) {
      timer.callback = undefined;
      this.#live -= 1;
    }
    return callback;
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push(timer);
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = heap[parentIndex];
      if (parent === undefined || !before(timer, parent)) {
        break;
      }
      heap[index] = parent;
      index = parentIndex;
    }
    heap[index] = timer;
  }

  #pop(): Timer | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) {
      return first;
    }
    let index = 0;
    for (;;) {
      let childIndex = 2 * index + 1;
      let child = heap[childIndex];
      const right = heap[childIndex + 1];
      if (child !== undefined && right !== undefined && before(right, child)) {
        childIndex += 1;
        child = right;
      }
      if (child === undefined || !before(child, last)) {
        break;
      }
      heap[index] = child;
      index = childIndex;
    }
    heap[index] = last;
    return first;
  }
}
