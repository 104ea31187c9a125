// What stands under the key of a dedup in the store's transaction, and what follows from it: an
// answer, a wait for an attempt of `run`, or a record that the next round may take over.

import type { Entry } from "../contract/atomic-store.js";
import { fingerprintsDiffer } from "../shared/fingerprint.js";
import type { Waiter } from "../shared/waiter.js";
import { inProgress, recorded } from "./acquire.js";
import { obtain } from "./execute.js";
import type { Settled } from "./outcome.js";
import {
  type DoneRecord,
  isUnresolved,
  leaseLeftMs,
  type OpenRecord,
  type RunningRecord,
  type Standing,
  standing,
} from "./record.js";
import type { Request } from "./request.js";
import type { TransactionCall } from "./transaction-call.js";
import type { TransactionResult } from "./transaction-result.js";

/** What stands, at a time of the store. */
export interface Seen {
  readonly entry: Entry | undefined;
  readonly now: number;
}

/** An answer, and why it is none of the outcomes. */
export interface Told<T> {
  readonly result: TransactionResult<T>;
  readonly reason?: string;
}

/** What follows from it: an answer, another look, or a round that goes on from there. */
export type Follows<T> =
  | Told<T>
  | { readonly seen: Seen }
  | { readonly earlier: RunningRecord | OpenRecord };

/** What this caller is told of a record; undefined while nothing is settled. */
export function told<T>(request: Request, at: Standing, now: number): Told<T> | undefined {
  const { record } = at;
  if (fingerprintsDiffer(record.fingerprint, request.fingerprint)) {
    return { result: { outcome: "mismatch" }, reason: "mismatch" };
  }
  const settled = recorded(at, now) as Settled<T> | undefined;
  return settled && { result: withMode(settled, (record as DoneRecord).exactlyOnce) };
}

/** Cost: none; each look while an attempt of `run` is at work 1; asking the sink as `run` does. */
export async function followStanding<Tx, T>(
  call: TransactionCall<Tx, T>,
  entry: Entry,
  now: number,
  waiter: Waiter,
): Promise<Follows<T>> {
  const { options } = call;
  const at = standing(entry);
  const answer = told<T>(call.request, at, now);
  if (answer) {
    return answer;
  }
  const leftMs = leaseLeftMs(at, now);
  if (leftMs > 0) {
    // Outside of any transaction, which would hold its connection for as long.
    const looked = await waiter.look(leftMs);
    return looked
      ? { seen: { entry: looked.entry, now: looked.now } }
      : { result: inProgress(leftMs), reason: "inProgress" };
  }
  const earlier = at.record as RunningRecord | OpenRecord;
  if (options.onCrash === "rerun" || !isUnresolved(earlier)) {
    return { earlier };
  }
  return options.onCrash === "park"
    ? { result: { outcome: "indeterminate", reason: "parked" }, reason: "parked" }
    : askTheSink(call);
}

/**
 * Settles an earlier attempt of `run` as `run` does, before and outside of any transaction, since
 * what the sink does to its fence cannot be rolled back.
 */
async function askTheSink<Tx, T>({
  options,
  request,
}: TransactionCall<Tx, T>): Promise<Follows<T>> {
  const acquisition = await obtain(options, request, true);
  if (!acquisition.acquired) {
    return { result: withMode(acquisition.settled as Settled<T>, false) };
  }
  await acquisition.acquired.reopen(true);
  return { seen: { entry: undefined, now: 0 } };
}

function withMode<T>(settled: Settled<T>, exactlyOnce = false): TransactionResult<T> {
  return settled.outcome === "replayed" ? { exactlyOnce, ...settled } : settled;
}
