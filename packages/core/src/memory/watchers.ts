// Who waits for a key to change. Wake-ups only: nothing here is needed for correctness.

/** Wakes one waiter and forgets it. */
export type Wake = () => void;

/** The waiters of one data set, by key. */
export class Watchers {
  readonly #byKey = new Map<string, Set<Wake>>();

  /** Settles when the key is woken, the signal aborts, or a wake-up in `owned` is called. */
  wait(key: string, signal: AbortSignal, owned: Set<Wake>): Promise<void> {
    if (signal.aborted) {
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener("abort", wake);
        owned.delete(wake);
        this.#forget(key, wake);
        resolve();
      };
      signal.addEventListener("abort", wake, { once: true });
      owned.add(wake);
      const waiting = this.#byKey.get(key);
      if (waiting === undefined) {
        this.#byKey.set(key, new Set([wake]));
      } else {
        waiting.add(wake);
      }
    });
  }

  /** Wakes everyone who waits for the key. */
  wake(key: string): void {
    if (this.#byKey.size === 0) {
      return;
    }
    for (const wake of this.#byKey.get(key) ?? []) {
      wake();
    }
  }

  #forget(key: string, wake: Wake): void {
    const waiting = this.#byKey.get(key);
    waiting?.delete(wake);
    if (waiting?.size === 0) {
      this.#byKey.delete(key);
    }
  }
}
