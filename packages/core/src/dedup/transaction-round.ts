// One round of a dedup in the store's transaction: the claim is its first lock, then the handler
// runs, then its outcome is recorded. All of it commits, or nothing does.

import type { Refused, StampedWrite, Write } from "../contract/atomic-store.js";
import type { TransactionalStore } from "../contract/capabilities.js";
import { codeOf, StoreError } from "../errors/errors.js";
import { checkKey } from "../shared/arguments.js";
import { shortHash } from "../shared/hash.js";
import { checkedPayload } from "../shared/payload.js";
import { randomId } from "../shared/random-id.js";
import { encodeRecord } from "../shared/record.js";
import { judgeAge } from "./key-time.js";
import type { ResolvedDedup } from "./options.js";
import { encodeDedup, isUnresolved, type OpenRecord, type RunningRecord } from "./record.js";
import type { Request } from "./request.js";
import type { TransactionContext } from "./transaction-context.js";
import type { TransactionResult } from "./transaction-result.js";

/** What a handler within a transaction looks like. */
export type TransactionHandler<Tx, T> = (tx: Tx, ctx: TransactionContext) => T | Promise<T>;

/** One call, whatever its number of rounds. */
export interface TransactionCall<Tx, T> {
  readonly options: ResolvedDedup;
  readonly store: TransactionalStore<Tx>;
  readonly request: Request;
  readonly handler: TransactionHandler<Tx, T>;
}

/** What a round claims. */
export interface Claim {
  readonly expect: Write["expect"];
  readonly earlier: RunningRecord | OpenRecord | undefined;
  /** At this time of the store an unanswered commit may be forgotten, so nothing proves anything. */
  readonly forgottenAt: number;
}

/** What is true once a round has committed. */
export interface Made<T> {
  /** Of the record of the outcome. */
  readonly opId: string;
  readonly result: TransactionResult<T>;
}

/** How a round ended. Only `committed` and `unknown` may have changed anything. */
export type Round<T> =
  | { readonly outcome: "committed"; readonly result: TransactionResult<T> }
  /** The commit got no answer: `made` may be true, or may yet become so. */
  | {
      readonly outcome: "unknown";
      readonly made: Made<T>;
      readonly revision: number;
      readonly cause: unknown;
    }
  /** The claim was refused by this. */
  | { readonly outcome: "refused"; readonly seen: Refused }
  | { readonly outcome: "settled"; readonly result: TransactionResult<T> }
  /** The claim came so late that an earlier commit may be forgotten. */
  | { readonly outcome: "late" }
  | { readonly outcome: "threw"; readonly error: unknown; readonly revision: number }
  /** Others won; before the claim was answered, or after it. */
  | { readonly outcome: "contended"; readonly claimed: boolean };

/** What a round that is rolled back on purpose ends with. */
type RolledBack<T> = Extract<
  Round<T>,
  { readonly outcome: "refused" | "settled" | "late" | "threw" }
>;

/** What the last run of a round's function left. */
interface Last<T> {
  /** Of the claim, once it is answered. */
  readonly revision?: number;
  readonly back?: RolledBack<T>;
  readonly made?: Made<T>;
  /** What the transaction rejected with. */
  readonly cause?: unknown;
}

const ROLL_BACK = /* @__PURE__ */ new Error("onceproof: rolled back on purpose");

/** The answer to a write of a bound store: what has none cannot be committed either. */
async function answered(
  writing: Promise<Awaited<ReturnType<TransactionalStore<unknown>["write"]>>>,
): Promise<Exclude<Awaited<typeof writing>, { outcome: "unknown" }>> {
  const answer = await writing;
  if (answer.outcome === "unknown") {
    const { cause } = answer;
    throw new StoreError("unavailable", "a write of the transaction got no answer", { cause });
  }
  return answer;
}

/** What the record of the next attempt says, whatever comes of it. */
export function attemptOf(
  { fingerprint }: Request,
  earlier: RunningRecord | OpenRecord | undefined,
): { readonly attempt: number; readonly fingerprint: string | undefined } {
  return {
    attempt: (earlier?.attempt ?? 0) + 1,
    fingerprint: earlier?.fingerprint ?? fingerprint,
  };
}

