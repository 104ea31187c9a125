// Runs a step again, while it may still help, within the time that one operation may take.

import {
  type Deadline,
  pause,
  type Runtime,
  StoreError,
  startDeadline,
  TIMED_OUT,
} from "@onceproof/core/advanced";

/** One round of an operation; undefined asks for another one. */
export type Round<T> = (deadline: Deadline) => Promise<T | undefined>;

const LONGEST_PAUSE_MS = 20;

/** What each dialect says of a table that is not there, by code or, on SQLite, in words. */
const NO_TABLE: readonly unknown[] = ["42P01", "ER_NO_SUCH_TABLE"];

/** What to do about what a new user meets first. */
export function remedyFor(error: Error & { readonly code?: unknown }): string {
  return NO_TABLE.includes(error.code) || error.message.startsWith("no such table")
    ? " (if it is the store's, migrate makes it: call it once, with the same table)"
    : "";
}

/** The error for what certainly did nothing, and for a read without an answer. */
export function unavailable(cause: unknown): StoreError {
  const detail = cause instanceof Error ? `: ${cause.message}${remedyFor(cause)}` : "";
  return new StoreError("unavailable", `the database did nothing or gave no answer${detail}`, {
    cause,
  });
}

/**
 * Runs rounds until one answers.
 *
 * Fails: StoreError `unavailable` when every round until the deadline asked for another one.
 */
export async function roundsUntil<T>(
  runtime: Runtime,
  deadline: Deadline,
  round: Round<T>,
): Promise<T> {
  for (let done = 0; deadline.remainingMs() > 0; done += 1) {
    const answer = await round(deadline);
    if (answer !== undefined) {
      return answer;
    }
    // Its timer may ring a moment before its clock says so: then no pause would be waited for.
    if ((await deadline.race(pause(runtime, Math.min(done, LONGEST_PAUSE_MS)))) === TIMED_OUT) {
      break;
    }
  }
  throw unavailable(new Error("others came first every time within the operation timeout"));
}

/** Gives `work` one operation's time. */
export async function withDeadline<T>(
  runtime: Runtime,
  timeoutMs: number,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const deadline = startDeadline(runtime, timeoutMs);
  try {
    return await work(deadline);
  } finally {
    deadline.cancel();
  }
}
