// `createDedup`: the way most people use Onceproof. One key, one recorded outcome.

import { checkDuration, checkFunction, checkKey, checkSignal } from "../shared/arguments.js";
import { fingerprintOf } from "../shared/fingerprint.js";
import { storeKey } from "../shared/store-key.js";
import { execute, type Handler } from "./execute.js";
import {
  type Inspection,
  inspect,
  type Resolution,
  type ResolveResult,
  resolve,
} from "./inspect.js";
import { birthMs } from "./key-time.js";
import { type DedupOptions, type ResolvedDedup, resolveDedup } from "./options.js";
import { type DedupResult, unwrap } from "./outcome.js";
import type { Request } from "./request.js";

export type { Handler } from "./execute.js";
export type { DedupOptions } from "./options.js";

/** Options of one call. */
export interface CallOptions {
  /**
   * The payload that belongs to the key: another one under the same key is a *mismatch*. Taken
   * before the handler runs; only its hash is stored. Not compared when left out.
   */
  readonly fingerprint?: unknown;
  /** When the key was made, in milliseconds since the epoch: older than the retention is *expired*. */
  readonly issuedAtMs?: number;
  /** How long to wait for another caller, in milliseconds. @defaultValue the factory's `waitMs` */
  readonly waitMs?: number;
  /** Ends waiting and re-sending; a running handler gets `ctx.signal` instead. */
  readonly signal?: AbortSignal;
}

/** Runs once per key. */
export interface Dedup {
  /**
   * Runs `handler` unless an outcome is recorded for `key`, and returns the value.
   *
   * Guarantee: one outcome is recorded per key, and every caller with that key and fingerprint gets
   * it until retention ends. An *external* effect can repeat after a crash or pause between effect
   * and record, unless its sink dedups by `ctx.childKey(name)`, shares the store's transaction, or
   * `onCrash` verifies with the fence raised in the same step.
   * Cost: first 2 store calls, duplicate 1, takeover +1; each look while waiting 1.
   * Fails: the handler's own error; a recorded rejection with its code; `inProgress`, `mismatch`,
   * `indeterminate`, `valueUnavailable`, `expired`, `notYetValid`, `unavailable`, `closed`, `full`,
   * `aborted`, `formatUnknown`; argument errors, before anything is sent.
   * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
   */
  run<T>(key: string, handler: Handler<T>, options?: CallOptions): Promise<T>;
  /**
   * As `run`, but answers with a tagged union instead of throwing.
   *
   * Guarantee, cost: those of `run`. Fails: `unavailable`, `closed`, `full`, `aborted`,
   * `formatUnknown`, argument errors.
   */
  attempt<T>(key: string, handler: Handler<T>, options?: CallOptions): Promise<DedupResult<T>>;
  /**
   * Tells what stands under a key.
   *
   * Guarantee: one instant of the store; it changes nothing. *started* is said only if a step, a
   * renewal or `ctx.started()` was recorded. Cost: 1. Fails: `unavailable`.
   */
  inspect(key: string): Promise<Inspection>;
  /**
   * Records what a person found out about a key whose attempt ended without a known outcome.
   *
   * Guarantee: never overwrites a recorded outcome or a live attempt. Cost: 2.
   * Fails: `unavailable`.
   */
  resolve(key: string, resolution: Resolution): Promise<ResolveResult>;
}

/** Builds the request of one call; throws ArgumentErrors before anything is sent. */
export function requestOf(options: ResolvedDedup, key: string, call: CallOptions): Request {
  checkKey(key, "key");
  const { waitMs = options.waitMs, fingerprint, signal } = call;
  checkDuration(waitMs, "waitMs", 0);
  const birth = birthMs(key, options.keyTime, call.issuedAtMs);
  checkSignal(signal);
  // What is recorded of a key must last until the key itself is expired, or it would run again. A
  // key may be born in the future, and the clock may step back before the record is written.
  const slackMs = options.maxSkewMs + options.store.capabilities.tombstoneMs;
  const retentionMs = options.retentionMs + (birth === undefined ? 0 : slackMs);
  return {
    key,
    storeKey: storeKey(options.prefix, key),
    fingerprint:
      fingerprint === undefined ? undefined : fingerprintOf(fingerprint, options.fingerprintOmit),
    birth,
    retentionMs,
    waitMs,
    signal,
  };
}

/**
 * Creates a dedup over any store.
 *
 * Guarantee: see `Dedup.run`. Cost: no store call. Fails: ArgumentError for bad options.
 */
export function createDedup(options: DedupOptions): Dedup {
  const resolved = resolveDedup(options);
  const start = <T>(
    key: string,
    handler: Handler<T>,
    call: CallOptions = {},
  ): Promise<DedupResult<T>> => {
    checkFunction(handler, "the handler");
    return execute(resolved, requestOf(resolved, key, call), handler);
  };
  return {
    attempt: async (key, handler, call) => await start(key, handler, call),
    run: async (key, handler, call) => unwrap(await start(key, handler, call)),
    inspect: async (key) => inspect(resolved, key),
    resolve: async (key, resolution) => resolve(resolved, requestOf(resolved, key, {}), resolution),
  };
}
