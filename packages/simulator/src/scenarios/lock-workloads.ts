// Whose jobs contend for a lock and how, as plain data.

import type { Ask } from "./clients.js";
import type { NamedWorkload, Times } from "./scenario.js";

/** A client's job: to be done by whoever holds the resource. */
export interface LockAsk extends Ask {
  readonly resource: string;
  /** How long it waits for the holder; 0 asks once, without waiting. */
  readonly waitMs: number;
  readonly autoRenew: boolean;
  /** The lengths of its pieces of work; a write to the disk and one to the printer follow each. */
  readonly worksMs: readonly number[];
  /** A lease of this length is asked for after the first piece; of several, one after each piece. */
  readonly extendMs?: number | readonly number[];
  /** Who walks away never gives it back: its lease must end. */
  readonly end: "releases" | "walksAway";
}

export interface LockWorkload {
  readonly asks: readonly LockAsk[];
}

export const LOCK_TIMES: Times = {
  operationTimeoutMs: 200,
  tombstoneMs: 10_000,
  leaseMs: 1_500,
  retentionMs: 30_000,
};

export const LOCK_NODES: readonly string[] = ["worker-1", "worker-2", "worker-3"];
/** Refuses a token older than the newest it saw, in the same step as it writes. */
export const DISK = "disk";
/** Prints whatever comes. */
export const PRINTER = "printer";

/** A job as most are; `over` tells what is special about it. */
export const lockAsk = (over: Partial<LockAsk>): LockAsk => ({
  client: "alice",
  atMs: 0,
  to: ["worker-1", "worker-2"],
  tries: 3,
  patienceMs: 4_500,
  gapMs: 400,
  resource: "r1",
  waitMs: 2_000,
  autoRenew: true,
  worksMs: [10, 10],
  end: "releases",
  ...over,
});

export const LOCK_WORKLOADS: readonly NamedWorkload<LockWorkload>[] = [
  {
    id: "short",
    title: "three callers of one resource at the same time, each for a moment",
    workload: {
      asks: [
        lockAsk({}),
        lockAsk({ client: "bob", atMs: 1, to: ["worker-2", "worker-1"] }),
        lockAsk({ client: "carol", atMs: 2, to: ["worker-3", "worker-1"] }),
      ],
    },
  },
  {
    id: "renewed",
    title: "work that outlasts the lease, renewed by itself, while another waits",
    workload: {
      asks: [
        lockAsk({ worksMs: [900, 800] }),
        lockAsk({ client: "bob", atMs: 1_000, to: ["worker-2", "worker-1"] }),
      ],
    },
  },
  {
    id: "extended",
    title: "no renewal by itself: one lease made longer, one shorter; others ask without waiting",
    workload: {
      asks: [
        lockAsk({ autoRenew: false, waitMs: 0, worksMs: [900, 900], extendMs: 2_400 }),
        lockAsk({
          client: "bob",
          atMs: 1_550,
          to: ["worker-2"],
          tries: 6,
          waitMs: 0,
          autoRenew: false,
          worksMs: [50, 100],
          extendMs: 400,
        }),
        // When the shorter lease has ended, though its holder may not know that it was granted.
        lockAsk({ client: "carol", atMs: 2_480, to: ["worker-3", "worker-1"], waitMs: 0 }),
      ],
    },
  },
  {
    id: "left",
    title: "a holder that writes up to its margin and walks away, and two who wait for its lease",
    workload: {
      asks: [
        // The second piece ends some milliseconds before the holder's own view of its lease does.
        lockAsk({ autoRenew: false, worksMs: [665, 665], end: "walksAway" }),
        lockAsk({ client: "bob", atMs: 1_000, to: ["worker-2", "worker-1"] }),
        lockAsk({ client: "carol", atMs: 1_400, to: ["worker-1", "worker-2"] }),
      ],
    },
  },
  {
    id: "lengthened",
    title:
      "a lease made longer twice, which outlasts the second one's outage, and another who waits",
    workload: {
      asks: [
        lockAsk({
          autoRenew: false,
          tries: 1,
          patienceMs: 9_000,
          worksMs: [10, 100, 1_900],
          extendMs: [6_000, 5_000],
        }),
        lockAsk({ client: "bob", atMs: 1_000, to: ["worker-2", "worker-1"] }),
      ],
    },
  },
];
