// A dedup in the store's transaction: round after round until one has committed, another's outcome
// stands, or it is known that neither is to be had in time.

import type { Entry, Write } from "../contract/atomic-store.js";
import { codeOf } from "../errors/errors.js";
import { checkSignal } from "../shared/arguments.js";
import { fingerprintsDiffer } from "../shared/fingerprint.js";
import { send } from "../shared/send.js";
import { deadlineIn, jitter, pause } from "../shared/time.js";
import { createWaiter } from "../shared/waiter.js";
import { recorded } from "./acquire.js";
import { classify, obtain, rejectionOf } from "./execute.js";
import type { Settled } from "./outcome.js";
import {
  encodeDedup,
  isUnresolved,
  leaseLeftMs,
  type OpenRecord,
  type RunningRecord,
  standing,
} from "./record.js";
import type { TransactionResult } from "./transaction-result.js";
import { playRound, type Round, type TransactionCall } from "./transaction-round.js";

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

/** What a call knows from round to round. */
interface Knowledge<T> {
  /** What the claim was refused by, or what stands since. */
  entry: Entry | undefined;
  now: number;
  /** What would be true if an unanswered commit took place, by the opId of its record. */
  readonly unanswered: Map<string, TransactionResult<T>>;
  /** An unanswered commit made a later revision than this. */
  since: number | undefined;
  cause: unknown;
}

/** What stands under the key: an answer, an attempt of `run` at work, or what may be taken over. */
type Verdict<T> =
  | { readonly result: TransactionResult<T>; readonly reason?: string }
  | { readonly leftMs: number }
  | { readonly earlier: RunningRecord | OpenRecord; readonly ask?: true };

function judge<Tx, T>(
  { options, request }: TransactionCall<Tx, T>,
  entry: Entry,
  now: number,
): Verdict<T> {
  const seen = standing(entry);
  const { record } = seen;
  if (fingerprintsDiffer(record.fingerprint, request.fingerprint)) {
    return { result: { outcome: "mismatch" }, reason: "mismatch" };
  }
  const settled = recorded(seen, now) as Settled<T> | undefined;
  if (settled?.outcome === "replayed") {
    const { exactlyOnce = false } = record as { readonly exactlyOnce?: boolean };
    return { result: { exactlyOnce, ...settled } };
  }
  if (settled) {
    return { result: settled };
  }
  const leftMs = leaseLeftMs(seen, now);
  if (leftMs > 0) {
    return { leftMs };
  }
  const earlier = record as RunningRecord | OpenRecord;
  if (options.onCrash === "rerun" || !isUnresolved(earlier)) {
    return { earlier };
  }
  return options.onCrash === "park"
    ? { result: { outcome: "indeterminate", reason: "parked" }, reason: "parked" }
    : { earlier, ask: true };
}

