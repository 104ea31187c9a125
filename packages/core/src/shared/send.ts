// One write of one owner, sent until its answer is known. A refusal that shows one of the owner's
// own unanswered writes is no refusal: that write did apply, and the owner goes on from there.

import type { Applied, Entry, Refused, Stamp, Write } from "../contract/atomic-store.js";
import type { Base } from "./factory-options.js";
import { randomId } from "./random-id.js";
import { settle } from "./settle.js";
import { deadlineIn, type Instant, instantNow } from "./time.js";

/** A caller's key, and the same on the wire. */
export interface Place {
  readonly key: string;
  readonly storeKey: string;
}

/** A lease of an owner, counted from the moment before the first send. */
export interface Lease {
  readonly since: Instant;
  readonly leaseMs: number;
}

/** Own writes that may still apply, by opId. */
export type Unanswered = Map<string, Lease>;

export type Sent =
  /** An own write stands: this one (`applied`), or an earlier one that had got no answer. */
  | (Lease & {
      readonly outcome: "own";
      readonly applied: boolean;
      readonly stamp: Stamp;
      readonly now: number;
    })
  | {
      readonly outcome: "refused";
      readonly entry?: Entry;
      readonly now: number;
      /** An earlier send of this write got no answer, and may have applied. */
      readonly afterUnknown?: true;
    }
  | { readonly outcome: "unknown"; readonly cause: unknown };

export interface SendOptions {
  /** The lease that this write begins. */
  readonly leaseMs?: number | undefined;
  /** In milliseconds. @defaultValue the factory's `settleMs` */
  readonly settleMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Also re-sends what certainly did nothing. */
  readonly persist?: boolean | undefined;
  readonly unanswered?: Unanswered;
}

/** Sends a write under a fresh opId, which `next` may name. */
export async function send<W extends Pick<Write, "expect" | "next">>(
  base: Base,
  { key, storeKey }: Place,
  expect: W["expect"],
  next: (opId: string) => W["next"],
  how: SendOptions = {},
): Promise<Sent> {
  const { runtime, store, emit } = base;
  const { leaseMs = 0, settleMs = base.settleMs, unanswered } = how;
  const opId = randomId(runtime);
  const sent = { since: instantNow(runtime), leaseMs };
  unanswered?.set(opId, sent);
  const write = { key: storeKey, opId, expect, next: next(opId) } as Write;
  let answer: Awaited<ReturnType<typeof settle<Applied | Refused>>>;
  try {
    answer = await settle<Applied | Refused>(() => store.write(write), {
      runtime,
      deadline: deadlineIn(runtime, settleMs),
      signal: how.signal,
      persist: how.persist,
      onUnknown: (settled, cause) => emit(key, { type: "unknown", settled, cause }),
    });
  } catch (error) {
    // It certainly did nothing, so it begins no lease either.
    unanswered?.delete(opId);
    throw error;
  }
  if (answer.outcome === "unknown") {
    return answer;
  }
  const stamp =
    answer.outcome === "applied" ? { revision: answer.revision, opId } : answer.entry?.stamp;
  const mine = stamp?.opId === opId;
  const lease = mine ? sent : stamp && unanswered?.get(stamp.opId);
  if (stamp && lease) {
    return { outcome: "own", applied: mine, stamp, now: answer.now, ...lease };
  }
  if (!answer.afterUnknown) {
    unanswered?.delete(opId);
  }
  return answer as Extract<Sent, { outcome: "refused" }>;
}
