// A lock in its holder's hands.

import { checkLease } from "../shared/arguments.js";
import type { Tenure } from "../shared/tenure.js";
import { WithSignal } from "../shared/with-signal.js";
import type { ResolvedLock } from "./options.js";

/** What became of a release. It never throws, so it never hides a callback's result. */
export type ReleaseOutcome =
  | "released"
  /** The lease had ended before, or another holds it now. */
  | "lost"
  /** An answer was lost: it ended just now, or ends with its lease at the latest. */
  | "unknown";

/** A held lock. */
export interface Lock extends AsyncDisposable {
  readonly resource: string;
  /**
   * The fencing token: strictly increasing from holder to holder, the same through renewals. A sink
   * that refuses a token older than the newest it saw is safe even when a holder is paused.
   */
  readonly token: number;
  /** Fires when the lease may have ended; its reason is a LeaseLostError. */
  readonly signal: AbortSignal;
  /** Whether the lease certainly still runs, by this machine's clocks: ask after every await. */
  readonly held: boolean;
  /** What is certainly left of the lease in milliseconds, margin taken off. */
  readonly remainingMs: number;
  /**
   * Renews the lease, or gives it another length from now on.
   *
   * Guarantee: never acquires again what was lost. Cost: 1.
   * Fails: `unavailable`, argument errors (a lease within the margin); a lost lease is an answer.
   */
  extend(leaseMs?: number): Promise<"extended" | "lost" | "unknown">;
  /**
   * Gives the lock back; `await using` does so by itself.
   *
   * Guarantee: removes only this holder's entry. Cost: 1; a second call returns the first answer.
   * Fails: never; see `ReleaseOutcome`.
   */
  release(): Promise<ReleaseOutcome>;
}

export function heldLock(
  { marginMs, emit }: ResolvedLock,
  resource: string,
  token: number,
  tenure: Tenure,
): Lock {
  let released: Promise<ReleaseOutcome> | undefined;
  const remainingMs = (): number => (released ? 0 : tenure.remainingMs());

  const giveBack = async (): Promise<ReleaseOutcome> => {
    tenure.stop();
    let outcome: ReleaseOutcome = "unknown";
    try {
      const sent = await tenure.write(() => "removed", { persist: true });
      outcome = sent.outcome === "applied" ? "released" : sent.outcome;
    } catch {
      // The store cannot be reached: the lease ends it.
    }
    emit(resource, { type: "released", outcome });
    return outcome;
  };
  const release = (): Promise<ReleaseOutcome> => {
    released ??= giveBack();
    return released;
  };
  return Object.assign(new Held(tenure.signal, remainingMs), {
    resource,
    token,
    async extend(leaseMs?: number) {
      if (leaseMs !== undefined) {
        checkLease(leaseMs, marginMs);
      }
      if (!remainingMs()) {
        return "lost";
      }
      const outcome = await tenure.renew(leaseMs);
      if (outcome === "applied") {
        // An answer that took longer than the lease tells of one that may have ended since.
        return tenure.remainingMs() ? "extended" : "lost";
      }
      return outcome;
    },
    release,
  });
}

/** What is computed or disposed of: on a prototype, since in a literal it would cost more. */
class Held extends WithSignal {
  declare readonly release: Lock["release"];
  readonly #remainingMs: () => number;

  constructor(signal: () => AbortSignal, remainingMs: () => number) {
    super(signal);
    this.#remainingMs = remainingMs;
  }

  get held(): boolean {
    return this.remainingMs > 0;
  }

  get remainingMs(): number {
    return this.#remainingMs();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}
