// Options of dedup and every default.

import { ArgumentError } from "../errors/errors.js";
import { checkDuration, checkFunction, checkLease } from "../shared/arguments.js";
import { type Base, type FactoryOptions, resolveBase } from "../shared/factory-options.js";
import type { VerifyContext } from "./context.js";
import type { KeyTime } from "./key-time.js";

/** What the sink says about an earlier attempt. *No answer* is `unknown`, never `notDone`. */
export type VerifyAnswer =
  | { readonly answer: "done"; readonly value: unknown }
  | { readonly answer: "failed"; readonly code: string; readonly message: string }
  | { readonly answer: "notDone" }
  | { readonly answer: "unknown" };

/**
 * Asks the sink whether an earlier attempt took effect. The sink must raise its fence to
 * `ctx.fencingToken` in the same step as it answers, or the earlier attempt can still act later.
 */
export type Verify = (ctx: VerifyContext) => VerifyAnswer | Promise<VerifyAnswer>;

/**
 * What the next attempt does when an earlier one ended without a known outcome: run again
 * (`"rerun"`: the effect may repeat), leave it to a person (`"park"`), or ask the sink.
 */
export type OnCrash = "rerun" | "park" | Verify;

/** What a handler's error means: nothing happened, a business rejection, or not known. */
export type Disposition = "retryable" | "final" | "unknown";

export interface DedupOptions extends FactoryOptions {
  /** The one choice without a safe default. */
  readonly onCrash: OnCrash;
  /** How long an attempt may run between renewals before it counts as crashed. @defaultValue 30_000 */
  readonly leaseMs?: number;
  /** Taken off the lease by its owner, for clock drift. @defaultValue a tenth of `leaseMs` */
  readonly marginMs?: number;
  /** How long a duplicate waits for the first caller. @defaultValue 10_000 */
  readonly waitMs?: number;
  /** How long an outcome is remembered, counted from its finish. @defaultValue 86_400_000 (24 h) */
  readonly retentionMs?: number;
  /** Judges errors that are neither `Retryable` nor `Final`. @defaultValue all are `"unknown"` */
  readonly classify?: (error: unknown) => Disposition;
  /** Where a key's birth time comes from. @defaultValue none: keys bear no time */
  readonly keyTime?: KeyTime;
  /** How far in the future a key's birth time may lie. @defaultValue 300_000 */
  readonly maxSkewMs?: number;
  /** Top-level fields that fingerprints leave out. @defaultValue none */
  readonly fingerprintOmit?: readonly string[];
}

export interface ResolvedDedup extends Base {
  readonly onCrash: OnCrash;
  readonly leaseMs: number;
  readonly marginMs: number;
  readonly waitMs: number;
  readonly retentionMs: number;
  readonly classify: ((error: unknown) => Disposition) | undefined;
  readonly keyTime: KeyTime | undefined;
  readonly maxSkewMs: number;
  readonly fingerprintOmit: readonly string[] | undefined;
}

export function resolveDedup(options: DedupOptions): ResolvedDedup {
  const base = resolveBase("dedup", options);
  const { onCrash, classify, keyTime, fingerprintOmit } = options;
  const { leaseMs = 30_000, waitMs = 10_000, retentionMs = 86_400_000 } = options;
  const { maxSkewMs = 300_000 } = options;
  if (onCrash !== "rerun" && onCrash !== "park" && typeof onCrash !== "function") {
    const what = 'onCrash must be "rerun", "park" or a function that asks the sink: choose one';
    throw new ArgumentError("optionInvalid", what);
  }
  const marginMs = checkLease(leaseMs, options.marginMs, retentionMs);
  checkDuration(waitMs, "waitMs", 0);
  checkDuration(maxSkewMs, "maxSkewMs", 0);
  if (classify) {
    checkFunction(classify, "classify");
  }
  if (fingerprintOmit !== undefined && !Array.isArray(fingerprintOmit)) {
    throw new ArgumentError("optionInvalid", "fingerprintOmit must be a list of field names");
  }
  if (keyTime && keyTime !== "uuidv7") {
    checkFunction(keyTime, "keyTime");
  }
  return {
    onCrash,
    leaseMs,
    marginMs,
    waitMs,
    retentionMs,
    classify,
    keyTime,
    maxSkewMs,
    fingerprintOmit,
    ...base,
  };
}
