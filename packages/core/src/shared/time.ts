// Elapsed time, deadlines and pauses, all through the Runtime port.

import type { Runtime } from "../runtime/runtime.js";

/** A moment on both clocks of this machine. */
export interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** The present moment. */
export function instantNow(runtime: Runtime): Instant {
  return { monotonicMs: runtime.monotonicNow(), wallMs: runtime.wallNow() };
}

/**
 * Milliseconds since `since`, on the larger of the two clocks: a suspended machine freezes the
 * monotonic one, and a step back of the wall clock must not make a lease longer.
 */
export function elapsedMs(runtime: Runtime, since: Instant): number {
  return Math.max(runtime.monotonicNow() - since.monotonicMs, runtime.wallNow() - since.wallMs);
}

/** A point of monotonic time after which nothing new is sent. */
export type Deadline = number;

export function deadlineIn(runtime: Runtime, ms: number): Deadline {
  return runtime.monotonicNow() + ms;
}

export function remainingMs(runtime: Runtime, deadline: Deadline): number {
  return deadline - runtime.monotonicNow();
}

/** Resolves after `ms`, or at once when the signal aborts or `wake` settles. Never rejects. */
export function pause(
  runtime: Runtime,
  ms: number,
  signal?: AbortSignal,
  wake?: Promise<void>,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const end = (): void => {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const cancel = runtime.setTimer(end, Math.max(0, ms));
    signal?.addEventListener("abort", end);
    wake?.then(end, end);
  });
}

/** A random duration in (0, ms]: full jitter keeps retries from moving in step. */
export function jitter(runtime: Runtime, ms: number): number {
  const [a = 0, b = 0] = runtime.randomBytes(2);
  return (ms * (a * 256 + b + 1)) / 65_536;
}
