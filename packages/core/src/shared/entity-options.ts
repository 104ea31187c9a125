// Options that state machine and register share, and their defaults.

import type { Ttl } from "../contract/atomic-store.js";
import type { Algorithm } from "./algorithm.js";
import { checkCount, checkDuration } from "./arguments.js";
import { type FactoryOptions, resolveBase } from "./factory-options.js";
import { multiKeyOf } from "./multi-key.js";
import type { LogLimits } from "./request-log.js";
import type { StepBase } from "./step.js";

/** What the factories over remembered requests take. */
export interface RememberingOptions extends FactoryOptions {
  /**
   * How many requests an entity remembers, on a store without `writeAll`. They take at most a
   * quarter of the store's `maxValueBytes`. @defaultValue 256
   */
  readonly requestWindow?: number;
  /**
   * How long a request is remembered, in milliseconds: longer than its slowest retry, and than a
   * network holds back a write. @defaultValue 86_400_000 (24 h)
   */
  readonly retentionMs?: number;
  /**
   * How long an entity lives from its last write, in milliseconds. What is forgotten with it can
   * happen again. @defaultValue "never": it does not expire
   */
  readonly ttlMs?: Ttl;
  /** How often a call tries while other writers win, with jittered pauses. @defaultValue 64 */
  readonly maxRounds?: number;
}

/** What the loop needs beside the shared options. */
export interface EntityOptions extends StepBase {
  readonly limits: LogLimits;
  /** The largest data or value of a caller, encoded. */
  readonly maxPayloadBytes: number;
  /** Also logs the requests that have an entry of their own, for a history. */
  readonly history: boolean;
  /** A request is not forgotten before its snapshot is this old. */
  readonly rememberedMs: number;
  /** The time to live of what remembers requests alone. */
  readonly recordTtlMs: number;
  readonly ttlMs: Ttl;
  readonly maxRounds: number;
}

export function resolveEntityOptions(
  algorithm: Algorithm,
  options: RememberingOptions,
  history: boolean,
): EntityOptions {
  const base = resolveBase(algorithm, options);
  const {
    requestWindow = 256,
    retentionMs = 86_400_000,
    ttlMs = "never",
    maxRounds = 64,
  } = options;
  checkCount(requestWindow, "requestWindow");
  checkDuration(retentionMs, "retentionMs");
  if (ttlMs !== "never") {
    checkDuration(ttlMs, "ttlMs");
  }
  checkCount(maxRounds, "maxRounds");
  const { maxValueBytes, tombstoneMs } = base.store.capabilities;
  const maxPayloadBytes = Math.floor(maxValueBytes / 4);
  const multi = multiKeyOf(base.store);
  // A snapshot may bear a time from before the store's clock stepped back, and be judged by one from
  // after another step; each is less than the tombstone time.
  const slackMs = 2 * tombstoneMs;
  return {
    multi,
    limits: { requests: requestWindow, bytes: maxPayloadBytes },
    maxPayloadBytes,
    history,
    rememberedMs: multi || ttlMs === "never" ? retentionMs : Math.min(retentionMs, ttlMs - slackMs),
    recordTtlMs: retentionMs + slackMs,
    ttlMs,
    maxRounds,
    ...base,
  };
}
