// An owner's hold on one entry while its lease runs: the stamp it writes under, the local deadline
// counted from before the first send, the watchdog that renews, and the signal that says it ended.
// All writes of one owner go through here one after another, so a renewal settles before a release.

import type { AtomicStore, Entry, Stamp, StampedWrite } from "../contract/atomic-store.js";
import { LeaseLostError } from "../errors/errors.js";
import type { Runtime } from "../runtime/runtime.js";
import { randomId } from "./random-id.js";
import { settle } from "./settle.js";
import { deadlineIn, elapsedMs, type Instant, instantNow } from "./time.js";

/** What happened to one write of the owner. */
export type TenureResult =
  | { readonly outcome: "applied"; readonly now: number }
  /** The entry is no longer this owner's; what stands there now, if anything. */
  | { readonly outcome: "lost"; readonly entry?: Entry; readonly now: number }
  | { readonly outcome: "unknown"; readonly cause: unknown };

type Next = StampedWrite["next"];

interface WriteHow {
  /** The lease that runs from this write on. */
  readonly leaseMs?: number;
  readonly settleMs?: number | undefined;
  /** Also re-sends what certainly did nothing. */
  readonly persist?: boolean;
}

export interface TenureOptions {
  readonly store: AtomicStore;
  readonly key: string;
  readonly runtime: Runtime;
  readonly leaseMs: number;
  /** Taken off the lease for clock drift and for what an effect still needs after a check. */
  readonly marginMs: number;
  /** The time to live of a renewed entry whose lease is `leaseMs`. */
  readonly touchTtlMs: (leaseMs: number) => number | "never";
  readonly settleMs: number;
  readonly stamp: Stamp;
  /** The moment before the first send of the acquiring write. */
  readonly since: Instant;
  readonly onLost: () => void;
  readonly onRenewed: () => void;
  readonly onRenewalFailed: (cause: unknown) => void;
  readonly onUnknown: (settled: boolean, cause: unknown) => void;
}

/** One owner's hold on one entry. */
export class Tenure {
  readonly #options: TenureOptions;
  #stamp: Stamp;
  #since: Instant;
  #leaseMs: number;
  #lost = false;
  #stopped = false;
  #renewing = false;
  /** Own writes without an answer, and the moment before their first send. */
  readonly #unanswered = new Map<string, { readonly since: Instant; readonly leaseMs: number }>();
  #controller: AbortController | undefined;
  #tail: Promise<unknown> = Promise.resolve();
  #cancelTimer: (() => void) | undefined;

  constructor(options: TenureOptions) {
    this.#options = options;
    this.#stamp = options.stamp;
    this.#since = options.since;
    this.#leaseMs = options.leaseMs;
  }

  /** Fires when the lease may have ended; its reason is a LeaseLostError. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (!this.held) {
      this.#abort();
    }
    return this.#controller.signal;
  }

  /** What is certainly left of the lease, margin taken off; negative when it may have ended. */
  get remainingMs(): number {
    const { runtime, marginMs } = this.#options;
    return this.#lost ? 0 : this.#leaseMs - marginMs - elapsedMs(runtime, this.#since);
  }

  get held(): boolean {
    return !this.#lost && this.remainingMs > 0;
  }

  get leaseMs(): number {
    return this.#leaseMs;
  }

  /** The stamp that the next write goes under. */
  get stamp(): Stamp {
    return this.#stamp;
  }

  /** Watches the lease; with `renew`, renews it every third. */
  start(renew: boolean): void {
    this.#renewing = renew;
    this.#arm();
  }

  /** Stops watchdog and timer. Writes already queued still settle. */
  stop(): void {
    this.#stopped = true;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** Ends the tenure for good: the entry is another's. */
  lose(): void {
    if (!this.#lost) {
      this.#lost = true;
      this.#abort();
      this.#options.onLost();
    }
    this.stop();
  }

  /** Renews the lease under the stamp; never acquires again what was lost. */
  renew(leaseMs: number = this.#leaseMs, settleMs?: number): Promise<TenureResult> {
    const ttlMs = this.#options.touchTtlMs(leaseMs);
    return this.write({ touch: true, ttlMs }, { leaseMs, settleMs });
  }

  /** Writes under the stamp, after every earlier write of this owner has settled. */
  write(next: Next | (() => Next), how: WriteHow = {}): Promise<TenureResult> {
    const turn = this.#tail.then(() =>
      this.#write(typeof next === "function" ? next() : next, how),
    );
    this.#tail = turn.catch(() => {});
    return turn;
  }

