// One acquired attempt at a key: its context for the handler, and the ways it ends.

import type { Entry, Stamp } from "../contract/atomic-store.js";
import { IndeterminateError, LeaseLostError, ValueUnavailableError } from "../errors/errors.js";
import { checkKey } from "../shared/arguments.js";
import { shortHash } from "../shared/hash.js";
import { checkedPayload } from "../shared/payload.js";
import type { Lease } from "../shared/send.js";
import { createTenure, type Tenure } from "../shared/tenure.js";
import { decodeValue } from "../shared/value-codec.js";
import type { Request } from "./acquire.js";
import type { DedupContext } from "./context.js";
import type { ResolvedDedup } from "./options.js";
import { encodeDedup, encodeDone, type OpenRecord, type RunningRecord } from "./record.js";

// Marks a step that ran but whose result cannot be stored.
const UNSTORABLE = "";

/** How an attempt's last write ended. */
export type Finish =
  | { readonly recorded: true | "unknown" }
  /** Another owner's entry, or nothing, stands there now. */
  | { readonly recorded: false; readonly entry: Entry | undefined; readonly now: number };

/** What an attempt ends with: a result to store, or what else its last record says. */
export type Ending =
  | { readonly value: unknown }
  | { readonly state: "failed"; readonly code: string; readonly message: string }
  | { readonly state: "expired" | "early" }
  | Pick<OpenRecord, "state" | "steps" | "unresolved">;

/** One attempt of one owner. */
export interface Attempt extends Pick<Tenure, "start" | "renew"> {
  readonly request: Request;
  /** What the handler is given: plain functions, so that it may take them apart. */
  readonly context: DedupContext;
  /** The earlier attempts were found to have done nothing. */
  clear(): void;
  /** Ends the attempt with its last record. @defaultValue `ttlMs` is the retention */
  finish(ending: Ending, ttlMs?: number | "never"): Promise<Finish>;
  /** Gives the key back: clean if nothing happened, else unresolved until someone resolves it. */
  reopen(clean: boolean): Promise<Finish>;
}

export function createAttempt(
  options: ResolvedDedup,
  request: Request,
  acquired: Lease & { readonly stamp: Stamp },
  first: RunningRecord | OpenRecord,
): Attempt {
  const { emit, name, store } = options;
  const { key, runningTtlMs } = request;
  const fencingToken = acquired.stamp.revision;
  const tenure = createTenure(options, request, acquired, () => runningTtlMs);
  let record = first as RunningRecord;
  let ended = false;

  const assertOpen = (): void => {
    if (ended) {
      throw new LeaseLostError("leaseLost", "this attempt has already ended");
    }
  };

  const save = async (change: Partial<RunningRecord>): Promise<void> => {
    record = { ...record, ...change };
    const saved = await tenure.write(() => {
      assertOpen();
      return { value: encodeDedup(record), ttlMs: runningTtlMs };
    });
    if (saved.outcome === "lost") {
      throw new LeaseLostError("leaseLost", "another owner took over this key");
    }
    if (saved.outcome === "unknown") {
      throw new IndeterminateError("indeterminate", "whether it was recorded is not known", saved);
    }
  };

  const step = async <T>(stepName: string, fn: () => T | Promise<T>): Promise<T> => {
    checkKey(stepName, "a step's name");
    assertOpen();
    const known = Object.entries(record.steps ?? {}).find(([recorded]) => recorded === stepName);
    if (known?.[1] === UNSTORABLE) {
      throw new ValueUnavailableError("valueUnavailable", "the step's result was not storable");
    }
    if (known) {
      return decodeValue(known[1]) as T;
    }
    const value = await fn();
    const recorded = checkedPayload(value, store.capabilities.maxValueBytes / 4) ?? UNSTORABLE;
    await save({ started: true, steps: { ...record.steps, [stepName]: recorded } });
    emit(key, { type: "stepRecorded", step: stepName });
    return value;
  };

  const finish = async (
    ending: Ending,
    ttlMs: number | "never" = request.retentionMs,
  ): Promise<Finish> => {
    assertOpen();
    tenure.stop();
    const { attempt, fingerprint } = record;
    const kept = { attempt, fingerprint };
    const value =
      "value" in ending
        ? encodeDone(kept, ending.value, store.capabilities.maxValueBytes)
        : encodeDedup({ ...kept, ...ending });
    try {
      const sent = await tenure.write(
        () => {
          // In this write's turn: steps queued before it are still recorded.
          ended = true;
          return { value, ttlMs };
        },
        { persist: true },
      );
      return sent.outcome === "lost"
        ? { ...sent, recorded: false }
        : { recorded: sent.outcome === "applied" || "unknown" };
    } catch {
      // A failed recording must not throw away what the handler did.
      return { recorded: "unknown" };
    }
  };

  return {
    request,
    start: tenure.start,
    renew(leaseMs) {
      assertOpen();
      return tenure.renew(leaseMs);
    },
    clear() {
      record = { ...record, unresolved: undefined };
    },
    finish,
    reopen(clean) {
      const { steps } = record;
      const unresolved = !clean || record.unresolved;
      return finish({ state: "open", steps, unresolved }, unresolved ? "never" : undefined);
    },
    context: {
      key,
      attempt: first.attempt,
      takeover: !!first.unresolved,
      fencingToken,
      get signal() {
        return tenure.signal;
      },
      childKey(child) {
        checkKey(child, "a child key's name");
        return shortHash("dedup", name, key, child);
      },
      step,
      async started() {
        if (!record.started) {
          await save({ started: true });
          emit(key, { type: "started" });
        }
      },
    },
  };
}
