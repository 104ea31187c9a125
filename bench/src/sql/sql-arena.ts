// The arena that every SQL database has: bare statements and ours, for lock, dedup and transaction.

import type { Account, Arena, Contestant } from "../compare/comparison.js";
import {
  firstRunContestant,
  lockContestant,
  replayContestant,
  transactionContestant,
} from "../compare/contestants.js";
import type { DedupUser, LockUser, TransactionUser } from "../compare/users.js";
import type { SqlSubject } from "./subject.js";
import { dedupUsers, lockUsers, transactionUsers } from "./users.js";
import { callsOf, type Sender } from "./watch-calls.js";

/** Who takes part everywhere. */
export interface SqlArena extends Arena {
  readonly locks: readonly LockUser[];
  readonly dedups: readonly DedupUser[];
  readonly transactions: readonly TransactionUser[];
  /** The statements of one operation. */
  calls(contestant: Contestant): Promise<readonly string[]>;
  /** How many payments there are, which the tests want to know. */
  payments(): Promise<number>;
}

/** What a database brings. */
export interface SqlArenaParts extends Omit<Arena, "comparisons" | "details" | "account"> {
  readonly names: Readonly<Record<"lock" | "firstRun" | "replay" | "transaction", string>>;
  /** The shares that ours should reach. */
  readonly goals?: { readonly firstRun: number; readonly replay: number };
  payments(): Promise<number>;
  /** Whose methods send statements. */
  readonly senders: readonly Sender[];
  /** What else one operation costs; the store holds what counting its statements left. */
  costs(contestant: Contestant): Promise<Account["costs"]>;
  /** Further libraries that lock. */
  readonly lockPeers?: readonly LockUser[];
}

export function sqlArena<Tx>(subject: SqlSubject<Tx>, parts: SqlArenaParts): SqlArena {
  const { names, goals, lockPeers = [], senders, costs, ...arena } = parts;
  const calls = async (contestant: Contestant): Promise<readonly string[]> => {
    await arena.clear();
    return callsOf(senders, contestant);
  };
  const locks = [...lockUsers(subject), ...lockPeers];
  const dedups = dedupUsers(subject);
  const transactions = transactionUsers(subject);
  return {
    ...arena,
    locks,
    dedups,
    transactions,
    calls,
    account: async (contestant) => ({
      calls: await calls(contestant),
      costs: await costs(contestant),
    }),
    comparisons: [
      { name: names.lock, contestants: locks.map(lockContestant()) },
      { name: names.firstRun, contestants: dedups.map(firstRunContestant(goals?.firstRun)) },
      { name: names.replay, contestants: dedups.map(replayContestant(goals?.replay)) },
      { name: names.transaction, contestants: transactions.map(transactionContestant()) },
    ],
    details: [],
  };
}
