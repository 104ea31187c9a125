// The one port through which time, timers and randomness come in. Nothing else in core touches
// them, so a simulator that supplies another Runtime replays every run exactly.

/** Time, timers and randomness. */
export interface Runtime {
  /** Wall-clock time in milliseconds since the epoch; may jump. */
  wallNow(): number;
  /** Milliseconds since an arbitrary start; never goes back, may freeze while suspended. */
  monotonicNow(): number;
  /**
   * Calls back once, not before `delayMs` has passed. Returns a function that cancels it. A timer in
   * the `background` does not keep a process alive by itself, where the runtime can tell.
   */
  setTimer(callback: () => void, delayMs: number, background?: boolean): () => void;
  /** Fills with cryptographically secure random bytes. */
  randomBytes(length: number): Uint8Array;
}

// Timers beyond 2^31-1 ms fire at once in every engine, so a longer delay is clamped; callers
// judge the clock again when they wake.
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The runtime of the machine: `Date`, `performance`, `setTimeout` and `crypto`. */
export const systemRuntime: Runtime = {
  wallNow: () => Date.now(),
  monotonicNow: () => performance.now(),
  setTimer(callback, delayMs, background) {
    const handle = setTimeout(callback, Math.min(Math.ceil(delayMs), MAX_TIMER_MS));
    if (background) {
      (handle as { unref?(): void }).unref?.();
    }
    return () => clearTimeout(handle);
  },
  randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
};
