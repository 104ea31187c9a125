// What the scenario of dedup in the store's transaction is asked, as plain data.

import type { Ask } from "./clients.js";
import type { NamedWorkload, Times } from "./scenario.js";

/** How a handler ends, after what it wrote through its transaction. */
export type TransactionEnd =
  | "returns"
  | "throws"
  | "throwsFinal"
  /** In the first run for its request only. */
  | "throwsFirst"
  /** In all runs for its request but the first. */
  | "throwsLater"
  | "throwsFinalLater";

export interface TransactionAsk extends Ask {
  readonly key: string;
  readonly end: TransactionEnd;
  /** Work before what it writes and after it. */
  readonly beforeMs: number;
  readonly afterMs: number;
  /** Rows that it changes one after the other, each in a statement that adds a row of its own. */
  readonly changes: readonly (string | undefined)[];
  readonly fingerprint?: string;
  /** Asked of `attempt`, without a transaction: its handler has no effect. */
  readonly plain?: true;
  /** When the key was made, in the world's time, if it bears that. */
  readonly bornMs?: number;
}

export interface TransactionWorkload {
  readonly asks: readonly TransactionAsk[];
  /** How long a node stands still after it has waited in vain for the answer to a commit. */
  readonly stallsMs?: number;
}

/** How long a duplicate waits for others. */
export const TRANSACTION_WAIT_MS = 800;

export const TRANSACTION_TIMES: Times = {
  operationTimeoutMs: 200,
  tombstoneMs: 10_000,
  leaseMs: 1_500,
  retentionMs: 30_000,
};

export const transactionAsk = (over: Partial<TransactionAsk>): TransactionAsk => ({
  client: "alice",
  atMs: 0,
  to: ["api-1", "api-2"],
  tries: 4,
  patienceMs: 2_500,
  gapMs: 400,
  key: "k1",
  end: "returns",
  beforeMs: 2,
  afterMs: 2,
  changes: [undefined],
  ...over,
});

const ask = transactionAsk;

export const TRANSACTION_WORKLOADS: readonly NamedWorkload<TransactionWorkload>[] = [
  {
    id: "double-click",
    title: "two callers of one key at the same time, and one later",
    workload: {
      asks: [
        ask({}),
        ask({ client: "bob", atMs: 1, to: ["api-2", "api-1"] }),
        ask({ client: "carol", atMs: 5_000, to: ["api-2"] }),
      ],
    },
  },
  {
    id: "slow",
    title: "a transaction that lasts longer than others wait for its lock",
    workload: {
      asks: [
        ask({ afterMs: 250 }),
        ask({ client: "bob", atMs: 20, to: ["api-2", "api-1"], afterMs: 250 }),
      ],
    },
  },
  {
    id: "rejection",
    title: "a business rejection after an effect, its duplicate, and another payload",
    workload: {
      asks: [
        ask({ end: "throwsFinal", fingerprint: "a" }),
        ask({ client: "bob", atMs: 3, to: ["api-2"], end: "throwsFinal", fingerprint: "a" }),
        ask({ client: "carol", atMs: 6, to: ["api-2"], fingerprint: "b", tries: 1 }),
      ],
    },
  },
  {
    id: "change-of-mind",
    title: "one caller is rejected where another succeeds",
    workload: {
      asks: [
        ask({ end: "throwsFinal", tries: 2 }),
        ask({ client: "bob", atMs: 3, to: ["api-2", "api-1"] }),
      ],
    },
  },
  {
    id: "errors",
    title: "errors after an effect: once, and each time",
    workload: {
      asks: [
        ask({ end: "throwsFirst" }),
        ask({ client: "bob", atMs: 4, to: ["api-2", "api-1"], end: "throws", tries: 2 }),
        ask({ client: "carol", atMs: 900, to: ["api-2"] }),
      ],
    },
  },
  {
    id: "second-thoughts",
    title: "handlers that return at first, and fail when they run again",
    workload: {
      asks: [
        ask({ end: "throwsLater" }),
        ask({ client: "bob", key: "k2", to: ["api-2", "api-1"], end: "throwsFinalLater" }),
        ask({ client: "carol", key: "k3", to: ["api-2"], end: "throwsLater", tries: 1 }),
        ask({ client: "dave", key: "k4", to: ["api-1"], end: "throwsLater", tries: 1 }),
      ],
    },
  },
  {
    id: "stands-still",
    title: "a node that stands still beyond all memory after a commit without an answer",
    workload: {
      asks: [
        ask({ patienceMs: 100_000, tries: 1 }),
        ask({ client: "bob", to: ["api-2"], key: "k2", patienceMs: 100_000, tries: 1 }),
        // When all is forgotten, and while the others still stand still.
        ask({ client: "carol", atMs: 45_000, to: ["api-2"], patienceMs: 100_000, tries: 1 }),
      ],
      stallsMs: 50_000,
    },
  },
  {
    id: "births",
    title: "keys that bear their birth time: in their time, too old, and from the future",
    workload: {
      asks: [
        ask({ bornMs: -12_000 }),
        ask({ client: "bob", atMs: 60_000, to: ["api-2"], bornMs: -12_000 }),
        ask({ client: "carol", key: "k2", bornMs: 30_000, tries: 1 }),
        ask({ client: "dave", key: "k2", atMs: 27_000, to: ["api-2"], bornMs: 30_000 }),
      ],
    },
  },
  {
    id: "transfers",
    title: "two keys that change the same two rows in opposite orders",
    workload: {
      asks: [
        ask({ changes: ["a", "b"], beforeMs: 0 }),
        ask({ client: "bob", key: "k2", to: ["api-2", "api-1"], changes: ["b", "a"], beforeMs: 0 }),
      ],
    },
  },
  {
    id: "mixed",
    title: "attempts without a transaction under the same key: one at work, and one that fails",
    workload: {
      asks: [
        ask({ plain: true, afterMs: 30, tries: 1 }),
        ask({ client: "bob", atMs: 5, to: ["api-2", "api-1"] }),
        ask({ client: "carol", key: "k2", plain: true, end: "throws", tries: 1 }),
        ask({ client: "dave", key: "k2", atMs: 40, to: ["api-2"] }),
      ],
    },
  },
  {
    id: "retention-edge",
    title: "a duplicate shortly before the retention ends, and one long after",
    workload: {
      asks: [
        ask({}),
        ask({ client: "bob", atMs: 0.9 * TRANSACTION_TIMES.retentionMs, to: ["api-2"] }),
        ask({ client: "carol", atMs: 50_000, to: ["api-1"] }),
      ],
    },
    long: true,
  },
];
