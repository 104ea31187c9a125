// A runtime whose wall clock stands apart from another's and can jump: a store's clock beside a
// client's. Timers, monotonic time and randomness stay those of the inner runtime.

import type { Runtime } from "@onceproof/core/advanced";

/** A runtime with a wall clock of its own. */
export interface SkewedRuntime extends Runtime {
  /** How far this wall clock is ahead of the inner one, in ms; negative if behind. */
  readonly offsetMs: number;
  /** Moves the wall clock to another offset at once. */
  setOffset(offsetMs: number): void;
  /** Moves the wall clock by so much, forward or back. */
  jumpBy(byMs: number): void;
}

/** Creates a runtime whose wall clock starts `offsetMs` ahead of the inner one. */
export function createSkewedRuntime(inner: Runtime, offsetMs = 0): SkewedRuntime {
  let offset = offsetMs;
  return {
    get offsetMs() {
      return offset;
    },
    setOffset(next) {
      offset = next;
    },
    jumpBy(byMs) {
      offset += byMs;
    },
    wallNow: () => inner.wallNow() + offset,
    monotonicNow: () => inner.monotonicNow(),
    setTimer: (callback, delayMs) => inner.setTimer(callback, delayMs),
    randomBytes: (length) => inner.randomBytes(length),
  };
}
