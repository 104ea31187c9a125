// One acquired attempt at a key: its context for the handler, and the ways it ends.

import type { Entry, Stamp } from "../contract/atomic-store.js";
import {
  codeOf,
  IndeterminateError,
  LeaseLostError,
  ValueUnavailableError,
} from "../errors/errors.js";
import { checkKey } from "../shared/arguments.js";
import { shortHash } from "../shared/hash.js";
import { checkedPayload } from "../shared/payload.js";
import { Tenure, type TenureResult } from "../shared/tenure.js";
import type { Instant } from "../shared/time.js";
import { decodeValue } from "../shared/value-codec.js";
import type { DedupContext } from "./context.js";
import type { Disposition, ResolvedDedup } from "./options.js";
import { encodeDedup, encodeDone, type OpenRecord, type RunningRecord } from "./record.js";

// Marks a step that ran but whose result cannot be stored.
const UNSTORABLE = "";

/** How an attempt's last write ended. */
export type Finish =
  | { readonly recorded: true | "unknown" }
  /** Another owner's entry, or nothing, stands there now. */
  | { readonly recorded: false; readonly entry: Entry | undefined; readonly now: number };

/** One attempt of one owner. */
export class Attempt {
  readonly key: string;
  readonly fencingToken: number;
  readonly #options: ResolvedDedup;
  readonly #retentionMs: number;
  readonly #tenure: Tenure;
  #record: RunningRecord;
  #ended = false;

