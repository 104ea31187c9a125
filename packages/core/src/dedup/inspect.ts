// Looking at a key, and settling by hand what nobody else can know.

import type { Entry } from "../contract/atomic-store.js";
import { ArgumentError } from "../errors/errors.js";
import { checkKey } from "../shared/arguments.js";
import { encodeInput } from "../shared/input.js";
import { storeKey } from "../shared/store-key.js";
import { instantNow } from "../shared/time.js";
import { decodeValue } from "../shared/value-codec.js";
import { inProgress } from "./acquire.js";
import { createAttempt, type Ending } from "./attempt.js";
import type { ResolvedDedup } from "./options.js";
import type { InProgress } from "./outcome.js";
import { isUnresolved, leaseLeftMs, rejection, standing } from "./record.js";
import type { Request } from "./request.js";

interface UnderWay {
  readonly attempt: number;
  /** Some earlier attempt ended without a known outcome. */
  readonly unresolved: boolean;
  /** The names of the recorded steps. */
  readonly steps: readonly string[];
}

/** What stands under a key. */
export type Inspection =
  | { readonly state: "none" }
  | (UnderWay & {
      readonly state: "running";
      /** In store time; at 0 the next attempt follows `onCrash`. */
      readonly leaseLeftMs: number;
      /** A step, a renewal or `started()` was recorded: the handler, or its verify, was at work. */
      readonly started: boolean;
    })
  | (UnderWay & { readonly state: "open" })
  | { readonly state: "done"; readonly attempt: number; readonly value: unknown }
  /** The result could not be stored. */
  | { readonly state: "done"; readonly attempt: number; readonly valueUnavailable: true }
  | {
      readonly state: "failed";
      readonly attempt: number;
      readonly code: string;
      readonly message: string;
    }
  | { readonly state: "expired" | "early"; readonly attempt: number };

export async function inspect(options: ResolvedDedup, key: string): Promise<Inspection> {
  checkKey(key, "key");
  const { entry, now } = await options.store.read(storeKey(options.prefix, key));
  if (!entry) {
    return { state: "none" };
  }
  const seen = standing(entry);
  const { record } = seen;
  const { attempt } = record;
  switch (record.state) {
    case "done":
      return record.unavailable
        ? { state: "done", attempt, valueUnavailable: true }
        : { state: "done", attempt, value: decodeValue(seen.payload) };
    case "failed":
      return { state: "failed", attempt, code: record.code, message: record.message };
    case "running":
    case "open": {
      const steps = Object.keys(record.steps ?? {});
      const underWay = { attempt, unresolved: !!record.unresolved, steps };
      if (record.state === "open") {
        return { state: "open", ...underWay };
      }
      // A stamp that is not the acquisition's was made by a renewal or a step.
      const started = !!record.started || entry.stamp.opId !== record.owner;
      const leftMs = Math.max(0, leaseLeftMs(seen, now));
      return { state: "running", ...underWay, started, leaseLeftMs: leftMs };
    }
    default:
      return { state: record.state, attempt };
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
  | InProgress
  /** Nothing is to be resolved under this key. */
  | { readonly outcome: "notFound" }
  /** No answer: look again with `inspect`. */
  | { readonly outcome: "indeterminate" };

/** Records what a person found out, under the stamp of what was judged. */
export async function resolve(
  options: ResolvedDedup,
  request: Request,
  resolution: Resolution,
): Promise<ResolveResult> {
  const { store, runtime, leaseMs } = options;
  const last = endingOf(resolution, store.capabilities.maxValueBytes);
  let seen: { entry?: Entry | undefined; now: number } = await store.read(request.storeKey);
  while (seen.entry) {
    const at = standing(seen.entry);
    const { record } = at;
    if (record.state !== "running" && record.state !== "open") {
      return { outcome: "alreadyRecorded" };
    }
    const left = leaseLeftMs(at, seen.now);
    if (left > 0) {
      return inProgress(left);
    }
    if (!isUnresolved(record)) {
      break;
    }
    const { stamp } = seen.entry;
    const taken = { stamp, lease: { since: instantNow(runtime), leaseMs } };
    const attempt = createAttempt(options, request, taken, record);
    const finish = await attempt.finish(last);
    if (finish.recorded !== false) {
      options.emit(request.key, { type: "resolved" });
      return { outcome: finish.recorded === true ? "resolved" : "indeterminate" };
    }
    seen = finish;
  }
  return { outcome: "notFound" };
}

function endingOf(resolution: Resolution, maxValueBytes: number): Ending {
  switch (resolution?.outcome) {
    case "done":
      encodeInput(resolution.value, "the value of a resolution", maxValueBytes);
      return { value: resolution.value };
    case "failed": {
      const { code, message } = resolution;
      if (typeof code === "string" && typeof message === "string") {
        return rejection(code, message);
      }
      break;
    }
    case "notDone":
      return { state: "open", unresolved: undefined };
  }
  throw new ArgumentError(
    "optionInvalid",
    'resolve needs outcome "done" with a value, "failed" with code and message, or "notDone"',
  );
}
