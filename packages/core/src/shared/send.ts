// One write of one owner, sent until its answer is known. A refusal that shows one of the owner's
// own unanswered writes is no refusal: that write did apply, and the owner goes on from there.

import type {
  Applied,
  Entry,
  Refused,
  Stamp,
  Unknown,
  Write,
  WriteResult,
} from "../contract/atomic-store.js";
import type { Base } from "./factory-options.js";
import { randomId } from "./random-id.js";
import { settle } from "./settle.js";
import { type Instant, instantNow } from "./time.js";

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

/** An own write that stands, and the lease that began with it. */
export interface Owned {
  readonly stamp: Stamp;
  readonly lease: Lease;
}

/** One owner's writes that may still apply. It sends one at a time, so the last is the newest. */
export type Unanswered = (Lease & { readonly opId: string })[];

/** The one of them that made what stands there. */
export function ownOf(
  unanswered: Unanswered | undefined,
  stamp: Stamp | undefined,
): Unanswered[number] | undefined {
  return unanswered?.find(({ opId }) => opId === stamp?.opId);
}

export type Sent =
  /** An own write stands: this one (`applied`), or an earlier one that had got no answer. */
  | (Owned & { readonly outcome: "own"; readonly applied: boolean; readonly now: number })
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

type Answer = (Applied | Refused) & { readonly afterUnknown?: true };

/** Sends a write under a fresh opId, which `next` may name. */
export async function send<W extends Pick<Write, "expect" | "next">>(
  base: Base,
  { key, storeKey }: Place,
  expect: W["expect"],
  next: (opId: string) => W["next"],
  how: SendOptions = {},
): Promise<Sent> {
  const { runtime, store, settleMs, emit } = base;
  const { leaseMs = 0, unanswered } = how;
  const opId = randomId(runtime);
  const sent = { opId, since: instantNow(runtime), leaseMs };
  unanswered?.push(sent);
  const write = { key: storeKey, opId, expect, next: next(opId) } as Write;
  let first: Promise<WriteResult> | undefined;
  let answer: Answer | Unknown | undefined;
  try {
    first = store.write(write);
    answer = await first;
  } catch {
    // It is judged below, and may be worth another send.
  }
  if (!answer || answer.outcome === "unknown") {
    try {
      // Only here, since nearly every write is answered at once, and settling has its price.
      answer = await settle<Applied | Refused>(() => store.write(write), {
        first,
        runtime,
        deadline: sent.since.monotonicMs + (how.settleMs ?? settleMs),
        onUnknown: (settled, cause) => emit(key, { type: "unknown", settled, cause }),
        ...how,
      });
    } catch (error) {
      // It certainly did nothing, so it begins no lease either.
      unanswered?.pop();
      throw error;
    }
  }
  if (answer.outcome === "unknown") {
    return answer;
  }
  const stamp =
    answer.outcome === "applied" ? { revision: answer.revision, opId } : answer.entry?.stamp;
  const mine = stamp?.opId === opId;
  const lease = mine ? sent : ownOf(unanswered, stamp);
  if (stamp && lease) {
    return { outcome: "own", applied: mine, stamp, lease, now: answer.now };
  }
  if (!answer.afterUnknown) {
    unanswered?.pop();
  }
  return answer as Extract<Sent, { outcome: "refused" }>;
}
