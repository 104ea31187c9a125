// Acquiring a key: the create that also answers duplicates, waiting for another owner, and the
// takeover of an attempt that ended without a known outcome.

import type { Entry, Write } from "../contract/atomic-store.js";
import { fingerprintsDiffer } from "../shared/fingerprint.js";
import { type Lease, send } from "../shared/send.js";
import { elapsedMs } from "../shared/time.js";
import { decodeValue } from "../shared/value-codec.js";
import { createWaiter } from "../shared/waiter.js";
import { type Attempt, createAttempt } from "./attempt.js";
import type { ResolvedDedup } from "./options.js";
import { type InProgress, recordedFailure, type Settled } from "./outcome.js";
import {
  encodeDedup,
  isUnresolved,
  leaseLeftMs,
  type OpenRecord,
  type RunningRecord,
  runningTtlMs,
  type Standing,
  standing,
} from "./record.js";
import type { Request } from "./request.js";

/** The key is acquired (`now` is that write's), or an answer stands for it. */
export type Acquisition =
  | { readonly acquired: Attempt; readonly now: number }
  | { readonly acquired: undefined; readonly settled: Settled<unknown> };

const LATE_RENEWALS = 3;

type Mutable<T> = { -readonly [name in keyof T]: T[name] };

/** The answer that a finished record stands for; undefined while it is running or open. */
export function recorded(
  { record, payload, entry }: Standing,
  now: number,
): Settled<unknown> | undefined {
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

/** The answer while a lease runs for so long. */
export function inProgress(leftMs: number): InProgress {
  return {
    outcome: "inProgress",
    retryAfterMs: Math.ceil(Math.min(leftMs, 1_000)),
    leaseEndsInMs: Math.ceil(leftMs),
  };
}

function hasLapsed({ runtime, marginMs }: ResolvedDedup, { since, leaseMs }: Lease): boolean {
  return elapsedMs(runtime, since) >= leaseMs - marginMs;
}

/** Acquires the key, or tells what stands for it. Cost: 1; takeover +1; each look while waiting 1. */
export async function acquire(options: ResolvedDedup, request: Request): Promise<Acquisition> {
  const { emit } = options;
  const { key } = request;
  const waiter = createWaiter(options, request, request.waitMs, request.signal);
  const answer = (settled: Settled<unknown>, reason?: string): Acquisition => {
    emit(key, reason === undefined ? { type: "replayed" } : { type: "refused", reason });
    return { acquired: undefined, settled };
  };
  let entry: Entry | undefined;
  let now = 0;
  try {
    for (;;) {
      const seen = entry && standing(entry);
      let earlier: RunningRecord | OpenRecord | undefined;
      if (seen) {
        if (fingerprintsDiffer(seen.record.fingerprint, request.fingerprint)) {
          return answer({ outcome: "mismatch" }, "mismatch");
        }
        const settled = recorded(seen, now);
        if (settled) {
          return answer(settled);
        }
        const left = leaseLeftMs(seen, now);
        if (left > 0) {
          const looked = await waiter.look(left);
          if (!looked) {
            return answer(inProgress(left), "inProgress");
          }
          ({ entry, now } = looked as { entry: Entry | undefined; now: number });
          continue;
        }
        earlier = seen.record as RunningRecord | OpenRecord;
        if (options.onCrash === "park" && isUnresolved(earlier)) {
          return answer({ outcome: "indeterminate", reason: "parked" }, "parked");
        }
      }
      const record: Mutable<RunningRecord> = {
        state: "running",
        owner: "",
        attempt: (earlier?.attempt ?? 0) + 1,
        leaseMs: options.leaseMs,
        fingerprint: earlier?.fingerprint ?? request.fingerprint,
        steps: earlier?.steps,
        unresolved: (earlier && isUnresolved(earlier)) || undefined,
      };
      const ttlMs = runningTtlMs(options, request, record);
      const how = { leaseMs: options.leaseMs, signal: request.signal };
      let sent = await send<Write>(
        options,
        request,
        entry?.stamp ?? "absent",
        (opId) => {
          record.owner = opId;
          return { value: encodeDedup(record), ttlMs };
        },
        how,
      );
      // A process that stood still meanwhile may have been taken over: only a lease that runs may
      // start a handler.
      for (
        let left = LATE_RENEWALS;
        sent.outcome === "own" && hasLapsed(options, sent.lease);
        left -= 1
      ) {
        const { stamp } = sent;
        sent =
          left > 0
            ? await send<Write>(options, request, stamp, () => ({ touch: true, ttlMs }), how).catch(
                // The renewal did nothing; the create before it did.
                (cause: unknown) => ({ outcome: "unknown", cause }) as const,
              )
            : { outcome: "unknown", cause: new Error("each answer took longer than the lease") };
      }
      if (sent.outcome === "unknown") {
        const { cause } = sent;
        return answer({ outcome: "indeterminate", reason: "acquireUnknown", cause }, "unknown");
      }
      now = sent.now;
      if (sent.outcome === "own") {
        const acquired = createAttempt(options, request, sent, record);
        const { fencingToken } = acquired.context;
        const type = record.unresolved ? "takenOver" : "acquired";
        emit(key, { type, attempt: record.attempt, fencingToken });
        return { acquired, now };
      }
      // Judge again by what refused: a lease that lapsed a moment ago may have been renewed since.
      entry = sent.entry;
    }
  } finally {
    waiter.stop();
  }
}

/**
 * A late owner whose finish was refused becomes a waiter: it returns what is recorded, never its
 * own value, and takes nothing over.
 */
export async function awaitRecorded(
  options: ResolvedDedup,
  request: Request,
  first: { readonly entry: Entry | undefined; readonly now: number },
): Promise<Settled<unknown>> {
  const waiter = createWaiter(options, request, request.waitMs, request.signal);
  let seen: { entry?: Entry | undefined; now: number } | undefined = first;
  let cause: unknown;
  try {
    while (seen) {
      const settled = seen.entry && recorded(standing(seen.entry), seen.now);
      if (settled) {
        return settled;
      }
      seen = await waiter.look(options.leaseMs);
    }
  } catch (error) {
    // A look that fails must not tell of a handler that ran that nothing happened.
    cause = error;
  } finally {
    waiter.stop();
  }
  return { outcome: "indeterminate", reason: "superseded", cause };
}
