// What a dedup does within the store's transaction: the claim is its first lock, then the handler
// runs, then its outcome is recorded. All of it commits, or nothing does.

import type { Applied, AtomicStore, Refused, Write } from "../contract/atomic-store.js";
import { StoreError } from "../errors/errors.js";
import { checkKey } from "../shared/arguments.js";
import { shortHash } from "../shared/hash.js";
import { checkedPayload } from "../shared/payload.js";
import { randomId } from "../shared/random-id.js";
import { encodeRecord } from "../shared/record.js";
import { judgeAge } from "./key-time.js";
import { isUnresolved, type OpenRecord, type RunningRecord } from "./record.js";
import type { Request } from "./request.js";
import type { Claim, Claimed, Made, Round, TransactionCall } from "./transaction-call.js";
import type { TransactionResult } from "./transaction-result.js";

/** What a round that is rolled back on purpose ends with. */
type RolledBack<T> = Extract<
  Round<T>,
  { readonly outcome: "refused" | "settled" | "late" | "threw" }
>;

/** What a run of the function of a transaction has left. */
export interface Left<T> {
  claimed?: Claimed;
  back?: RolledBack<T>;
  made?: Made<T>;
}

const ROLL_BACK = /* @__PURE__ */ new Error("onceproof: rolled back on purpose");

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

/** Writes within the transaction; what has no answer is not committed either. */
async function write(bound: AtomicStore, asked: Omit<Write, "next"> & Pick<Write, "next">) {
  const answer = await bound.write(asked as Write);
  if (answer.outcome === "unknown") {
    const { cause } = answer;
    throw new StoreError("unavailable", "a write of the transaction got no answer", { cause });
  }
  return answer as Applied | Refused;
}

function rollBack<T>(left: Left<T>, back: RolledBack<T>): never {
  left.back = back;
  throw back.outcome === "threw" ? back.error : ROLL_BACK;
}

/** The function of a round's transaction. */
export async function work<Tx, T>(
  call: TransactionCall<Tx, T>,
  { expect, earlier, forgottenAt }: Claim,
  tx: Tx,
  left: Left<T>,
): Promise<void> {
  const { options, store, request } = call;
  const { storeKey: key, retentionMs } = request;
  const bound = store.bind(tx);
  const kept = attemptOf(request, earlier);
  const takeover = earlier !== undefined && isUnresolved(earlier);
  // Fresh in each run, since each may record something else.
  const owner = randomId(options.runtime);
  const { leaseMs } = options;
  const running = { state: "running", owner, leaseMs, unresolved: takeover || undefined, ...kept };
  const next = { value: encodeRecord(running), ttlMs: retentionMs };
  const claimed = await write(bound, { key, opId: owner, expect, next });
  if (claimed.outcome === "refused") {
    return rollBack(left, { outcome: "refused", seen: claimed });
  }
  if (claimed.now >= forgottenAt) {
    return rollBack(left, { outcome: "late" });
  }
  left.claimed = claimed;
  const ending =
    judgeKey(call, kept, claimed.now, left) ??
    (await handle(call, kept, { tx, takeover, claimed, left }));
  const opId = randomId(options.runtime);
  const recorded = await write(bound, {
    key,
    opId,
    expect: { revision: claimed.revision, opId: owner },
    next: { value: ending.record, ttlMs: ending.keptMs },
  });
  if (recorded.outcome === "refused") {
    throw new StoreError("unavailable", "the handler changed the record of its own key");
  }
  left.made = { opId, result: ending.result };
}

/** What is recorded at the end, and told once it is committed. */
interface TransactionEnding<T> {
  readonly result: TransactionResult<T>;
  readonly record: string;
  readonly keptMs: number;
}

type Kept = ReturnType<typeof attemptOf>;

/** Whether the key is too old or too young; undefined if it may run. */
function judgeKey<Tx, T>(
  { options, request }: TransactionCall<Tx, T>,
  kept: Kept,
  now: number,
  left: Left<T>,
): TransactionEnding<T> | undefined {
  const result = judgeAge(options, request.birth, now);
  if (!result) {
    return undefined;
  }
  options.emit(request.key, { type: "expired" });
  if (result.outcome === "expired") {
    const record = encodeRecord({ state: "expired", ...kept });
    return { result, record, keptMs: request.retentionMs };
  }
  if (kept.attempt > 1) {
    // An earlier attempt found the key valid, and the clock stepped back: keep what that one left.
    return rollBack(left, { outcome: "settled", result });
  }
  const record = encodeRecord({ state: "early", ...kept });
  return { result, record, keptMs: result.validInMs };
}

interface Hold<Tx, T> {
  readonly tx: Tx;
  readonly takeover: boolean;
  readonly claimed: Claimed;
  readonly left: Left<T>;
}

/** Runs the handler. */
async function handle<Tx, T>(
  { options, store, request, handler }: TransactionCall<Tx, T>,
  kept: Kept,
  { tx, takeover, claimed, left }: Hold<Tx, T>,
): Promise<TransactionEnding<T>> {
  const { emit, name } = options;
  const { key, retentionMs } = request;
  const { attempt } = kept;
  emit(
    key,
    takeover
      ? { type: "takenOver", attempt, fencingToken: claimed.revision }
      : { type: "acquired", attempt },
  );
  const childKey = (child: string): string => {
    checkKey(child, "a child key's name");
    return shortHash("dedup", name, key, child);
  };
  let value: T;
  try {
    value = await handler(tx, { key, attempt, takeover, childKey });
  } catch (error) {
    return rollBack(left, { outcome: "threw", error, claimed });
  }
  const exactlyOnce = !takeover;
  const payload = checkedPayload(value, store.capabilities.maxValueBytes);
  const unavailable = payload === undefined || undefined;
  return {
    result: { outcome: "executed", value, attempt, exactlyOnce },
    record: encodeRecord({ state: "done", unavailable, exactlyOnce, ...kept }, payload),
    keptMs: retentionMs,
  };
}
