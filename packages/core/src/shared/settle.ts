// Finds out what became of a write: on `unknown` the same write is sent again under the same opId
// until it is known or the deadline passes. Never a new opId, never a second run of user code.

import type { Unknown } from "../contract/atomic-store.js";
import { codeOf } from "../errors/errors.js";
import type { Runtime } from "../runtime/runtime.js";
import { type Deadline, jitter, pause } from "./time.js";

/** How long and how often an unanswered write is sent again. */
export interface SettleOptions {
  /** A first send that is under way, or over. */
  readonly first?: Promise<Answer | Unknown> | undefined;
  readonly runtime: Runtime;
  readonly deadline: Deadline;
  readonly signal?: AbortSignal | undefined;
  /** Also re-sends what certainly did nothing (a store that cannot be reached). */
  readonly persist?: boolean | undefined;
  /** Told once for the first send without an answer, and once when a later one found out. */
  readonly onUnknown?: (settled: boolean, cause: unknown) => void;
}

interface Answer {
  readonly outcome: "applied" | "refused";
}

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 500;

/**
 * Sends until the answer is known.
 *
 * Guarantee: one opId, at most one application. `afterUnknown` tells that an earlier send got no
 * answer: then a refused create does not mean that it never applied.
 * Fails: StoreError if nothing was ever sent that may have happened; `unknown` at the deadline.
 */
export async function settle<R extends Answer>(
  send: () => Promise<R | Unknown>,
  options: SettleOptions,
): Promise<(R & { readonly afterUnknown?: true }) | Unknown> {
  const { runtime, deadline, signal, onUnknown } = options;
  let { first } = options;
  let unanswered: Unknown | undefined;
  for (let longestMs = FIRST_PAUSE_MS; ; longestMs = Math.min(longestMs * 2, LONGEST_PAUSE_MS)) {
    let failure: unknown;
    try {
      const answer = await (first ?? send());
      if (answer.outcome !== "unknown") {
        if (!unanswered) {
          return answer as R;
        }
        onUnknown?.(true, unanswered.cause);
        return { ...(answer as R), afterUnknown: true };
      }
      if (!unanswered) {
        onUnknown?.(false, answer.cause);
      }
      unanswered = answer;
    } catch (error) {
      // A StoreError says that *this* send did nothing; an earlier one still may have.
      failure = error;
    }
    first = undefined;
    const again = unanswered || options.persist;
    const futile = failure !== undefined && codeOf(failure) !== "unavailable";
    if (again && !futile) {
      const wait = Math.min(jitter(runtime, longestMs), deadline - runtime.monotonicNow());
      await pause(runtime, wait, signal);
      if (deadline > runtime.monotonicNow() && !signal?.aborted) {
        continue;
      }
    }
    if (unanswered) {
      return unanswered;
    }
    throw failure;
  }
}
