// Acquiring a key: the create that also answers duplicates, waiting for another owner, and the
// takeover of an attempt that ended without a known outcome.

import type { Entry, Write } from "../contract/atomic-store.js";
import { AbortedError, codeOf } from "../errors/errors.js";
import { checkSignal } from "../shared/arguments.js";
import { fingerprintsDiffer } from "../shared/fingerprint.js";
import { randomId } from "../shared/random-id.js";
import { settle } from "../shared/settle.js";
import { storeKey } from "../shared/store-key.js";
import { type Deadline, deadlineIn, instantNow } from "../shared/time.js";
import { decodeValue } from "../shared/value-codec.js";
import { Waiter } from "../shared/waiter.js";
import { Attempt } from "./attempt.js";
import type { ResolvedDedup } from "./options.js";
import { recordedFailure, type Settled } from "./outcome.js";
import { type DedupRecord, decodeDedup, encodeDedup, type RunningRecord } from "./record.js";

/** One caller's request for a key. */
export interface Request {
  readonly key: string;
  readonly storeKey: string;
  readonly fingerprint: string | undefined;
  /** The key's birth time in milliseconds, if it bears one. */
  readonly birth: number | undefined;
  /** How long outcomes of this key are kept, in milliseconds. */
  readonly retentionMs: number;
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The key is acquired (`now` is that write's), or an answer stands for it. */
export type Acquisition =
  | { readonly acquired: Attempt; readonly now: number; readonly takeover: boolean }
  | { readonly acquired: undefined; readonly settled: Settled<unknown> };

/** A view of what stands under a key. */
interface Standing {
  readonly entry: Entry;
  readonly record: DedupRecord;
  readonly payload: string;
}

function standing(entry: Entry): Standing {
  return { entry, ...decodeDedup(entry.value) };
}

/** What is left of a running attempt's lease, in store time. */
export function leaseLeftMs(record: RunningRecord, entry: Entry, now: number): number {
  return record.leaseMs - (now - entry.writtenAt) / 1000;
}

/** The answer that a finished record stands for; undefined while it is running or open. */
function recorded(at: Standing, now: number): Settled<unknown> | undefined {
  const { record, payload, entry } = at;
  switch (record.state) {
    case "done":
      return record.unavailable
        ? { outcome: "valueUnavailable" }
        : { outcome: "replayed", value: decodeValue(payload) };
    case "failed":
      return recordedFailure(record.code, record.message);
    case "expired":
      return { outcome: "expired" };
    case "early":
      return { outcome: "notYetValid", validInMs: ((entry.expiresAt ?? now) - now) / 1000 };
    default:
      return undefined;
  }
}

/** Acquires the key, or tells what stands for it. Cost: 1; takeover +1; each look while waiting 1. */
export async function acquire(options: ResolvedDedup, request: Request): Promise<Acquisition> {
  checkSignal(request.signal);
  const { store, runtime } = options;
  const waitUntil = deadlineIn(runtime, request.waitMs);
  const waiter = new Waiter(store, request.storeKey, runtime, waitUntil, request.signal);
  try {
    return await contend(options, request, waiter);
  } finally {
    waiter.stop();
  }
}

async function contend(
  options: ResolvedDedup,
  request: Request,
  waiter: Waiter,
): Promise<Acquisition> {
  const { runtime, emit, onCrash } = options;
  const { key } = request;
  let waited = false;
  let seen: Standing | undefined;
  let now = 0;
  for (;;) {
    let next: RunningRecord;
    const owner = randomId(runtime);
    if (seen === undefined) {
      next = firstAttempt(options, request, owner);
    } else {
      const { record } = seen;
      if (fingerprintsDiffer(record.fingerprint, request.fingerprint)) {
        emit(key, { type: "refused", reason: "mismatch" });
        return answer({ outcome: "mismatch" });
      }
      const settled = recorded(seen, now);
      if (settled !== undefined) {
        emit(key, { type: "replayed" });
        return answer(settled);
      }
      const live = record.state === "running" ? leaseLeftMs(record, seen.entry, now) : 0;
      if (live > 0) {
        if (!waited) {
          emit(key, { type: "waiting" });
          waited = true;
        }
        const looked = await look(options, request, waiter, live);
        if (looked === undefined) {
          return answer({ outcome: "inProgress", retryAfterMs: Math.ceil(Math.min(live, 1_000)) });
        }
        seen = looked.entry && standing(looked.entry);
        now = looked.now;
        continue;
      }
      const earlier = record as Exclude<
        DedupRecord,
        { state: "done" | "failed" | "expired" | "early" }
      >;
      const unresolved = earlier.state === "running" || earlier.unresolved === true;
      if (unresolved && onCrash === "park") {
        emit(key, { type: "refused", reason: "parked" });
        return answer({ outcome: "indeterminate", reason: "parked" });
      }
      next = nextAttempt(options, request, owner, earlier, unresolved);
    }
    const sent = await send(options, request, next, seen?.entry);
    if (sent.outcome === "unknown") {
      return answer({ outcome: "indeterminate", reason: "acquireUnknown", cause: sent.cause });
    }
    now = sent.now;
    if (sent.outcome === "acquired") {
      const { attempt, unresolved } = next;
      const takeover = unresolved === true;
      const fencingToken = sent.acquired.fencingToken;
      emit(key, { type: takeover ? "takenOver" : "acquired", attempt, fencingToken });
      return { acquired: sent.acquired, now, takeover };
    }
    // Judge again by what refused: a lease that lapsed a moment ago may have been renewed since.
    seen = sent.entry && standing(sent.entry);
  }
}

function answer(settled: Settled<unknown>): Acquisition {
  return { acquired: undefined, settled };
}

function firstAttempt(options: ResolvedDedup, request: Request, owner: string): RunningRecord {
  const { fingerprint } = request;
  const record = { state: "running", owner, attempt: 1, leaseMs: options.leaseMs } as const;
  return fingerprint === undefined ? record : { ...record, fingerprint };
}

function nextAttempt(
  options: ResolvedDedup,
  request: Request,
  owner: string,
  earlier: { attempt: number; fingerprint?: string; steps?: RunningRecord["steps"] },
  unresolved: boolean,
): RunningRecord {
  const fingerprint = earlier.fingerprint ?? request.fingerprint;
  return {
    state: "running",
    owner,
    attempt: earlier.attempt + 1,
    leaseMs: options.leaseMs,
    ...(fingerprint !== undefined && { fingerprint }),
    ...(earlier.steps !== undefined && { steps: earlier.steps }),
    ...(unresolved && { unresolved: true as const }),
  };
}

/** Sends the acquiring write until it is known. */
async function send(
  options: ResolvedDedup,
  request: Request,
  record: RunningRecord,
  over: Entry | undefined,
): Promise<
  | { outcome: "acquired"; acquired: Attempt; now: number }
  | { outcome: "refused"; entry: Entry | undefined; now: number }
  | { outcome: "unknown"; cause: unknown }
> {
  const { store, runtime, settleMs, emit, onCrash } = options;
  const ttlMs = onCrash === "rerun" ? request.retentionMs : "never";
  const next = { value: encodeDedup(record), ttlMs } as const;
  const opId = record.owner;
  const write: Write =
    over === undefined
      ? { key: request.storeKey, opId, expect: "absent", next }
      : { key: request.storeKey, opId, expect: over.stamp, next };
  const since = instantNow(runtime);
  const result = await settle(() => store.write(write), {
    runtime,
    deadline: deadlineIn(runtime, settleMs),
    signal: request.signal,
    onUnknown: (settled, cause) => emit(request.key, { type: "unknown", settled, cause }),
  });
  if (result.outcome === "unknown") {
    return result;
  }
  const mine = result.outcome === "refused" && result.entry?.stamp.opId === opId;
  if (result.outcome === "refused" && !mine) {
    return { outcome: "refused", entry: result.entry, now: result.now };
  }
  const revision = result.outcome === "applied" ? result.revision : result.entry?.stamp.revision;
  const { key, retentionMs } = request;
  const stamp = { revision: revision as number, opId };
  const at = { key, storeKey: request.storeKey, stamp, since, retentionMs };
  return { outcome: "acquired", acquired: new Attempt(options, at, record), now: result.now };
}

/** One look after a pause; undefined when the wait is over. */
async function look(
  options: ResolvedDedup,
  request: Request,
  waiter: Waiter,
  leaseMs: number,
): Promise<{ entry?: Entry; now: number } | undefined> {
  for (;;) {
    const going = await waiter.pause(leaseMs);
    if (request.signal?.aborted) {
      const cause = request.signal.reason;
      throw new AbortedError("aborted", "the caller's signal aborted while waiting", { cause });
    }
    if (!going) {
      return undefined;
    }
    waiter.arm();
    try {
      const { entry, now } = await options.store.read(request.storeKey);
      return entry ? { entry, now } : { now };
    } catch (error) {
      // A waiter outlasts an outage shorter than its wait.
      if (codeOf(error) !== "unavailable" || waiter.over) {
        throw error;
      }
    }
  }
}

/**
 * A late owner whose finish was refused becomes a waiter: it returns what is recorded, never its
 * own value, and takes nothing over.
 */
export async function awaitRecorded(
  options: ResolvedDedup,
  request: Request,
  first: { entry: Entry | undefined; now: number },
): Promise<Settled<unknown>> {
  const until: Deadline = deadlineIn(options.runtime, request.waitMs);
  const waiter = new Waiter(
    options.store,
    request.storeKey,
    options.runtime,
    until,
    request.signal,
  );
  let { entry, now } = first;
  try {
    for (;;) {
      const settled = entry && recorded(standing(entry), now);
      if (settled !== undefined) {
        return settled;
      }
      const looked = await look(options, request, waiter, options.leaseMs);
      if (looked === undefined) {
        return { outcome: "indeterminate", reason: "superseded" };
      }
      entry = looked.entry;
      now = looked.now;
    }
  } finally {
    waiter.stop();
  }
}

/** The wire key of a caller's key. */
export function dedupKey(options: ResolvedDedup, key: string): string {
  return storeKey(options.prefix, key);
}
