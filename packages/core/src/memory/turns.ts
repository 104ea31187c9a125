// Turns for transactions that have lost a round: if all ran again at once, all but one would lose
// again, and the last of many would run as often as there are others.

import type { Runtime } from "../runtime/runtime.js";

// Only politeness: a transaction may itself be what another one waits for, so nobody waits longer.
const PATIENCE_MS = 100;

/** A queue in which one goes on at a time, or when its patience ends. */
export class Turns {
  readonly #runtime: Runtime;
  #last: Promise<void> = Promise.resolve();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Settles with what ends the turn when those before have ended theirs. */
  async take(): Promise<() => void> {
    const before = this.#last;
    let end = (): void => {};
    this.#last = new Promise((resolve) => {
      end = resolve;
    });
    await new Promise<void>((resolve) => {
      const cancel = this.#runtime.setTimer(resolve, PATIENCE_MS);
      void before.then(() => {
        cancel();
        resolve();
      });
    });
    return end;
  }
}