  async #write(next: Next, how: WriteHow): Promise<TenureResult> {
    const { store, key, runtime, onUnknown } = this.#options;
    const leaseMs = how.leaseMs ?? this.#leaseMs;
    const deadline = deadlineIn(runtime, how.settleMs ?? this.#options.settleMs);
    for (;;) {
      const opId = randomId(runtime);
      const sent = { since: instantNow(runtime), leaseMs };
      const write: StampedWrite = { key, opId, expect: this.#stamp, next };
      this.#unanswered.set(opId, sent);
      const answer = await settle(() => store.write(write), {
        runtime,
        deadline,
        persist: how.persist ?? false,
        onUnknown,
      });
      if (answer.outcome === "unknown") {
        return answer;
      }
      if (answer.outcome === "applied") {
        this.#adopt({ revision: answer.revision, opId }, sent);
        return { outcome: "applied", now: answer.now };
      }
      // A refusal that shows one of my own unanswered writes: it did apply. Go on from there.
      const incumbent = answer.entry?.stamp;
      const own = incumbent && this.#unanswered.get(incumbent.opId);
      if (incumbent === undefined || own === undefined) {
        const { entry, now } = answer;
        this.#unanswered.clear();
        return entry ? { outcome: "lost", entry, now } : { outcome: "lost", now };
      }
      this.#adopt(incumbent, own);
      if (incumbent.opId === opId) {
        return { outcome: "applied", now: answer.now };
      }
    }
  }

  /** A later stamp proves that writes under earlier ones can no longer apply. */
  #adopt(stamp: Stamp, sent: { readonly since: Instant; readonly leaseMs: number }): void {
    this.#stamp = stamp;
    this.#since = sent.since;
    this.#leaseMs = sent.leaseMs;
    this.#unanswered.clear();
    this.#arm();
  }

  #abort(): void {
    if (this.#controller !== undefined && !this.#controller.signal.aborted) {
      const message = "the lease may have ended: stop, and let the store decide";
      this.#controller.abort(new LeaseLostError("leaseLost", message));
    }
  }

  #arm(leastMs = 0): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#stopped || this.#lost) {
      return;
    }
    const left = this.remainingMs;
    const untilRenewal = this.#leaseMs / 3 - elapsedMs(this.#options.runtime, this.#since);
    const wait = this.#renewing ? Math.min(left, Math.max(leastMs, untilRenewal)) : left;
    this.#cancelTimer = this.#options.runtime.setTimer(() => this.#due(), Math.max(0, wait));
  }

  #due(): void {
    this.#cancelTimer = undefined;
    if (this.remainingMs <= 0) {
      this.lose();
    } else if (this.#renewing) {
      void this.#watchdog();
    } else {
      this.#arm();
    }
  }

  /** One renewal, tried again inside the lease; a failure ends in the signal, never in a throw. */
  async #watchdog(): Promise<void> {
    // While it is under way the timer only watches the end of the lease.
    this.#renewing = false;
    this.#arm();
    let failure: unknown;
    try {
      const ttlMs = this.#options.touchTtlMs(this.#leaseMs);
      const settleMs = Math.max(1, this.remainingMs);
      const result = await this.write({ touch: true, ttlMs }, { settleMs, persist: true });
      if (result.outcome === "applied") {
        this.#options.onRenewed();
      } else if (result.outcome === "lost") {
        this.lose();
      } else {
        failure = result.cause;
      }
    } catch (error) {
      failure = error;
    }
    if (failure !== undefined) {
      this.#options.onRenewalFailed(failure);
    }
    this.#renewing = true;
    this.#arm(failure === undefined ? 0 : this.#leaseMs / 10);
  }
}
