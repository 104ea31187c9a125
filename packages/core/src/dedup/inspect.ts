// Looking at a key, and settling by hand what nobody else can know.

import type { StampedWrite } from "../contract/atomic-store.js";
import { ArgumentError } from "../errors/errors.js";
import { checkKey } from "../shared/arguments.js";
import { randomId } from "../shared/random-id.js";
import { settle } from "../shared/settle.js";
import { deadlineIn } from "../shared/time.js";
import { decodeValue } from "../shared/value-codec.js";
import { dedupKey, leaseLeftMs } from "./acquire.js";
import type { ResolvedDedup } from "./options.js";
import { decodeDedup, encodeDedup, encodeDone } from "./record.js";

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
  const { entry, now } = await options.store.read(dedupKey(options, key));
  if (entry === undefined) {
    return { state: "none" };
  }
  const { record, payload } = decodeDedup(entry.value);
  switch (record.state) {
    case "done":
      return record.unavailable
        ? { state: "done", attempt: record.attempt, valueUnavailable: true }
        : { state: "done", attempt: record.attempt, value: decodeValue(payload) };
    case "failed": {
      const { state, attempt, code, message } = record;
      return { state, attempt, code, message };
    }
    case "expired":
    case "early":
      return { state: record.state };
    default: {
      const { attempt, steps = {} } = record;
      const unresolved = record.unresolved === true;
      const underWay = { attempt, unresolved, steps: Object.keys(steps) };
      if (record.state === "open") {
        return { state: "open", ...underWay };
      }
      const left = leaseLeftMs(record, entry, now);
      // A stamp that is not the acquisition's was made by a renewal or a step.
      const started = record.started === true || entry.stamp.opId !== record.owner;
      const lapsed = left <= 0;
      return { state: "running", ...underWay, lapsed, leaseLeftMs: Math.max(0, left), started };
    }
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
  const { store, runtime, retentionMs, settleMs, emit } = options;
  const at = dedupKey(options, key);
  let { entry, now } = await store.read(at);
  const deadline = deadlineIn(runtime, settleMs);
  const sent = new Set<string>();
  for (;;) {
    if (entry === undefined) {
      return { outcome: "notFound" };
    }
    if (sent.has(entry.stamp.opId)) {
      emit(key, { type: "resolved" });
      return { outcome: "resolved" };
    }
    const { record } = decodeDedup(entry.value);
    if (record.state !== "running" && record.state !== "open") {
      return { outcome: "alreadyRecorded" };
    }
    const left = record.state === "running" ? leaseLeftMs(record, entry, now) : 0;
    if (left > 0) {
      return { outcome: "inProgress", retryAfterMs: Math.ceil(left) };
    }
    if (record.state === "open" && record.unresolved !== true) {
      return { outcome: "notFound" };
    }
    const { attempt, fingerprint, steps } = record;
    const kept = { attempt, ...(fingerprint !== undefined && { fingerprint }) };
    const opId = randomId(runtime);
    const value = resolvedValue(resolution, kept, steps, store.capabilities.maxValueBytes);
    const next = { value, ttlMs: retentionMs };
    const write: StampedWrite = { key: at, opId, expect: entry.stamp, next };
    sent.add(opId);
    const answer = await settle(() => store.write(write), { runtime, deadline });
    if (answer.outcome === "unknown") {
      return { outcome: "indeterminate", cause: answer.cause };
    }
    if (answer.outcome === "applied") {
      emit(key, { type: "resolved" });
      return { outcome: "resolved" };
    }
    entry = answer.entry;
    now = answer.now;
  }
}

function resolvedValue(
  resolution: Resolution,
  kept: { attempt: number; fingerprint?: string },
  steps: { readonly [name: string]: string } | undefined,
  maxValueBytes: number,
): string {
  switch (resolution?.outcome) {
    case "done":
      return encodeDone({ state: "done", ...kept }, resolution.value, maxValueBytes);
    case "failed": {
      const { code, message } = resolution;
      return encodeDedup({ state: "failed", ...kept, code, message });
    }
    case "notDone":
      return encodeDedup({ state: "open", ...kept, ...(steps !== undefined && { steps }) });
    default:
      throw new ArgumentError(
        "optionInvalid",
        'resolve needs { outcome: "done" | "failed" | "notDone", … }',
      );
  }
}
