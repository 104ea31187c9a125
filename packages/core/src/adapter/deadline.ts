// For adapters: the time one operation may take. A driver may never settle a call in flight, so every wait of an
// operation is raced against one timer of ours.

import type { Runtime } from "../runtime/runtime.js";

/** What a race yields when the operation's time is over. */
export const TIMED_OUT: unique symbol = Symbol("timed out");

/** One operation's time. */
export interface Deadline {
  /** The work's result, or TIMED_OUT if the time is over first. Late failures are swallowed. */
  race<T>(work: Promise<T>): Promise<T | typeof TIMED_OUT>;
  /** What is left, in milliseconds; 0 once the time is over. */
  remainingMs(): number;
  /** Frees the timer; call it once the operation has settled. */
  cancel(): void;
}

/** Starts an operation's time. */
export function startDeadline(runtime: Runtime, timeoutMs: number): Deadline {
  const endsAt = runtime.monotonicNow() + timeoutMs;
  let cancel = (): void => {};
  const end = new Promise<typeof TIMED_OUT>((resolve) => {
    cancel = runtime.setTimer(() => resolve(TIMED_OUT), timeoutMs);
  });
  return {
    race: (work) => Promise.race([work, end]),
    remainingMs: () => Math.max(0, endsAt - runtime.monotonicNow()),
    cancel,
  };
}
