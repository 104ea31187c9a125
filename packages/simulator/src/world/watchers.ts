// Who waits for which key to change, and the wake-up that reaches them a moment later.

import type { Party } from "./party.js";

const WAKE_UP_US = 500;

/** The watchers of a world's store. */
export class Watchers {
  readonly #at: (delayUs: number, callback: () => void) => void;
  readonly #byKey = new Map<string, Set<() => void>>();

  constructor(at: (delayUs: number, callback: () => void) => void) {
    this.#at = at;
  }

  /** Settles once the key may have changed, or the signal aborts: for this life of the party. */
  watch(party: Party, life: number, key: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const watchers = this.#byKey.get(key) ?? new Set();
      this.#byKey.set(key, watchers);
      const end = (): void => {
        signal.removeEventListener("abort", end);
        if (watchers.delete(end)) {
          party.enter(life, resolve);
        }
      };
      watchers.add(end);
      signal.addEventListener("abort", end, { once: true });
      if (signal.aborted) {
        end();
      }
    });
  }

  /** Tells watchers of a key, a moment later. */
  wake(key: string): void {
    const watchers = this.#byKey.get(key);
    if (watchers === undefined || watchers.size === 0) {
      return;
    }
    const woken = [...watchers];
    this.#at(WAKE_UP_US, () => {
      for (const end of woken) {
        end();
      }
    });
  }
}