/** Runs the handler in a transaction of the store, and records its outcome in the same. */
export async function runTransaction<Tx, T>(
  call: TransactionCall<Tx, T>,
): Promise<TransactionResult<T>> {
  const { options, request, store } = call;
  const { runtime, emit, settleMs } = options;
  const { key, waitMs, signal } = request;
  const waiter = createWaiter(options, request, waitMs, signal);
  const tombstoneUs = store.capabilities.tombstoneMs * 1000;
  const unanswered = new Map<string, TransactionResult<T>>();
  const known: Knowledge<T> = { entry: undefined, now: 0, unanswered, since: undefined, cause: 0 };
  let goOnUntil = deadlineIn(runtime, waitMs);
  let longestMs = FIRST_PAUSE_MS;
  let rounds = 0;

  const unknown = (): TransactionResult<T> => ({
    outcome: "indeterminate",
    reason: "commitUnknown",
    cause: known.cause,
  });
  const answer = (result: TransactionResult<T>, reason?: string): TransactionResult<T> => {
    emit(key, reason === undefined ? { type: "replayed" } : { type: "refused", reason });
    return result;
  };
  /** Pauses before the next round; false if there is to be none. */
  const again = async (): Promise<boolean> => {
    const leftMs = goOnUntil - runtime.monotonicNow();
    await pause(runtime, Math.min(jitter(runtime, longestMs), leftMs), signal);
    longestMs = Math.min(longestMs * 2, LONGEST_PAUSE_MS);
    if (!unanswered.size) {
      checkSignal(signal);
    }
    return goOnUntil > runtime.monotonicNow() && !signal?.aborted;
  };

  try {
    for (;;) {
      const { entry } = known;
      let earlier: RunningRecord | OpenRecord | undefined;
      if (entry) {
        const verdict = judge(call, entry, known.now);
        if ("result" in verdict) {
          return answer(verdict.result, verdict.reason);
        }
        if ("leftMs" in verdict) {
          const looked = await waiter.look(verdict.leftMs);
          if (!looked) {
            const retryAfterMs = Math.ceil(Math.min(verdict.leftMs, 1_000));
            return answer({ outcome: "inProgress", retryAfterMs }, "inProgress");
          }
          known.entry = looked.entry;
          known.now = looked.now;
          continue;
        }
        if (verdict.ask) {
          const settled = await askTheSink(call);
          if (settled) {
            return settled;
          }
          known.entry = undefined;
          continue;
        }
        ({ earlier } = verdict);
      }
      rounds += 1;
      const { since } = known;
      const expect: Write["expect"] =
        entry?.stamp ?? (since === undefined ? "absent" : { absentSince: since });
      const forgottenAt = unanswered.size ? (since ?? 0) + tombstoneUs : Number.POSITIVE_INFINITY;
      let round: Round<T>;
      try {
        round = await playRound(call, { expect, earlier, forgottenAt });
      } catch (error) {
        if (!unanswered.size) {
          throw error;
        }
        if (codeOf(error) !== "unavailable" || !(await again())) {
          return unknown();
        }
        continue;
      }
      switch (round.outcome) {
        case "committed":
          return committed(call, round.result);
        case "settled":
          return unanswered.size ? unknown() : round.result;
        case "late":
          return unknown();
        case "refused": {
          const own = unanswered.get(round.seen.entry?.stamp.opId ?? "");
          if (own) {
            emit(key, { type: "unknown", settled: true, cause: known.cause });
            return committed(call, own);
          }
          if (!round.seen.entry && since !== undefined) {
            // Something was committed since, and is over by now: it may have been ours.
            return unknown();
          }
          // What stands there now cannot give way to an earlier commit any more.
          unanswered.clear();
          known.entry = round.seen.entry;
          known.now = round.seen.now;
          break;
        }
        case "contended":
          if (!(await again())) {
            if (unanswered.size) {
              return unknown();
            }
            emit(key, { type: "contended", rounds });
            return round.claimed
              ? { outcome: "contended", rounds }
              : answer({ outcome: "inProgress", retryAfterMs: 1_000 }, "inProgress");
          }
          break;
        case "unknown": {
          const { made, revision, cause } = round;
          if (made.result.outcome !== "executed") {
            return unanswered.size ? unknown() : made.result;
          }
          if (!unanswered.size) {
            emit(key, { type: "unknown", settled: false, cause });
            goOnUntil = deadlineIn(runtime, settleMs);
          }
          known.cause = cause;
          known.since = Math.min(since ?? revision - 1, revision - 1);
          unanswered.set(made.opId, made.result);
          if (!(await again())) {
            return unknown();
          }
          break;
        }
        case "threw": {
          const { error, revision } = round;
          const disposition = classify(options, error);
          emit(key, { type: "failed", disposition });
          if (disposition !== "final") {
            // A store that does not lock may still commit an earlier round.
            known.cause = error;
            return unanswered.size ? unknown() : { outcome: "threw", error };
          }
          const told = await reject(call, known, error, { earlier, revision });
          if (told) {
            return told;
          }
        }
      }
    }
  } finally {
    waiter.stop();
  }
}

function committed<Tx, T>(
  { options, request }: TransactionCall<Tx, T>,
  result: TransactionResult<T>,
): TransactionResult<T> {
  options.emit(request.key, { type: "completed", recorded: true });
  return result;
}

/**
 * Settles an earlier attempt of `run` as `run` does, before and outside of any transaction, since
 * the sink's fence cannot be rolled back. Undefined: certainly not done.
 */
async function askTheSink<Tx, T>({
  options,
  request,
}: TransactionCall<Tx, T>): Promise<TransactionResult<T> | undefined> {
  const acquisition = await obtain(options, request, true);
  if (acquisition.acquired) {
    await acquisition.acquired.reopen(true);
    return undefined;
  }
  const settled = acquisition.settled as Settled<T>;
  return settled.outcome === "replayed" ? { exactlyOnce: false, ...settled } : settled;
}

/**
 * Records a business rejection, in a step of its own, as the transaction has taken its own record
 * back. Undefined: something else stands there now.
 */
async function reject<Tx, T>(
  { options, request, store }: TransactionCall<Tx, T>,
  known: Knowledge<T>,
  error: unknown,
  {
    earlier,
    revision,
  }: { readonly earlier: RunningRecord | OpenRecord | undefined; readonly revision: number },
): Promise<TransactionResult<T> | undefined> {
  const { emit } = options;
  const { entry, unanswered, since = revision - 1 } = known;
  const absentSince = Math.min(since, revision - 1);
  const value = encodeDedup({
    attempt: (earlier?.attempt ?? 0) + 1,
    fingerprint: earlier?.fingerprint ?? request.fingerprint,
    ...rejectionOf(error),
  });
  const sent = await send<Write>(
    options,
    request,
    entry?.stamp ?? { absentSince },
    () => ({ value, ttlMs: request.retentionMs }),
    { persist: true, signal: request.signal },
  ).catch((cause: unknown) => ({ outcome: "unknown", cause }) as const);
  if (sent.outcome === "refused") {
    known.entry = sent.entry;
    known.now = sent.now;
    return undefined;
  }
  const forgotten = !entry && sent.outcome === "own" && sent.now >= since + tombstoneUsOf(store);
  if (unanswered.size && (sent.outcome === "unknown" || forgotten)) {
    known.cause = error;
    return { outcome: "indeterminate", reason: "commitUnknown", cause: error };
  }
  const recordedAs = sent.outcome === "own" || "unknown";
  emit(request.key, { type: "completed", recorded: recordedAs });
  return { outcome: "failed", error, replayed: false, recorded: recordedAs };
}

function tombstoneUsOf({ capabilities }: { readonly capabilities: { tombstoneMs: number } }) {
  return capabilities.tombstoneMs * 1000;
}
