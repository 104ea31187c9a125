// One acquired attempt at a key: its context for the handler, and the ways it ends.

import type { Entry } from "../contract/atomic-store.js";
import {
  codeOf,
  IndeterminateError,
  LeaseLostError,
  ValueUnavailableError,
} from "../errors/errors.js";
import { checkKey } from "../shared/arguments.js";
import { shortHash } from "../shared/hash.js";
import { checkedPayload } from "../shared/payload.js";
import type { Owned } from "../shared/send.js";
import { createTenure, type Tenure } from "../shared/tenure.js";
import { decodeValue } from "../shared/value-codec.js";
import { WithSignal } from "../shared/with-signal.js";
import type { DedupContext } from "./context.js";
import type { ResolvedDedup } from "./options.js";
import {
  encodeDedup,
  encodeDone,
  type OpenRecord,
  type Rejection,
  type RunningRecord,
  runningTtlMs,
} from "./record.js";
import type { Request } from "./request.js";

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
  | Rejection
  | { readonly state: "expired" | "early" }
  /** Steps and attempts are kept. */
  | Pick<OpenRecord, "state" | "unresolved">;

/** One attempt of one owner. */
export interface Attempt extends Pick<Tenure, "start" | "renew"> {
  readonly request: Request;
  /** What the handler is given: plain functions, so that it may take them apart. */
  readonly context: DedupContext;
  /** Whether the lease certainly still runs. */
  leased(): boolean;
  /** The earlier attempts were found to have done nothing. */
  clear(): void;
  /** Ends the attempt with its last record. @defaultValue `keptMs` is the retention */
  finish(last: Ending, keptMs?: number | "never"): Promise<Finish>;
  /** Gives the key back: clean if nothing happened, else unresolved until someone resolves it. */
  reopen(clean: boolean): Promise<Finish>;
}

export function createAttempt(
  options: ResolvedDedup,
  request: Request,
  acquired: Owned,
  first: RunningRecord | OpenRecord,
): Attempt {
  const { emit, name, store } = options;
  const { key } = request;
  const ttlMs = runningTtlMs(options, request, first);
  const fencingToken = acquired.stamp.revision;
  const tenure = createTenure(options, request, acquired, () => ttlMs);
  let record = first as RunningRecord;
  // Its last write was asked for, and had its turn.
  let ending = false;
  let ended = false;
  const underWay = new Map<string, Promise<unknown>>();

  const assertNot = (over: boolean): void => {
    if (over) {
      throw new LeaseLostError("leaseLost", "this attempt has already ended");
    }
  };

  const save = async (change: Partial<RunningRecord>): Promise<void> => {
    record = { ...record, ...change };
    const next = (): { value: string; ttlMs: number | "never" } => {
      assertNot(ended);
      return { value: encodeDedup(record), ttlMs };
    };
    const saved = await tenure.write(next, { persist: true }).catch((cause: unknown) => {
      if (codeOf(cause) === "leaseLost") {
        throw cause;
      }
      // What the handler did may not be told as nothing because its record could not be sent.
      return { outcome: "unknown", cause } as const;
    });
    if (saved.outcome === "lost") {
      throw new LeaseLostError("leaseLost", "another owner took over this key");
    }
    if (saved.outcome === "unknown") {
      throw new IndeterminateError("indeterminate", "whether it was recorded is not known", saved);
    }
  };

  const runStep = async <T>(stepName: string, fn: () => T | Promise<T>): Promise<T> => {
    if (!tenure.remainingMs()) {
      throw new LeaseLostError("leaseLost", "the lease may have ended: another may run this step");
    }
    const value = await fn();
    const most = store.capabilities.maxValueBytes;
    const steps = { ...record.steps, [stepName]: checkedPayload(value, most) ?? UNSTORABLE };
    // Together they leave a quarter of the record to the rest, at up to 3 bytes for each unit.
    if (JSON.stringify(steps).length * 4 > most) {
      steps[stepName] = UNSTORABLE;
    }
    await save({ started: true, steps });
    emit(key, { type: "stepRecorded", step: stepName });
    return value;
  };

  const step = async <T>(stepName: string, fn: () => T | Promise<T>): Promise<T> => {
    checkKey(stepName, "a step's name");
    assertNot(ending);
    const known = Object.entries(record.steps ?? {}).find(([recorded]) => recorded === stepName);
    if (known?.[1] === UNSTORABLE) {
      throw new ValueUnavailableError("valueUnavailable", "the step's result was not storable");
    }
    if (known) {
      return decodeValue(known[1]) as T;
    }
    // Asked for twice at once it runs once, or two callers would hold different results.
    let running = underWay.get(stepName);
    if (!running) {
      running = runStep(stepName, fn).finally(() => underWay.delete(stepName));
      underWay.set(stepName, running);
    }
    return running as Promise<T>;
  };

  const finish = async (
    last: Ending,
    keptMs: number | "never" = request.retentionMs,
  ): Promise<Finish> => {
    // At once, so that of two endings asked for together the second never overwrites the first.
    assertNot(ending);
    ending = true;
    tenure.stop();
    const { attempt, fingerprint, steps } = record;
    const value =
      "value" in last
        ? encodeDone(record, last.value, store.capabilities.maxValueBytes)
        : encodeDedup(
            last.state === "open"
              ? { attempt, fingerprint, steps, ...last }
              : { attempt, fingerprint, ...last },
          );
    try {
      let sent = await tenure.write(
        () => {
          // In this write's turn: steps queued before it are still recorded.
          ended = true;
          return { value, ttlMs: keptMs };
        },
        { persist: true },
      );
      if (sent.outcome === "unknown") {
        // Who stood still meanwhile may have been taken over, and must not tell its own value then.
        sent = await tenure.look();
      }
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
    async renew(leaseMs) {
      assertNot(ending);
      return tenure.renew(leaseMs);
    },
    leased: () => tenure.remainingMs() > 0,
    clear() {
      record = { ...record, unresolved: undefined };
    },
    finish,
    reopen(clean) {
      const unresolved = !clean || record.unresolved;
      return finish({ state: "open", unresolved }, unresolved ? "never" : undefined);
    },
    context: Object.assign(new WithSignal(tenure.signal), {
      key,
      attempt: first.attempt,
      takeover: !!first.unresolved,
      fencingToken,
      childKey(child: string) {
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
    }),
  };
}