  constructor(
    options: ResolvedDedup,
    at: { key: string; storeKey: string; stamp: Stamp; since: Instant; retentionMs: number },
    record: RunningRecord,
  ) {
    const { store, runtime, leaseMs, marginMs, settleMs, emit } = options;
    this.key = at.key;
    this.fencingToken = at.stamp.revision;
    this.#options = options;
    this.#retentionMs = at.retentionMs;
    this.#record = record;
    this.#tenure = new Tenure({
      store,
      runtime,
      leaseMs,
      marginMs,
      settleMs,
      key: at.storeKey,
      stamp: at.stamp,
      since: at.since,
      touchTtlMs: () => this.#runningTtlMs(),
      onLost: () => emit(at.key, { type: "leaseLost" }),
      onRenewed: () => emit(at.key, { type: "renewed" }),
      onRenewalFailed: (cause) => emit(at.key, { type: "renewalFailed", cause }),
      onUnknown: (settled, cause) => emit(at.key, { type: "unknown", settled, cause }),
    });
  }

  get attempt(): number {
    return this.#record.attempt;
  }

  get takeover(): boolean {
    return this.#record.unresolved === true;
  }

  get signal(): AbortSignal {
    return this.#tenure.signal;
  }

  childKey(name: string): string {
    checkKey(name, "a child key's name");
    return shortHash("dedup", this.#options.name, this.key, name);
  }

  /** What the handler is given: plain functions, so that it may take them apart. */
  context(): DedupContext {
    const attempt = this;
    return {
      key: this.key,
      attempt: this.attempt,
      takeover: this.takeover,
      fencingToken: this.fencingToken,
      get signal() {
        return attempt.signal;
      },
      childKey: (name) => this.childKey(name),
      step: (name, fn) => this.step(name, fn),
      started: () => this.started(),
    };
  }

  /** Watches the lease; with `renew`, renews it until the attempt ends. */
  start(renew: boolean): void {
    this.#tenure.start(renew);
  }

  async renew(): Promise<TenureResult["outcome"]> {
    this.#assertOpen();
    const result = await this.#tenure.renew();
    if (result.outcome === "lost") {
      this.#tenure.lose();
    }
    return result.outcome;
  }

  async started(): Promise<void> {
    if (this.#record.started !== true) {
      this.#record = { ...this.#record, started: true };
      await this.#save();
      this.#options.emit(this.key, { type: "started" });
    }
  }

  async step<T>(name: string, fn: () => T | Promise<T>): Promise<T> {
    checkKey(name, "a step's name");
    this.#assertOpen();
    const known = this.#record.steps?.[name];
    if (known !== undefined && Object.hasOwn(this.#record.steps ?? {}, name)) {
      if (known === UNSTORABLE) {
        const message = "the step ran in an earlier attempt; its result was not storable";
        throw new ValueUnavailableError("valueUnavailable", message);
      }
      return decodeValue(known) as T;
    }
    const value = await fn();
    const budget = this.#options.store.capabilities.maxValueBytes / 4;
    const recorded = checkedPayload(value, budget) ?? UNSTORABLE;
    this.#record = {
      ...this.#record,
      started: true,
      steps: { ...this.#record.steps, [name]: recorded },
    };
    await this.#save();
    this.#options.emit(this.key, { type: "stepRecorded", step: name });
    return value;
  }

  /** The earlier attempt certainly did nothing: this one starts clean. */
  clearUnresolved(): void {
    const { unresolved: _, ...clean } = this.#record;
    this.#record = clean;
  }

  /** Records the result. */
  complete(value: unknown): Promise<Finish> {
    const { attempt, fingerprint } = this.#record;
    const done = { state: "done", attempt, ...(fingerprint && { fingerprint }) } as const;
    const { maxValueBytes } = this.#options.store.capabilities;
    return this.#finish(encodeDone(done, value, maxValueBytes), this.#retentionMs);
  }

  /** Records a final rejection. */
  reject(code: string, message: string): Promise<Finish> {
    const { attempt, fingerprint } = this.#record;
    const failed = { state: "failed", attempt, code, message } as const;
    const value = encodeDedup({ ...failed, ...(fingerprint && { fingerprint }) });
    return this.#finish(value, this.#retentionMs);
  }

  /** Gives the key back: clean if nothing happened, else marked unresolved. */
  reopen(disposition: Exclude<Disposition, "final">): Promise<Finish> {
    const { state: _, owner, leaseMs, started, ...attempts } = this.#record;
    const open: OpenRecord = { ...attempts, state: "open" };
    const unresolved = disposition === "unknown" || this.takeover;
    return unresolved
      ? this.#finish(encodeDedup({ ...open, unresolved: true }), "never")
      : this.#finish(encodeDedup(open), this.#retentionMs);
  }

  /** Records that the key is too old or too young to run. */
  refuseKey(state: "expired" | "early", ttlMs: number): Promise<Finish> {
    const { fingerprint } = this.#record;
    return this.#finish(encodeDedup({ state, ...(fingerprint && { fingerprint }) }), ttlMs);
  }

  // Evidence of a crash must not vanish: only under "rerun", where none is needed, does it end.
  #runningTtlMs(): number | "never" {
    return this.#options.onCrash === "rerun" ? this.#retentionMs : "never";
  }

  #assertOpen(): void {
    if (this.#ended) {
      throw new LeaseLostError("leaseLost", "this attempt has already ended");
    }
  }

  async #save(): Promise<void> {
    const result = await this.#tenure.write(() => {
      this.#assertOpen();
      return { value: encodeDedup(this.#record), ttlMs: this.#runningTtlMs() };
    });
    if (result.outcome === "lost") {
      this.#tenure.lose();
      throw new LeaseLostError("leaseLost", "another owner took over this key");
    }
    if (result.outcome === "unknown") {
      throw new IndeterminateError("indeterminate", "whether the step was recorded is not known", {
        cause: result.cause,
      });
    }
  }

  async #finish(value: string, ttlMs: number | "never"): Promise<Finish> {
    this.#assertOpen();
    this.#tenure.stop();
    let result: TenureResult;
    try {
      // The flag goes up in this write's turn: steps queued before it are still recorded.
      const next = (): { value: string; ttlMs: number | "never" } => {
        this.#ended = true;
        return { value, ttlMs };
      };
      result = await this.#tenure.write(next, { persist: true });
    } catch (error) {
      if (codeOf(error) === "leaseLost") {
        throw error;
      }
      // A failed recording must not throw away what the handler did.
      result = { outcome: "unknown", cause: error };
    }
    switch (result.outcome) {
      case "applied":
        return { recorded: true };
      case "unknown":
        return { recorded: "unknown" };
      case "lost":
        return { recorded: false, entry: result.entry, now: result.now };
    }
  }
}
