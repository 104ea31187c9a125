// How a caller waits for another's outcome: it only reads, never writes. It polls with full jitter
// or wakes by `watch`, bounded by what is left of the lease and of its own deadline.

import type { Observation } from "../contract/atomic-store.js";
import type { WatchableStore } from "../contract/capabilities.js";
import { codeOf } from "../errors/errors.js";
import { checkSignal } from "./arguments.js";
import type { Base } from "./factory-options.js";
import type { Place } from "./send.js";
import { deadlineIn, jitter, pause } from "./time.js";

const FIRST_POLL_MS = 20;
const LONGEST_POLL_MS = 250;
// A lost wake-up must cost little, so a watcher polls as well, only more seldom.
const LONGEST_WATCHED_MS = 1_000;

/** Waits between looks at one key. */
export interface Waiter {
  /**
   * Pauses for at most `boundMs` (what is left of the lease), then looks; undefined when the wait
   * is over. Throws AbortedError when the caller's signal fires.
   */
  look(boundMs: number): Promise<Observation | undefined>;
  /** Ends the watch. */
  stop(): void;
}

export function createWaiter(
  { runtime, store, emit }: Base,
  { key, storeKey }: Place,
  waitMs: number,
  signal: AbortSignal | undefined,
): Waiter {
  const deadline = deadlineIn(runtime, waitMs);
  let pollMs = FIRST_POLL_MS;
  let waiting = false;
  let controller: AbortController | undefined;
  let woken: Promise<void> | undefined;
  let wakes = 0;

  const stop = (): void => {
    controller?.abort();
    woken = undefined;
  };
  return {
    async look(boundMs) {
      for (;;) {
        const leftMs = deadline - runtime.monotonicNow();
        if (leftMs <= 0) {
          return undefined;
        }
        if (!waiting) {
          waiting = true;
          emit(key, { type: "waiting" });
        }
        const longest = jitter(runtime, woken ? LONGEST_WATCHED_MS : pollMs);
        pollMs = Math.min(pollMs * 2, LONGEST_POLL_MS);
        const pauseMs = Math.min(longest, Math.max(1, boundMs), leftMs);
        const armedMs = runtime.monotonicNow();
        await pause(runtime, pauseMs, signal, woken);
        const restMs = armedMs + pauseMs - runtime.monotonicNow();
        if (woken && restMs > 0) {
          // A store may wake for nothing, at once and for ever, so each wake-up is trusted less.
          const most = Math.min(wakes * wakes, LONGEST_POLL_MS, restMs);
          if (most > 0) {
            await pause(runtime, jitter(runtime, most), signal);
          }
          wakes += 1;
        }
        stop();
        checkSignal(signal);
        if ("watch" in store) {
          // Armed before the look, so that a change right after it still wakes.
          controller = new AbortController();
          woken = (store as WatchableStore).watch(storeKey, controller.signal);
        }
        try {
          return await store.read(storeKey);
        } catch (error) {
          // A waiter outlasts an outage shorter than its wait.
          if (codeOf(error) !== "unavailable" || deadline <= runtime.monotonicNow()) {
            throw error;
          }
        }
      }
    },
    stop,
  };
}
