// A dedup in the store's transaction: round after round until one has committed, another's outcome
// stands, or it is known that neither is to be had in time.

import type { Entry, Write } from "../contract/atomic-store.js";
import { codeOf } from "../errors/errors.js";
import { checkSignal } from "../shared/arguments.js";
import { type Deadline, deadlineIn, jitter, pause } from "../shared/time.js";
import { createWaiter } from "../shared/waiter.js";
import { classify } from "./execute.js";
import { type OpenRecord, type RunningRecord, standing } from "./record.js";
import type { Claim, Claimed, Round, TransactionCall } from "./transaction-call.js";
import { recordRejection } from "./transaction-rejection.js";
import type { TransactionResult } from "./transaction-result.js";
import { playRound } from "./transaction-round.js";
import { followStanding, type Seen, told } from "./transaction-standing.js";

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

/** What a call knows from round to round. */
interface Known<T> {
  /** What refused the last claim, or stands since. */
  seen: Seen;
  /** What is true if a commit without an answer took place, by the opId of its record. */
  readonly unanswered: Map<string, TransactionResult<T>>;
  /** Every commit without an answer made a later revision than this, at this time or later. */
  since: Claimed | undefined;
  /** Why nobody knows. */
  cause: unknown;
  rounds: number;
  longestPauseMs: number;
  goOnUntil: Deadline;
}

type Ended<T> = Round<T> | { readonly outcome: "unreachable"; readonly error: unknown };

/** Runs the handler in a transaction of the store, and records its outcome in the same. */
export async function runTransaction<Tx, T>(
  call: TransactionCall<Tx, T>,
): Promise<TransactionResult<T>> {
  const { options, request } = call;
  const waiter = createWaiter(options, request, request.waitMs, request.signal);
  const known: Known<T> = {
    seen: { entry: undefined, now: 0 },
    unanswered: new Map(),
    since: undefined,
    cause: undefined,
    rounds: 0,
    longestPauseMs: FIRST_PAUSE_MS,
    goOnUntil: deadlineIn(options.runtime, request.waitMs),
  };
  try {
    for (;;) {
      const { entry, now } = known.seen;
      const follows = entry && (await followStanding(call, entry, now, waiter));
      if (follows && "result" in follows) {
        return answer(call, follows.result, follows.reason);
      }
      if (follows && "seen" in follows) {
        known.seen = follows.seen;
        continue;
      }
      const claim = claimOf(call, known, follows?.earlier);
      const round = await play(call, known, claim);
      const result = await conclude(call, known, claim, round);
      if (result) {
        return result;
      }
    }
  } finally {
    waiter.stop();
  }
}

function claimOf<Tx, T>(
  { store, request }: TransactionCall<Tx, T>,
  { seen, unanswered, since }: Known<T>,
  earlier: RunningRecord | OpenRecord | undefined,
): Claim {
  const expect: Write["expect"] =
    seen.entry?.stamp ?? (since ? { absentSince: since.revision } : "absent");
  const rememberedMs = Math.min(store.capabilities.tombstoneMs, request.retentionMs);
  const forgottenAt =
    since && unanswered.size ? since.now + rememberedMs * 1000 : Number.POSITIVE_INFINITY;
  return { expect, earlier, forgottenAt };
}

async function play<Tx, T>(
  call: TransactionCall<Tx, T>,
  known: Known<T>,
  claim: Claim,
): Promise<Ended<T>> {
  known.rounds += 1;
  try {
    return await playRound(call, claim);
  } catch (error) {
    if (!known.unanswered.size) {
      throw error;
    }
    // A commit of an earlier round may have taken place: not to be told as nothing.
    return { outcome: "unreachable", error };
  }
}

/** What a round comes to; undefined if there is to be another. */
async function conclude<Tx, T>(
  call: TransactionCall<Tx, T>,
  known: Known<T>,
  claim: Claim,
  round: Ended<T>,
): Promise<TransactionResult<T> | undefined> {
  const { unanswered } = known;
  switch (round.outcome) {
    case "committed":
      return committed(call, round.result);
    case "settled":
      return unanswered.size ? commitUnknown(known) : round.result;
    case "late":
      return commitUnknown(known);
    case "unreachable":
      return codeOf(round.error) === "unavailable" && (await again(call, known))
        ? undefined
        : commitUnknown(known);
    case "contended":
      return (await again(call, known)) ? undefined : lost(call, known, round.claimed);
    case "threw":
      return threw(call, known, claim, round);
    case "refused":
      return refused(call, known, claim, round.seen);
    case "unknown":
      return unknown(call, known, round);
  }
}

