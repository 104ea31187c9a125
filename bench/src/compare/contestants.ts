// Contestants of users: the same work, with keys of one length, whoever does it.

import { runBatch } from "./batch.js";
import type { Contestant } from "./comparison.js";
import {
  type DedupUser,
  type EnqueueUser,
  type LockUser,
  RECEIPT,
  type Receipt,
  type TransactionUser,
  type User,
} from "./users.js";

/** Ours with nothing but defaults, which has the goals: bare commands do no more. */
export const OURS = "onceproof";

const KEYS = 200;
const AT_ONCE = 64;

/** Keys of one length, so that memory compares, and other ones for each place in a comparison. */
function keysOf(place: number): (index: number) => string {
  return (index) => `order-${10 + place}${1_000_000 + index}`;
}

type About = Omit<Contestant, "operate" | "prepare" | "hold">;

function about({ name, client, kind, lacks }: User, goal: number | undefined): About {
  const hasGoal = name === OURS && goal !== undefined;
  return { name, client, kind, ...(lacks !== undefined && { lacks }), ...(hasGoal && { goal }) };
}

const receipt = (): Receipt => RECEIPT;

type Build<U> = (user: U, place: number) => Contestant;

/** Acquires a free lock and releases it. */
export function lockContestant(goal?: number): Build<LockUser> {
  return (user, place) => {
    const key = keysOf(place);
    return {
      ...about(user, goal),
      operate: (index) => user.cycle(key(index)),
      hold: (index) => user.tryHold(key(index)),
    };
  };
}

/** Runs requests that nobody has run. */
export function firstRunContestant(goal?: number): Build<DedupUser> {
  return (user, place) => {
    const key = keysOf(place);
    return { ...about(user, goal), operate: (index) => user.run(key(index), receipt) };
  };
}

/** One of few keys, each of which was there before. */
function again(
  first: (key: string) => Promise<unknown>,
  place: number,
): Pick<Contestant, "operate" | "prepare"> {
  const key = keysOf(place);
  const operate = (index: number): Promise<unknown> => first(key(index % KEYS));
  return { operate, prepare: () => runBatch(operate, 0, KEYS, AT_ONCE) };
}

/** Runs requests that were run already. */
export function replayContestant(goal?: number): Build<DedupUser> {
  return (user, place) => ({
    ...about(user, goal),
    ...again((key) => user.run(key, receipt), place),
  });
}

/** Writes a row of the business in a transaction. */
export function transactionContestant(): Build<TransactionUser> {
  return (user, place) => {
    const key = keysOf(place);
    return { ...about(user, undefined), operate: (index) => user.pay(key(index)) };
  };
}

/** Enqueues jobs that nobody has enqueued. */
export function enqueueContestant(): Build<EnqueueUser> {
  return (user, place) => {
    const key = keysOf(place);
    return { ...about(user, undefined), operate: (index) => user.enqueue(key(index)) };
  };
}

/** Enqueues jobs that are there already. */
export function enqueueAgainContestant(): Build<EnqueueUser> {
  return (user, place) => ({ ...about(user, undefined), ...again(user.enqueue, place) });
}
