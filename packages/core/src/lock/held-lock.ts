// A lock in its holder's hands.

import { checkDuration } from "../shared/arguments.js";
import type { Emit } from "../shared/events.js";
import type { Tenure } from "../shared/tenure.js";

/** What became of a release. It never throws, so it never hides a callback's result. */
export type ReleaseOutcome =
  | "released"
  /** The lease had ended before, or another holds it now. */
  | "lost"
  /** No answer: it ends with its lease at the latest. */
  | "unknown";

/** A held lock. */
export class Lock implements AsyncDisposable {
  readonly resource: string;
  /**
   * The fencing token: strictly increasing from holder to holder, the same through renewals. A sink
   * that refuses a token older than the newest it saw is safe even when a holder is paused.
   */
  readonly token: number;
  readonly #tenure: Tenure;
  readonly #emit: Emit;
  #release: Promise<ReleaseOutcome> | undefined;

  constructor(resource: string, tenure: Tenure, emit: Emit) {
    this.resource = resource;
    this.token = tenure.stamp.revision;
    this.#tenure = tenure;
    this.#emit = emit;
  }

  /** Fires when the lease may have ended; its reason is a LeaseLostError. */
  get signal(): AbortSignal {
    return this.#tenure.signal;
  }

  /** Whether the lease certainly still runs, by this machine's clocks: ask after every await. */
  get held(): boolean {
    return this.#release === undefined && this.#tenure.held;
  }

  /** What is certainly left of the lease in milliseconds, margin taken off. */
  get remainingMs(): number {
    return this.held ? this.#tenure.remainingMs : 0;
  }

  /**
   * Renews the lease, or gives it another length from now on.
   *
   * Guarantee: never acquires again what was lost. Cost: 1.
   * Fails: `unavailable`; a lost lease is an answer.
   */
  async extend(leaseMs?: number): Promise<"extended" | "lost" | "unknown"> {
    if (leaseMs !== undefined) {
      checkDuration(leaseMs, "leaseMs");
    }
    if (!this.held) {
      return "lost";
    }
    const result = await this.#tenure.renew(leaseMs);
    if (result.outcome === "applied") {
      this.#emit(this.resource, { type: "renewed" });
      return "extended";
    }
    if (result.outcome === "lost") {
      this.#tenure.lose();
    }
    return result.outcome;
  }

  /**
   * Gives the lock back.
   *
   * Guarantee: removes only this holder's entry. Cost: 1; a second call returns the first answer.
   * Fails: never; see `ReleaseOutcome`.
   */
  release(): Promise<ReleaseOutcome> {
    this.#release ??= this.#giveBack();
    return this.#release;
  }

  /** For `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.release().then(() => {});
  }

  async #giveBack(): Promise<ReleaseOutcome> {
    this.#tenure.stop();
    let outcome: ReleaseOutcome = "unknown";
    try {
      const result = await this.#tenure.write("removed", { persist: true });
      outcome = result.outcome === "applied" ? "released" : result.outcome;
    } catch {
      // The store cannot be reached: the lease ends it.
    }
    this.#emit(this.resource, { type: "released", outcome });
    return outcome;
  }
}
