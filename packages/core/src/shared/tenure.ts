// An owner's hold on one entry while its lease runs: the stamp it writes under, the local deadline
// counted from before the first send, the watchdog that renews, and the signal that says it ended.
// All writes of one owner go through here one after another, so a renewal settles before a release.

import type { Entry, StampedWrite } from "../contract/atomic-store.js";
import { LeaseLostError } from "../errors/errors.js";
import type { Base } from "./factory-options.js";
import { type Owned, ownOf, type Place, type SendOptions, send, type Unanswered } from "./send.js";
import { elapsedMs } from "./time.js";

/** What happened to one write of the owner. */
export type TenureResult =
  | { readonly outcome: "applied" }
  /** The entry is no longer this owner's; what stands there now, if anything. */
  | { readonly outcome: "lost"; readonly entry: Entry | undefined; readonly now: number }
  | { readonly outcome: "unknown"; readonly cause: unknown };

type Next = StampedWrite["next"];

/** One owner's hold on one entry. */
export interface Tenure {
  /** Fires when the lease may have ended; its reason is a LeaseLostError. */
  signal(): AbortSignal;
  /** What is certainly left of the lease, margin taken off: 0 when it may have ended. */
  remainingMs(): number;
  /** Watches the lease; with `renew`, renews it every third. */
  start(renew: boolean): void;
  /** Stops watchdog and timer. Writes already queued still settle. */
  stop(): void;
  /** Renews the lease under the stamp; never acquires again what was lost. */
  renew(leaseMs?: number): Promise<TenureResult["outcome"]>;
  /** Writes under the stamp, after every earlier write of this owner has settled. */
  write(next: () => Next, how?: SendOptions): Promise<TenureResult>;
  /** Looks once what became of the last write, which got no answer. Rejects as `read` does. */
  look(): Promise<TenureResult>;
}

/** Begins the tenure of what was just acquired; `ttlMs` is the time to live of a renewed entry. */
export function createTenure(
  base: Base & { readonly marginMs: number },
  place: Place,
  acquired: Owned,
  ttlMs: (leaseMs: number) => number | "never",
): Tenure {
  const { runtime, marginMs, emit } = base;
  let { stamp, lease } = acquired;
  let lost = false;
  let stopped = false;
  // How often in a lease; 0 is never.
  let renewals = 0;
  let controller: AbortController | undefined;
  let cancelTimer: (() => void) | undefined;
  // The end of the last write that was asked for, while it is under way.
  let tail: Promise<TenureResult> | undefined;
  // Own writes under the present stamp that got no answer.
  const unanswered: Unanswered = [];

  const remainingMs = (): number => {
    let leftMs = lost ? 0 : lease.leaseMs - elapsedMs(runtime, lease.since);
    // A write without an answer may have applied, and with it a shorter lease.
    for (const own of unanswered) {
      leftMs = Math.min(leftMs, own.leaseMs - elapsedMs(runtime, own.since));
    }
    return Math.max(0, leftMs - marginMs);
  };

  const abort = (): void =>
    controller?.abort(
      new LeaseLostError("leaseLost", "the lease may have ended: stop, and let the store decide"),
    );

  const stop = (): void => {
    stopped = true;
    cancelTimer?.();
  };

  const lose = (): void => {
    if (!lost) {
      lost = true;
      abort();
      emit(place.key, { type: "leaseLost" });
    }
    stop();
  };

  const arm = (leastMs = 0): void => {
    cancelTimer?.();
    if (!stopped) {
      // Timers stand still while a machine is suspended, so the clocks are read now and then. In the
      // background: a forgotten lock must not keep a process alive.
      const renewMs = lease.leaseMs / renewals - elapsedMs(runtime, lease.since);
      const waitMs = Math.min(remainingMs(), Math.max(leastMs, renewMs), lease.leaseMs / 10);
      cancelTimer = runtime.setTimer(due, waitMs, true);
    }
  };

  const due = (): void => {
    if (!remainingMs()) {
      lose();
    } else if (elapsedMs(runtime, lease.since) >= lease.leaseMs / renewals) {
      void watchdog();
    } else {
      arm();
    }
  };

  // One renewal, tried again inside the lease; a failure ends in the signal, never in a throw.
  const watchdog = async (): Promise<void> => {
    // While it is under way the timer only watches the end of the lease.
    renewals = 0;
    arm();
    const how = { settleMs: remainingMs(), persist: true };
    const outcome = await renew(undefined, how).catch((cause: unknown) => ({ cause }));
    const renewed = outcome === "applied";
    if (!renewed) {
      emit(place.key, { type: "renewalFailed", cause: outcome });
    }
    renewals = 3;
    arm(renewed ? 0 : lease.leaseMs / 10);
  };

  const renew = async (forMs?: number, how?: SendOptions): Promise<TenureResult["outcome"]> => {
    // In its turn, since a renewal queued before may have changed the length of the lease.
    const next = (): Next => ({ touch: true, ttlMs: ttlMs(forMs ?? lease.leaseMs) });
    const { outcome } = await write(next, { leaseMs: forMs, ...how });
    if (outcome === "applied") {
      emit(place.key, { type: "renewed" });
    }
    return outcome;
  };

  const writeNow = async (
    asked: () => Next,
    { settleMs, persist, leaseMs = lease.leaseMs }: SendOptions,
  ): Promise<TenureResult> => {
    const next = asked();
    const options = { leaseMs, settleMs, persist, unanswered };
    for (;;) {
      const sending = send<StampedWrite>(base, place, stamp, () => next, options);
      arm();
      const sent = await sending;
      if (sent.outcome === "unknown") {
        return sent;
      }
      if (sent.outcome === "refused") {
        if (next === "removed" && sent.afterUnknown) {
          // The removal or the end of the lease, whichever came first: not known to be a loss.
          return { outcome: "unknown", cause: undefined };
        }
        lose();
        return { outcome: "lost", entry: sent.entry, now: sent.now };
      }
      // A later stamp proves that writes under earlier ones can no longer apply.
      unanswered.length = 0;
      ({ stamp, lease } = sent);
      arm();
      if (sent.applied) {
        return { outcome: "applied" };
      }
    }
  };

  const write = (next: () => Next, how: SendOptions = {}): Promise<TenureResult> => {
    const go = (): Promise<TenureResult> => writeNow(next, how);
    tail = tail ? tail.then(go, go) : go();
    return tail;
  };

  const look = async (): Promise<TenureResult> => {
    const { entry, now } = await base.store.read(place.storeKey);
    const stands = entry?.stamp;
    const own = ownOf(unanswered, stands);
    if (own && own === unanswered.at(-1)) {
      return { outcome: "applied" };
    }
    if (!stands || own || stands.opId === stamp.opId) {
      // Absence proves nothing, and what stands may still give way to it.
      return { outcome: "unknown", cause: undefined };
    }
    lose();
    return { outcome: "lost", entry, now };
  };

  return {
    look,
    signal() {
      controller ??= new AbortController();
      if (!remainingMs()) {
        abort();
      }
      return controller.signal;
    },
    remainingMs,
    start(renew) {
      renewals = renew ? 3 : 0;
      arm();
    },
    stop,
    renew,
    write,
  };
}
