// What the scenarios of dedup are asked, as plain data.

import type { Ask } from "./clients.js";
import type { HandlerEnd } from "./recorded.js";
import type { NamedWorkload, Times } from "./scenario.js";

export interface DedupAsk extends Ask {
  readonly key: string;
  readonly end: HandlerEnd;
  /** Work before the effect and after it. */
  readonly beforeMs: number;
  readonly afterMs: number;
  /** Whether it does a recorded step before the effect; `twice` asks for it twice at once. */
  readonly step?: boolean | "twice";
  readonly fingerprint?: string;
  /** When the key was made, in the world's time, if it bears that. */
  readonly bornMs?: number;
}

/** What a person finds out about a key, rightly or not. */
export interface Person {
  readonly atMs: number;
  readonly key: string;
  readonly outcome: "done" | "failed" | "notDone";
}

/** A time during which a node is refused each connection to the store, in the world's time. */
export interface Outage {
  readonly node: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface DedupWorkload {
  readonly asks: readonly DedupAsk[];
  readonly people?: readonly Person[];
  readonly outages?: readonly Outage[];
  /** The store's clock steps back, where the plan does not see to that. */
  readonly stepBack?: { readonly atMs: number; readonly byMs: number };
  /** How long a node ponders what the bank answers when it asks about an earlier attempt. */
  readonly ponders?: { readonly node: string; readonly forMs: number };
}

export const DEDUP_TIMES: Times = {
  operationTimeoutMs: 200,
  tombstoneMs: 10_000,
  leaseMs: 1_500,
  retentionMs: 30_000,
};

/** How far in the future a key may be born. */
export const MAX_SKEW_MS = 5_000;

export const dedupAsk = (over: Partial<DedupAsk>): DedupAsk => ({
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
  ...over,
});

/** What every variant is asked. */
export const DEDUP_WORKLOADS: readonly NamedWorkload<DedupWorkload>[] = [
  {
    id: "double-click",
    title: "two callers of one key at the same time, and one later",
    workload: {
      asks: [
        dedupAsk({}),
        dedupAsk({ client: "bob", atMs: 1, to: ["api-2", "api-1"] }),
        dedupAsk({ client: "carol", atMs: 5_000, to: ["api-2"] }),
      ],
    },
  },
  {
    id: "steps",
    title: "a handler with a recorded step that outlasts a renewal",
    workload: {
      asks: [
        dedupAsk({ step: true, beforeMs: 300, afterMs: 700 }),
        dedupAsk({ client: "bob", atMs: 900, to: ["api-2", "api-1"], step: true, beforeMs: 300 }),
      ],
    },
  },
  {
    id: "rejection",
    title: "a business rejection, and its duplicate with another payload",
    workload: {
      asks: [
        dedupAsk({ end: "throwsFinal", fingerprint: "a" }),
        dedupAsk({ client: "bob", atMs: 3, to: ["api-2"], end: "throwsFinal", fingerprint: "a" }),
        dedupAsk({ client: "carol", atMs: 6, to: ["api-2"], fingerprint: "b", tries: 1 }),
      ],
    },
  },
  {
    id: "errors",
    title: "a retryable error, then an error that nobody judged",
    workload: {
      asks: [
        dedupAsk({ end: "throwsRetryableFirst", step: true }),
        dedupAsk({ client: "bob", key: "k2", end: "throwsAfterEffect", to: ["api-2", "api-1"] }),
        dedupAsk({ client: "carol", key: "k2", atMs: 20, to: ["api-1"] }),
      ],
    },
  },
  {
    id: "people",
    title:
      "a person resolves a key whose attempt ended without a known outcome, another is too late",
    workload: {
      asks: [
        dedupAsk({ end: "throwsAfterEffect", tries: 6, gapMs: 600 }),
        dedupAsk({ client: "bob", key: "k2", to: ["api-2", "api-1"] }),
      ],
      people: [
        { atMs: 300, key: "k1", outcome: "done" },
        { atMs: 900, key: "k1", outcome: "failed" },
        { atMs: 4, key: "k2", outcome: "failed" },
      ],
    },
  },
  {
    id: "retention-edge",
    title: "a duplicate shortly before the retention ends, and one long after",
    workload: {
      asks: [
        dedupAsk({}),
        dedupAsk({ client: "bob", atMs: 0.9 * DEDUP_TIMES.retentionMs, to: ["api-2"] }),
        dedupAsk({ client: "carol", atMs: 50_000, to: ["api-1"] }),
      ],
    },
    long: true,
  },
];

/** What errors leave behind for later attempts: marks, steps, fingerprints. */
const leftovers: NamedWorkload<DedupWorkload> = {
  id: "leftovers",
  title: "attempts that end in turn without a known outcome, retryable, and well",
  workload: {
    asks: [
      dedupAsk({ end: "throwsAfterEffect", tries: 1 }),
      dedupAsk({ client: "bob", atMs: 100, to: ["api-2"], end: "throwsRetryable", tries: 1 }),
      dedupAsk({ client: "carol", atMs: 200, tries: 1 }),
      dedupAsk({ client: "dave", key: "k2", end: "throwsAfterEffect", tries: 1 }),
      // After a lease, so that it runs whatever became of the one before; the next long after.
      dedupAsk({ client: "erin", key: "k2", atMs: 1_700, to: ["api-2"], tries: 1 }),
      dedupAsk({ client: "frank", key: "k2", atMs: 50_000 }),
    ],
  },
};

const payloads: NamedWorkload<DedupWorkload> = {
  id: "payloads",
  title: "one payload, a retry that names none, and another payload",
  workload: {
    asks: [
      dedupAsk({ end: "throwsRetryable", fingerprint: "a", tries: 1 }),
      dedupAsk({ client: "bob", atMs: 50, to: ["api-2", "api-1"] }),
      dedupAsk({ client: "carol", atMs: 100, fingerprint: "b", tries: 1 }),
    ],
  },
};

const lateStep: NamedWorkload<DedupWorkload> = {
  id: "late-step",
  title: "a step long after the handler began, and one that is asked for twice at once",
  workload: {
    asks: [
      dedupAsk({ step: true, beforeMs: 4_200, patienceMs: 15_000, tries: 1 }),
      dedupAsk({ client: "bob", atMs: 50, to: ["api-2"], step: true }),
      dedupAsk({ client: "carol", key: "k2", to: ["api-2"], step: "twice" }),
    ],
  },
};

const longWork: NamedWorkload<DedupWorkload> = {
  id: "long-work",
  title: "work of many renewals, and nobody else who asks",
  workload: { asks: [dedupAsk({ afterMs: 3_600, patienceMs: 15_000, tries: 1 })] },
};

const outages: NamedWorkload<DedupWorkload> = {
  id: "outages",
  title: "a store that refuses connections for a while: to a late owner, and as work ends",
  workload: {
    asks: [
      dedupAsk({ afterMs: 2_200, patienceMs: 15_000, tries: 1 }),
      dedupAsk({ client: "bob", atMs: 1_000, to: ["api-2"], afterMs: 4_000, patienceMs: 15_000 }),
      dedupAsk({ client: "carol", key: "k2", atMs: 10_000, afterMs: 100 }),
      dedupAsk({ client: "dave", key: "k3", atMs: 20_000, afterMs: 100 }),
    ],
    outages: [
      { node: "api-1", fromMs: 100, untilMs: 2_300 },
      { node: "api-1", fromMs: 2_700, untilMs: 4_500 },
      // Shorter than writes are sent again, and longer.
      { node: "api-1", fromMs: 10_050, untilMs: 10_350 },
      { node: "api-1", fromMs: 20_050, untilMs: 21_500 },
    ],
  },
};

const lateFinish: NamedWorkload<DedupWorkload> = {
  id: "late-finish",
  title: "owners that are cut off, passed by, and connected again as their work ends",
  workload: {
    asks: [
      dedupAsk({ afterMs: 1_800, patienceMs: 15_000, tries: 1 }),
      dedupAsk({ client: "bob", atMs: 900, to: ["api-2"], patienceMs: 15_000 }),
      dedupAsk({ client: "carol", key: "k2", atMs: 10_000, afterMs: 1_800, tries: 1 }),
      dedupAsk({ client: "dave", key: "k2", atMs: 10_900, to: ["api-2"], patienceMs: 15_000 }),
    ],
    outages: [
      { node: "api-1", fromMs: 100, untilMs: 1_700 },
      { node: "api-1", fromMs: 10_100, untilMs: 11_700 },
    ],
  },
};

const cutOff: NamedWorkload<DedupWorkload> = {
  id: "cut-off",
  title: "a node is cut off before its renewal, and works on; another as it begins",
  workload: {
    asks: [
      dedupAsk({ step: true, beforeMs: 2_028, patienceMs: 15_000, tries: 1 }),
      dedupAsk({ client: "bob", atMs: 1_500, to: ["api-2"] }),
      dedupAsk({ client: "carol", key: "k2", atMs: 10_000 }),
    ],
    outages: [
      { node: "api-1", fromMs: 900, untilMs: 3_000 },
      { node: "api-1", fromMs: 10_100, untilMs: 11_400 },
    ],
  },
};

const births: NamedWorkload<DedupWorkload> = {
  id: "births",
  title: "keys that bear their birth time: in their time, too old, and from the future",
  workload: {
    asks: [
      dedupAsk({ bornMs: -12_000 }),
      dedupAsk({ client: "bob", atMs: 50_000, to: ["api-2"], bornMs: -12_000 }),
      dedupAsk({ client: "carol", key: "k2", bornMs: 30_000, tries: 1 }),
      dedupAsk({ client: "dave", key: "k2", atMs: 27_000, to: ["api-2"], bornMs: 30_000 }),
    ],
  },
};

const bornAhead: NamedWorkload<DedupWorkload> = {
  id: "born-ahead",
  title: "keys born as far ahead as may be, and a store whose clock steps back as they are at work",
  workload: {
    asks: [
      dedupAsk({ bornMs: 4_900, end: "throwsRetryableFirst", step: true, tries: 2 }),
      dedupAsk({ client: "bob", atMs: 14_000, bornMs: 4_900, step: true }),
      dedupAsk({ client: "carol", key: "k2", bornMs: 4_900, to: ["api-2"], afterMs: 400 }),
      dedupAsk({ client: "dave", key: "k2", atMs: 41_500, bornMs: 4_900 }),
    ],
    stepBack: { atMs: 200, byMs: 9_000 },
  },
};

const twoPeople: NamedWorkload<DedupWorkload> = {
  id: "two-people",
  title: "two people resolve one key at once, and a third one a key that is at work",
  workload: {
    asks: [
      dedupAsk({ end: "throwsAfterEffect", tries: 1 }),
      dedupAsk({ client: "bob", atMs: 600, to: ["api-2"] }),
      dedupAsk({ client: "carol", key: "k2", to: ["api-2"], afterMs: 300 }),
    ],
    people: [
      { atMs: 300, key: "k1", outcome: "done" },
      { atMs: 300.2, key: "k1", outcome: "failed" },
      { atMs: 100, key: "k2", outcome: "failed" },
    ],
  },
};

const asksTheBank: NamedWorkload<DedupWorkload> = {
  id: "asks-the-bank",
  title: "an attempt that ended without a known outcome before its charge, another after it",
  workload: {
    asks: [
      dedupAsk({ end: "throwsBeforeEffect", tries: 1 }),
      dedupAsk({ client: "bob", atMs: 50, to: ["api-2"], patienceMs: 5_000, tries: 2 }),
      dedupAsk({ client: "carol", atMs: 300, to: ["api-1"] }),
      dedupAsk({ client: "dave", key: "k2", end: "throwsAfterEffect", to: ["api-2"], tries: 1 }),
      dedupAsk({ client: "erin", key: "k2", atMs: 60 }),
    ],
    ponders: { node: "api-2", forMs: 2_000 },
  },
};

/** What is asked of some variants only: what shows in all of them is asked of few. */
export const MORE_WORKLOADS: {
  readonly [variant: string]: readonly NamedWorkload<DedupWorkload>[];
} = {
  park: [twoPeople, births, bornAhead, cutOff],
  rerun: [leftovers, payloads, lateStep, outages, lateFinish, cutOff],
  "rerun-child-key": [births, bornAhead, longWork, lateFinish],
  "rerun-fenced": [leftovers, lateStep, bornAhead, lateFinish, cutOff],
  verify: [asksTheBank, longWork, twoPeople, bornAhead],
};
