// Looking at a key, and settling by hand what nobody else can know.

import type { Observation, StampedWrite } from "../contract/atomic-store.js";
import { ArgumentError } from "../errors/errors.js";
import { checkKey } from "../shared/arguments.js";
import { send } from "../shared/send.js";
import { storeKey } from "../shared/store-key.js";
import { decodeValue } from "../shared/value-codec.js";
import type { ResolvedDedup } from "./options.js";
import {
  encodeDedup,
  encodeDone,
  isUnresolved,
  leaseLeftMs,
  type OpenRecord,
  type RunningRecord,
  standing,
} from "./record.js";

interface UnderWay {
  readonly attempt: number;
  /** Some earlier attempt ended without a known outcome. */
  readonly unresolved: boolean;
  readonly steps: readonly string[];
}

/** What stands under a key. */
export type Inspection =
  | { readonly state: "none" }
  | (UnderWay & {
      readonly state: "running";
      /** The lease has run out: the next attempt follows `onCrash`. */
      readonly lapsed: boolean;
      readonly leaseLeftMs: number;
      /** A step, a renewal or `started()` was recorded: the handler certainly began. */
      readonly started: boolean;
    })
  | (UnderWay & { readonly state: "open" })
  | { readonly state: "done"; readonly attempt: number; readonly value: unknown }
  | { readonly state: "done"; readonly attempt: number; readonly valueUnavailable: true }
  | {
      readonly state: "failed";
      readonly attempt: number;
      readonly code: string;
      readonly message: string;
    }
  | { readonly state: "expired" | "early" };

export async function inspect(options: ResolvedDedup, key: string): Promise<Inspection> {
  checkKey(key, "key");
  const { entry, now } = await options.store.read(storeKey(options.prefix, key));
  if (!entry) {
    return { state: "none" };
  }
  const seen = standing(entry);
  const { record } = seen;
  switch (record.state) {
    case "done": {
      const { state, attempt } = record;
      return record.unavailable
        ? { state, attempt, valueUnavailable: true }
        : { state, attempt, value: decodeValue(seen.payload) };
    }
    case "failed": {
      const { state, attempt, code, message } = record;
      return { state, attempt, code, message };
    }
    case "running":
    case "open": {
      const { attempt, unresolved, steps } = record;
      const underWay = { attempt, unresolved: !!unresolved, steps: Object.keys(steps ?? {}) };
      if (record.state === "open") {
        return { state: "open", ...underWay };
      }
      const leaseLeft = Math.max(0, leaseLeftMs(seen, now));
      // A stamp that is not the acquisition's was made by a renewal or a step.
      const started = record.started === true || entry.stamp.opId !== record.owner;
      const lapsed = leaseLeft === 0;
      return { state: "running", ...underWay, lapsed, leaseLeftMs: leaseLeft, started };
    }
    default:
      return { state: record.state };
  }
}

/** What a person found out about an unresolved key. */
export type Resolution =
  | { readonly outcome: "done"; readonly value: unknown }
  | { readonly outcome: "failed"; readonly code: string; readonly message: string }
  /** Certainly no effect: the next attempt runs as a first one. */
  | { readonly outcome: "notDone" };

export type ResolveResult =
  | { readonly outcome: "resolved" }
  /** An outcome is recorded already; nothing changed. */
  | { readonly outcome: "alreadyRecorded" }
  /** A live attempt is at work; nothing changed. */
  | { readonly outcome: "inProgress"; readonly retryAfterMs: number }
  /** Nothing is to be resolved under this key. */
  | { readonly outcome: "notFound" }
  | { readonly outcome: "indeterminate"; readonly cause: unknown };

/** Records what a person found out. */
export async function resolve(
  options: ResolvedDedup,
  key: string,
  resolution: Resolution,
): Promise<ResolveResult> {
  checkKey(key, "key");
  const { outcome } = resolution;
  if (outcome !== "done" && outcome !== "failed" && outcome !== "notDone") {
    const message = 'resolve needs { outcome: "done" | "failed" | "notDone", … }';
    throw new ArgumentError("optionInvalid", message);
  }
  const { store, retentionMs } = options;
  const place = { key, storeKey: storeKey(options.prefix, key) };
  let seen: Pick<Observation, "entry" | "now"> = await store.read(place.storeKey);
  while (seen.entry) {
    const at = standing(seen.entry);
    const { record } = at;
    if (record.state !== "running" && record.state !== "open") {
      return { outcome: "alreadyRecorded" };
    }
    const left = leaseLeftMs(at, seen.now);
    if (left > 0) {
      return { outcome: "inProgress", retryAfterMs: Math.ceil(left) };
    }
    if (!isUnresolved(record)) {
      break;
    }
    const value = resolvedValue(resolution, record, store.capabilities.maxValueBytes);
    const next = { value, ttlMs: retentionMs };
    const sent = await send<StampedWrite>(options, place, seen.entry.stamp, () => next);
    if (sent.outcome === "unknown") {
      return { outcome: "indeterminate", cause: sent.cause };
    }
    if (sent.outcome === "own") {
      options.emit(key, { type: "resolved" });
      return { outcome: "resolved" };
    }
    seen = sent;
  }
  return { outcome: "notFound" };
}

function resolvedValue(
  resolution: Resolution,
  record: RunningRecord | OpenRecord,
  maxValueBytes: number,
): string {
  const { attempt, fingerprint, steps } = record;
  switch (resolution.outcome) {
    case "done":
      return encodeDone(record, resolution.value, maxValueBytes);
    case "failed": {
      const { code, message } = resolution;
      return encodeDedup({ state: "failed", attempt, fingerprint, code, message });
    }
    case "notDone":
      return encodeDedup({ state: "open", attempt, fingerprint, steps, unresolved: undefined });
  }
}
