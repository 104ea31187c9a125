// A driven runtime: time stands still while code runs and moves to the next timer when nothing is
// left to do, so a test of hours takes milliseconds and repeats exactly.

import type { Runtime } from "@onceproof/core/advanced";
import { createRandom } from "./random.js";
import { type Hop, macrotaskHop } from "./runtime.js";
import { TimerQueue } from "./timers.js";

/** Options of `createVirtualRuntime`. */
export interface VirtualRuntimeOptions {
  /** Determines the random bytes. @defaultValue 1 */
  readonly seed?: number;
  /** The wall clock at the start, in ms since the epoch. @defaultValue 1_800_000_000_000 */
  readonly startMs?: number;
  /** How every pending microtask is let run. @defaultValue a macrotask of the host */
  readonly hop?: Hop;
  /** The most timers that one `run` fires before it calls the run stuck. @defaultValue 1_000_000 */
  readonly maxEvents?: number;
}

/** A runtime that a test drives. */
export interface VirtualRuntime extends Runtime {
  /**
   * Lets microtasks run and fires timers in order of time until the promise settles, then settles
   * with it. Time moves only here and in `advance`.
   *
   * Fails: with a SimulationError if nothing is left that could settle it, after `maxEvents`
   * timers, or when another drive is running.
   */
  run<T>(promise: PromiseLike<T>): Promise<T>;
  /** Fires what is due within `byMs` and leaves the clock exactly that much later. */
  advance(byMs: number): Promise<void>;
  /** Settles after `delayMs` of virtual time: for code that `run` drives. */
  sleep(delayMs: number): Promise<void>;
  /** Moves the wall clock, forward or back; monotonic time and timers do not notice. */
  jumpWall(byMs: number): void;
  /** How many timers are set. */
  readonly pendingTimers: number;
}

/** The simulation itself can't go on: a deadlock, a livelock or a misuse. */
export class SimulationError extends Error {
  override readonly name = "SimulationError";
}

/** Creates a runtime whose time only moves when driven. */
export function createVirtualRuntime(options: VirtualRuntimeOptions = {}): VirtualRuntime {
  const {
    seed = 1,
    startMs = 1_800_000_000_000,
    hop = macrotaskHop,
    maxEvents = 1_000_000,
  } = options;
  const random = createRandom(seed);
  const timers = new TimerQueue();
  // Whole microseconds, so that sums never drift.
  let elapsedUs = 0;
  let wallOffsetMs = startMs;
  let driving = false;

  const setTimer = (callback: () => void, delayMs: number): (() => void) =>
    timers.add(elapsedUs + Math.max(0, Math.ceil(delayMs * 1000)), callback);

  const fireNext = (): void => {
    elapsedUs = Math.max(elapsedUs, timers.nextAtUs() ?? 0);
    timers.take()?.();
  };

  const drive = async (body: () => Promise<void>): Promise<void> => {
    if (driving) {
      throw new SimulationError(
        "this runtime is already being driven: inside `run`, use `sleep` instead of `advance`",
      );
    }
    driving = true;
    try {
      await body();
    } finally {
      driving = false;
    }
  };

  return {
    wallNow: () => wallOffsetMs + elapsedUs / 1000,
    monotonicNow: () => elapsedUs / 1000,
    setTimer,
    randomBytes: (length) => random.bytes(length),
    async run(promise) {
      let settled = false;
      const settle = (): void => {
        settled = true;
      };
      promise.then(settle, settle);
      await drive(async () => {
        await hop();
        for (let events = 0; !settled; events += 1) {
          if (timers.size === 0) {
            throw new SimulationError(
              `deadlock at ${elapsedUs / 1000} ms: the promise is pending and no timer is set`,
            );
          }
          if (events === maxEvents) {
            throw new SimulationError(
              `still pending after ${maxEvents} timers, at ${elapsedUs / 1000} ms`,
            );
          }
          fireNext();
          await hop();
        }
      });
      return promise;
    },
    advance: (byMs) =>
      drive(async () => {
        const untilUs = elapsedUs + Math.max(0, Math.ceil(byMs * 1000));
        await hop();
        while ((timers.nextAtUs() ?? Number.POSITIVE_INFINITY) <= untilUs) {
          fireNext();
          await hop();
        }
        elapsedUs = untilUs;
      }),
    sleep: (delayMs) => new Promise((resolve) => void setTimer(resolve, delayMs)),
    jumpWall(byMs) {
      wallOffsetMs += byMs;
    },
    get pendingTimers() {
      return timers.size;
    },
  };
}
