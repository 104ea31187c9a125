// What stands under the key of a dedup in the store's transaction, and what follows from it: an
// answer, a wait for an attempt of `run`, or a record that the next round may take over.

import type { Entry } from "../contract/atomic-store.js";
import { fingerprintsDiffer } from "../shared/fingerprint.js";
import type { Waiter } from "../shared/waiter.js";
import { recorded } from "./acquire.js";
import { obtain } from "./execute.js";
import type { Settled } from "./outcome.js";
import {
  type DoneRecord,
  isUnresolved,
  leaseLeftMs,
  type OpenRecord,
  type RunningRecord,
  standing,
} from "./record.js";
import type { TransactionCall } from "./transaction-call.js";
import type { TransactionResult } from "./transaction-result.js";

/** What stands, at a time of the store. */
export interface Seen {
  readonly entry: Entry | undefined;
  readonly now: number;
}

/** What follows from it: an answer, another look, or a round that goes on from there. */
export type Follows<T> =
  | { readonly result: TransactionResult<T>; readonly reason?: string }
  | { readonly seen: Seen }
  | { readonly earlier: RunningRecord | OpenRecord };

/** Cost: none; each look while an attempt of `run` is at work 1; asking the sink as `run` does. */
export async function followStanding<Tx, T>(
  call: TransactionCall<Tx, T>,
  entry: Entry,
  now: number,
  waiter: Waiter,
): Promise<Follows<T>> {
  const { options, request } = call;
  const at = standing(entry);
  const { record } = at;
  if (fingerprintsDiffer(record.fingerprint, request.fingerprint)) {
    return { result: { outcome: "mismatch" }, reason: "mismatch" };
  }
  const settled = recorded(at, now) as Settled<T> | undefined;
  if (settled) {
    return { result: withMode(settled, (record as DoneRecord).exactlyOnce) };
  }
  const leftMs = leaseLeftMs(at, now);
  if (leftMs > 0) {
    // Outside of any transaction, which would hold its connection for as long.
    const looked = await waiter.look(leftMs);
    const retryAfterMs = Math.ceil(Math.min(leftMs, 1_000));
    return looked
      ? { seen: { entry: looked.entry, now: looked.now } }
      : { result: { outcome: "inProgress", retryAfterMs }, reason: "inProgress" };
  }
  const earlier = record as RunningRecord | OpenRecord;
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
