// Time for a store whose calls a test makes fail by their timeout: it is long, as a busy machine
// needs, and passes in a moment where nobody is to answer.
import { type Runtime, systemRuntime } from "@onceproof/core/advanced";

const FASTER = 20;

export interface HurriedTime {
  /** The system's, but for how long its timers take. */
  readonly runtime: Runtime;
  /** Makes long timers that are set from now on twenty times as quick. Returns what lifts it. */
  hurry(): () => void;
}

/** `longMs` and more is long. */
export function hurriedTime(longMs: number): HurriedTime {
  const hurries = new Set<object>();
  return {
    runtime: {
      ...systemRuntime,
      setTimer: (callback, ms, background) =>
        systemRuntime.setTimer(
          callback,
          hurries.size > 0 && ms >= longMs ? ms / FASTER : ms,
          background,
        ),
    },
    hurry() {
      const own = {};
      hurries.add(own);
      return () => void hurries.delete(own);
    },
  };
}
