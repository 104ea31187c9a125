// How a caller waits for another's outcome: it only reads, never writes. It polls with full jitter
// or wakes by `watch`, bounded by what is left of the lease and of its own deadline.

import type { AtomicStore } from "../contract/atomic-store.js";
import type { WatchableStore } from "../contract/capabilities.js";
import type { Runtime } from "../runtime/runtime.js";
import { type Deadline, jitter, pause, remainingMs } from "./time.js";

const FIRST_POLL_MS = 20;
const LONGEST_POLL_MS = 250;
// A lost wake-up must cost little, so a watcher polls as well, only more seldom.
const LONGEST_WATCHED_MS = 1_000;

/** Waits between looks at one key. */
export class Waiter {
  readonly #store: AtomicStore & Partial<WatchableStore>;
  readonly #key: string;
  readonly #runtime: Runtime;
  readonly #deadline: Deadline;
  readonly #signal: AbortSignal | undefined;
  #looks = 0;
  #watch: { readonly woken: Promise<void>; readonly controller: AbortController } | undefined;

  constructor(
    store: AtomicStore,
    key: string,
    runtime: Runtime,
    deadline: Deadline,
    signal: AbortSignal | undefined,
  ) {
    this.#store = store;
    this.#key = key;
    this.#runtime = runtime;
    this.#deadline = deadline;
    this.#signal = signal;
  }

  /** Call before each look, so that a change right after it still wakes. */
  arm(): void {
    if (this.#watch === undefined && this.#store.watch !== undefined) {
      const controller = new AbortController();
      this.#watch = { woken: this.#store.watch(this.#key, controller.signal), controller };
    }
  }

  /** Whether the deadline passed or the caller gave up. */
  get over(): boolean {
    return remainingMs(this.#runtime, this.#deadline) <= 0 || this.#signal?.aborted === true;
  }

  /** Pauses, at most `boundMs` (what is left of the lease). False when the wait is over. */
  async pause(boundMs: number): Promise<boolean> {
    if (this.over) {
      this.stop();
      return false;
    }
    const watched = this.#watch;
    const longest = watched
      ? LONGEST_WATCHED_MS
      : Math.min(FIRST_POLL_MS * 2 ** this.#looks, LONGEST_POLL_MS);
    this.#looks += 1;
    const polled = Math.min(jitter(this.#runtime, longest), Math.max(1, boundMs));
    const wait = Math.min(polled, remainingMs(this.#runtime, this.#deadline));
    await pause(this.#runtime, wait, this.#signal, watched?.woken);
    this.stop();
    return !this.over;
  }

  /** Ends the watch. */
  stop(): void {
    this.#watch?.controller.abort();
    this.#watch = undefined;
  }
}