/** Plays one round. Rejects if the store could do nothing, with everything rolled back. */
export async function playRound<Tx, T>(
  { options, store, request, handler }: TransactionCall<Tx, T>,
  { expect, earlier, forgottenAt }: Claim,
): Promise<Round<T>> {
  const { runtime, emit, name } = options;
  const { key, storeKey, retentionMs } = request;
  const kept = attemptOf(request, earlier);
  const { attempt } = kept;
  const takeover = earlier !== undefined && isUnresolved(earlier);
  // Of the last run of the function below: a store may run it several times.
  let last: Last<T> = {};

  const rollBack = (back: RolledBack<T>): never => {
    last = { ...last, back };
    throw back.outcome === "threw" ? back.error : ROLL_BACK;
  };

  const work = async (tx: Tx): Promise<void> => {
    last = {};
    const bound = store.bind(tx);
    // Fresh in each run, since each may record something else.
    const owner = randomId(runtime);
    const claim: RunningRecord = {
      state: "running",
      owner,
      leaseMs: options.leaseMs,
      steps: undefined,
      unresolved: takeover || undefined,
      ...kept,
    };
    const next = { value: encodeDedup(claim), ttlMs: retentionMs };
    const claimed = await answered(
      bound.write({ key: storeKey, opId: owner, expect, next } as Write),
    );
    if (claimed.outcome === "refused") {
      return rollBack({ outcome: "refused", seen: claimed });
    }
    if (claimed.now >= forgottenAt) {
      return rollBack({ outcome: "late" });
    }
    const { revision } = claimed;
    last = { revision };
    const finish = async (result: TransactionResult<T>, record: StampedWrite["next"]) => {
      const opId = randomId(runtime);
      const stamp = { revision, opId: owner };
      const recorded = await answered(
        bound.write({ key: storeKey, opId, expect: stamp, next: record }),
      );
      if (recorded.outcome === "refused") {
        throw new StoreError("unavailable", "the handler changed the record of its own key");
      }
      last = { revision, made: { opId, result } };
    };
    const judged = judgeAge(options, request.birth, claimed.now);
    if (judged) {
      emit(key, { type: "expired" });
      if (judged.outcome === "expired") {
        const value = encodeRecord({ state: "expired", ...kept });
        return finish(judged, { value, ttlMs: retentionMs });
      }
      if (attempt > 1) {
        return rollBack({ outcome: "settled", result: judged });
      }
      const value = encodeRecord({ state: "early", ...kept });
      return finish(judged, { value, ttlMs: judged.validInMs });
    }
    emit(
      key,
      takeover
        ? { type: "takenOver", attempt, fencingToken: revision }
        : { type: "acquired", attempt },
    );
    let value: T;
    try {
      value = await handler(tx, {
        key,
        attempt,
        takeover,
        childKey(child) {
          checkKey(child, "a child key's name");
          return shortHash("dedup", name, key, child);
        },
      });
    } catch (error) {
      return rollBack({ outcome: "threw", error, revision });
    }
    const exactlyOnce = !takeover;
    const payload = checkedPayload(value, store.capabilities.maxValueBytes);
    const unavailable = payload === undefined || undefined;
    const record = encodeRecord({ state: "done", unavailable, exactlyOnce, ...kept }, payload);
    const result = { outcome: "executed", value, attempt, exactlyOnce } as const;
    return finish(result, { value: record, ttlMs: retentionMs });
  };

  const code = await store.transaction(work).then(
    () => "committed",
    (cause: unknown) => {
      last = { ...last, cause };
      return codeOf(cause);
    },
  );
  const { back, made, revision = 0, cause } = last;
  if (code === "contended") {
    return { outcome: code, claimed: revision > 0 };
  }
  if (back) {
    return back;
  }
  if (made && code === "committed") {
    return { outcome: code, result: made.result };
  }
  if (made && code === "indeterminate") {
    return { outcome: "unknown", made, revision, cause };
  }
  throw cause;
}
