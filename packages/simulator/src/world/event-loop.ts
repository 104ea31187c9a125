// The heart of a world: virtual time, the timers, and the loop that carries out one event after the
// other and lets what it stirred run before the next.

import type { Guard } from "../guard/guard.js";
import { type Hop, recallAfterMicrotasks, tickHop } from "../runtime.js";
import { type Timer, TimerQueue } from "../timers.js";
import { SimulationError } from "../virtual-runtime.js";

export interface EventLoopOptions {
  readonly hop?: Hop | undefined;
  readonly hopAlways?: boolean | undefined;
  readonly maxEvents?: number | undefined;
  readonly guard: Guard | undefined;
}

export class EventLoop {
  readonly timers: TimerQueue = new TimerQueue();
  /** Virtual time since the start, in microseconds. */
  elapsedUs = 0;
  /** How many events were carried out. */
  events = 0;
  /** Whether the present event ran code of a node, so that microtasks may be due. */
  stirred = false;
  /** Whether a run lasts. */
  running = false;
  readonly #hop: Hop;
  readonly #hopAlways: boolean;
  readonly #maxEvents: number;
  readonly #guard: Guard | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor({ hop = tickHop, hopAlways = false, maxEvents = 200_000, guard }: EventLoopOptions) {
    this.#hop = hop;
    this.#hopAlways = hopAlways;
    this.#maxEvents = maxEvents;
    this.#guard = guard;
  }

  /** Sets a timer. Whole microseconds, whatever a plan's milliseconds are. */
  at(delayUs: number, callback: () => void): Timer {
    return this.timers.set(this.elapsedUs + Math.round(delayUs), callback);
  }

  /** Fails the run with this error once the present event is over. */
  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  /** Carries out events until the promise settles. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const settle = (): void => {
      settled = true;
    };
    promise.then(settle, settle);
    if (this.running) {
      throw new SimulationError("this world is being run already: await that run first");
    }
    this.running = true;
    this.#guard?.begin();
    try {
      await this.#drive(() => settled);
    } finally {
      this.#guard?.end();
      this.running = false;
    }
    return promise;
  }

  /** Lets what is due run, then carries out events until it is over. */
  #drive(isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const goOn = (): void => {
        try {
          this.#check();
          while (!isOver()) {
            this.#carryOutNext();
            if (this.stirred) {
              drain();
              return;
            }
            this.#check();
          }
          resolve();
        } catch (error) {
          reject(error);
        }
      };
      const drain = this.#drainer(goOn);
      drain();
    });
  }

  /** What calls back once no microtask is left, as the hop has it. */
  #drainer(callback: () => void): () => void {
    const hop = this.#hop;
    // The hop of most runs, without a promise for each event.
    const recall = hop === tickHop ? recallAfterMicrotasks(callback) : undefined;
    return recall ?? (() => void hop(this.#guard?.disarm).then(callback));
  }

  /** Fails the run if the last event did. */
  #check(): void {
    this.#guard?.disarm();
    this.#guard?.report();
    if (this.#failure !== undefined) {
      throw this.#failure.error;
    }
  }

  #carryOutNext(): void {
    const atUs = this.timers.nextAtUs();
    if (atUs === undefined) {
      throw new SimulationError(
        `stuck at ${this.elapsedUs / 1000} ms: something is awaited that nothing can settle`,
      );
    }
    if (this.events >= this.#maxEvents) {
      throw new SimulationError(
        `no end after ${this.#maxEvents} events, at ${this.elapsedUs / 1000} ms of virtual time`,
      );
    }
    this.events += 1;
    this.elapsedUs = Math.max(this.elapsedUs, atUs);
    this.stirred = this.#hopAlways;
    this.#guard?.arm();
    this.timers.take()?.();
  }
}