/** What stands in the way of a claim or a rejection; undefined if another round is to go on from it. */
function refused<Tx, T>(
  call: TransactionCall<Tx, T>,
  known: Known<T>,
  { forgottenAt }: Claim,
  { entry, now }: { readonly entry?: Entry; readonly now: number },
): TransactionResult<T> | undefined {
  const { unanswered, cause } = known;
  const own = unanswered.get(entry?.stamp.opId ?? "");
  if (own) {
    call.options.emit(call.request.key, { type: "unknown", settled: true, cause });
    return committed(call, own);
  }
  known.seen = { entry, now };
  if (now >= forgottenAt || (!entry && known.since)) {
    // What was committed since may be over by now, and it may have been our own.
    return commitUnknown(known);
  }
  // What stands there now can give way to no earlier commit.
  unanswered.clear();
  return undefined;
}

async function unknown<Tx, T>(
  call: TransactionCall<Tx, T>,
  known: Known<T>,
  { made, claimed, cause }: Extract<Round<T>, { outcome: "unknown" }>,
): Promise<TransactionResult<T> | undefined> {
  const { unanswered, since } = known;
  const { runtime, settleMs, emit } = call.options;
  if (made.result.outcome !== "executed" && !unanswered.size) {
    // A judgement on the key alone holds, whatever became of its record.
    return made.result;
  }
  if (!unanswered.size) {
    emit(call.request.key, { type: "unknown", settled: false, cause });
    known.goOnUntil = deadlineIn(runtime, settleMs);
  }
  known.cause = cause;
  const { revision, now } = since ?? { revision: claimed.revision, now: claimed.now };
  known.since = {
    revision: Math.min(revision, claimed.revision - 1),
    now: Math.min(now, claimed.now),
  };
  unanswered.set(made.opId, made.result);
  return (await again(call, known)) ? undefined : commitUnknown(known);
}

async function threw<Tx, T>(
  call: TransactionCall<Tx, T>,
  known: Known<T>,
  claim: Claim,
  round: Extract<Round<T>, { outcome: "threw" }>,
): Promise<TransactionResult<T> | undefined> {
  const { emit } = call.options;
  const { key } = call.request;
  const { error } = round;
  const disposition = classify(call.options, error);
  emit(key, { type: "failed", disposition });
  if (disposition === "final") {
    const sent = await recordRejection(call, claim, round);
    if (sent.outcome === "refused") {
      return refused(call, known, claim, sent);
    }
    const recorded = sent.outcome === "own" || "unknown";
    if (!known.unanswered.size || (sent.outcome === "own" && sent.now < claim.forgottenAt)) {
      emit(key, { type: "completed", recorded });
      return { outcome: "failed", error, replayed: false, recorded };
    }
  }
  // A store that does not lock may yet commit an earlier round.
  known.cause = error;
  return known.unanswered.size ? commitUnknown(known) : { outcome: "threw", error };
}

/** Pauses before another round; false if there is to be none. */
async function again<Tx, T>(
  { options: { runtime }, request: { signal } }: TransactionCall<Tx, T>,
  known: Known<T>,
): Promise<boolean> {
  const leftMs = known.goOnUntil - runtime.monotonicNow();
  await pause(runtime, Math.min(jitter(runtime, known.longestPauseMs), leftMs), signal);
  known.longestPauseMs = Math.min(known.longestPauseMs * 2, LONGEST_PAUSE_MS);
  if (!known.unanswered.size) {
    checkSignal(signal);
  }
  return known.goOnUntil > runtime.monotonicNow() && !signal?.aborted;
}

/**
 * Others won each round. Cost: none; 1 where the last claim got no answer: who holds the key may
 * only have been told its outcome, which others may know for long.
 */
async function lost<Tx, T>(
  call: TransactionCall<Tx, T>,
  known: Known<T>,
  claimed: boolean,
): Promise<TransactionResult<T>> {
  const { rounds } = known;
  if (known.unanswered.size) {
    return commitUnknown(known);
  }
  const { store, request, options } = call;
  options.emit(request.key, { type: "contended", rounds });
  if (claimed) {
    return { outcome: "contended", rounds };
  }
  const { entry, now } = await store.read(request.storeKey);
  const stands = entry && told<T>(request, standing(entry), now);
  return stands
    ? answer(call, stands.result, stands.reason)
    : answer(call, { outcome: "inProgress", retryAfterMs: 1_000 }, "inProgress");
}

function commitUnknown<T>({ cause }: Known<T>): TransactionResult<T> {
  return { outcome: "indeterminate", reason: "commitUnknown", cause };
}

function committed<Tx, T>(
  { options, request }: TransactionCall<Tx, T>,
  result: TransactionResult<T>,
): TransactionResult<T> {
  options.emit(request.key, { type: "completed", recorded: true });
  return result;
}

function answer<Tx, T>(
  { options, request }: TransactionCall<Tx, T>,
  result: TransactionResult<T>,
  reason?: string,
): TransactionResult<T> {
  options.emit(request.key, reason ? { type: "refused", reason } : { type: "replayed" });
  return result;
}
