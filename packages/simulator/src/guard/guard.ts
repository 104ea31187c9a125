// When the traps are armed: while a world carries out an event and while the microtasks of it run,
// and at no other time, so that the host's own clocks and timers go on undisturbed.

import { afterMicrotasks } from "../runtime.js";
import type { NondeterminismError } from "./nondeterminism-error.js";
import { removeTraps, setTraps, unwatchTraps, watchTraps } from "./traps.js";

/**
 * Watches over the runs of one world.
 *
 * Guarantee: between `arm` and `disarm` whatever touches real time or randomness is stopped with a
 * NondeterminismError, and `report` throws the first of them even if the code swallowed it. Worlds
 * whose microtasks interleave can't be told apart: each of them reports it, and so is a microtask of
 * the host's that runs between theirs. Where nothing tells when the microtasks of an event are over
 * (workerd, a bare context) the host's macrotasks are stopped too while a run lasts.
 *
 * What was kept before the run (`const { now } = Date`), what a module of Node's exports
 * (`node:crypto`, `node:timers`) and what works on threads (`crypto.subtle`, files) is not seen:
 * `checkDeterminism` may find it.
 */
export class Guard {
  #found: NondeterminismError | undefined;

  readonly #watch = (error: NondeterminismError): void => {
    this.#found ??= error;
  };

  /** Sets the traps, unarmed. Each `begin` needs its `end`. */
  begin(): void {
    setTraps();
  }

  /** Restores the globals, unless another run still needs the traps. */
  end(): void {
    this.disarm();
    removeTraps();
  }

  readonly arm = (): void => watchTraps(this.#watch);

  readonly disarm = (): void => unwatchTraps(this.#watch);

  /** Throws what was found, if anything was. */
  report(): void {
    if (this.#found !== undefined) {
      throw this.#found;
    }
  }

  /**
   * Runs what happens between runs, as the start of a node's program does. Its microtasks are watched
   * too where the host tells when they are over (Node, Bun and Deno).
   */
  aside(callback: () => void): void {
    setTraps();
    if (afterMicrotasks !== undefined) {
      setTraps();
      // Queued before any microtask of the callback, so it runs before them.
      void settled.then(this.arm);
      afterMicrotasks(() => this.end());
    }
    this.arm();
    try {
      callback();
    } finally {
      this.end();
    }
  }
}

const settled = Promise.resolve();
