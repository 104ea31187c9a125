// Time that passes when a test says so, for what must end in time on a real server, however busy the
// machine is.
import { type Runtime, systemRuntime } from "@onceproof/core/advanced";

export interface DrivenClock {
  /** The system's, but for its monotonic clock and its timers. */
  readonly runtime: Runtime;
  /** Lets so much time pass, and what is due by then happen. */
  pass(ms: number): void;
}

/** A clock that stands still until it is told to pass. */
export function drivenClock(): DrivenClock {
  let nowMs = 0;
  const timers = new Set<{ readonly dueMs: number; readonly callback: () => void }>();
  return {
    runtime: {
      ...systemRuntime,
      monotonicNow: () => nowMs,
      setTimer(callback, ms) {
        const timer = { dueMs: nowMs + ms, callback };
        timers.add(timer);
        return () => void timers.delete(timer);
      },
    },
    pass(ms) {
      nowMs += ms;
      for (const timer of [...timers].sort((a, b) => a.dueMs - b.dueMs)) {
        if (timer.dueMs <= nowMs && timers.delete(timer)) timer.callback();
      }
    },
  };
}
