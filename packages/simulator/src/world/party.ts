// One process of a world: its clocks, its timers, and whether it is up. Timers and answers of a
// paused process wait, those of a crashed one never come, and what it has sent still arrives.

import type { Runtime } from "@onceproof/core/advanced";
import { createRandom, type Random } from "../random.js";
import type { Timer, TimerQueue } from "../timers.js";
import { mix } from "./choices.js";

export type PartyState = "up" | "paused" | "suspended" | "down";

/** What a party needs from its world. */
export interface PartyHost {
  readonly timers: TimerQueue;
  readonly seed: number;
  elapsedUs(): number;
  /** Tells the world that code of this party is about to run. */
  stir(): void;
}

export interface PartyClock {
  /** The wall clock at the start of the run, in microseconds since the epoch. */
  readonly startUs: number;
  /** How fast its clocks run: 1 is true time. */
  readonly rate: number;
}

export class Party {
  readonly name: string;
  readonly index: number;
  state: PartyState = "up";
  /** 1 until the first crash. */
  life = 1;
  readonly #host: PartyHost;
  readonly #rate: number;
  #wallUs: number;
  #frozenUs = 0;
  #frozenAtUs = 0;
  #held: (() => void)[] = [];
  #pauses = 0;

  constructor(host: PartyHost, name: string, index: number, clock: PartyClock) {
    this.#host = host;
    this.name = name;
    this.index = index;
    this.#rate = clock.rate;
    this.#wallUs = clock.startUs;
  }

  /** Runs the callback as this life of the process: later while it is paused, never after a crash. */
  enter(life: number, callback: () => void): void {
    if (life !== this.life) {
      return;
    }
    if (this.state === "up") {
      this.#host.stir();
      callback();
    } else {
      this.#held.push(callback);
    }
  }

  crash(): void {
    this.state = "down";
    this.life += 1;
    this.#held = [];
    this.#pauses += 1;
  }

  /** Stops the process; the number names this stop, so that only its own end resumes it. */
  stop(state: "paused" | "suspended"): number {
    if (this.state === "up") {
      this.state = state;
      this.#frozenAtUs = this.#host.elapsedUs();
      this.#pauses += 1;
    }
    return this.#pauses;
  }

  /** Whether this stop is still on. */
  stopped(stop: number): boolean {
    return stop === this.#pauses && (this.state === "paused" || this.state === "suspended");
  }

  /** Goes on. What waited happens one thing after the other, each as an event of its own. */
  resume(): void {
    if (this.state === "suspended") {
      this.#frozenUs += this.#host.elapsedUs() - this.#frozenAtUs;
    }
    this.state = "up";
    const { life } = this;
    for (const callback of this.#held.splice(0)) {
      this.#host.timers.set(this.#host.elapsedUs(), () => this.enter(life, callback));
    }
  }

  jumpWall(byUs: number): void {
    this.#wallUs += byUs;
  }

  #monotonicUs(): number {
    const frozen = this.state === "suspended" ? this.#host.elapsedUs() - this.#frozenAtUs : 0;
    return (this.#host.elapsedUs() - this.#frozenUs - frozen) * this.#rate;
  }

  /** The runtime of this life. */
  runtime(): Runtime {
    const { life } = this;
    const host = this.#host;
    // Made at the first draw: clients and services that only wait never draw.
    let random: Random | undefined;
    const monotonicNow = (): number => this.#monotonicUs() / 1000;
    const arm = (delayMs: number, ring: () => void): Timer => {
      const delayUs = Math.max(0, Math.ceil((delayMs * 1000) / this.#rate));
      return host.timers.set(host.elapsedUs() + delayUs, ring);
    };
    return {
      wallNow: () => (this.#wallUs + host.elapsedUs() * this.#rate) / 1000,
      monotonicNow,
      setTimer: (callback, delayMs) => {
        const dueMs = monotonicNow() + delayMs;
        let cancelled = false;
        const fire = (): void => {
          if (cancelled) {
            return;
          }
          // A suspension froze the clock that this timer counts by.
          const leftMs = dueMs - monotonicNow();
          if (leftMs > 0.001) {
            armed = arm(leftMs, ring);
          } else {
            callback();
          }
        };
        const ring = (): void => this.enter(life, fire);
        let armed = arm(delayMs, ring);
        return () => {
          cancelled = true;
          host.timers.cancel(armed);
        };
      },
      randomBytes: (length) => {
        random ??= createRandom(mix(host.seed, (this.index + 1) * 4096 + life));
        return random.bytes(length);
      },
    };
  }
}
