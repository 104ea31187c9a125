// What clients ask of a shelf's stock, as plain data: numbers to add, of which some would take more
// than there is, asked at the same time, on another node, and again when they may be forgotten.

import type { Ask } from "./clients.js";
import type { NamedWorkload } from "./scenario.js";
import { PATIENT, TWO } from "./two-nodes.js";

/** One request about a shelf. */
export interface RegisterAsk extends Ask {
  readonly key: string;
  /** `look` only takes the snapshot that the request will keep; without snapshots it is left out. */
  readonly act: "look" | "update";
  readonly requestId: string;
  /** What is added; the stock does not go below 0. */
  readonly delta: number;
}

export interface RegisterWorkload {
  /** What a shelf holds before its first update. */
  readonly initial: number;
  /** How many requests a shelf remembers on a store without `writeAll`. */
  readonly requestWindow: number;
  readonly asks: readonly RegisterAsk[];
}

const add = (
  atMs: number,
  requestId: string,
  delta: number,
  over: Partial<RegisterAsk> = {},
): RegisterAsk => ({ ...PATIENT, key: "shelf-1", act: "update", atMs, requestId, delta, ...over });

type Named = NamedWorkload<RegisterWorkload>;

const STOCK: Named = {
  id: "stock",
  title: "retried on another node, and refused for good although stock comes in later",
  workload: {
    initial: 5,
    requestWindow: 256,
    asks: [
      add(0, "take-1", -2, { patienceMs: 3, tries: 1 }),
      add(4, "take-1", -2, { to: TWO }),
      // The same requestId at another shelf is another request.
      add(5, "take-1", -1, { client: "carol", key: "shelf-2", to: TWO }),
      add(30, "take-2", -2, { client: "bob", to: TWO }),
      add(60, "take-3", -2, { client: "carol" }),
      add(110, "add-4", 3, { client: "bob", to: TWO }),
      add(300, "take-3", -2, { client: "carol", to: TWO }),
      add(330, "take-1", -2, { to: TWO }),
    ],
  },
};

const BURST: Named = {
  id: "burst",
  title: "four at the same time on two nodes, of which one is too much; each asked again",
  workload: {
    initial: 5,
    requestWindow: 256,
    asks: [
      add(0, "take-1", -2),
      add(0, "take-2", -2, { client: "bob", to: TWO }),
      add(1, "take-3", -2, { client: "carol" }),
      add(1, "take-4", -1, { client: "dora", to: TWO }),
      add(400, "take-1", -2, { to: TWO }),
      add(400, "take-2", -2, { client: "bob" }),
      add(400, "take-3", -2, { client: "carol", to: TWO }),
      add(400, "take-4", -1, { client: "dora" }),
    ],
  },
};

/** The updates that fill a window of two, each within the time that an unanswered one is awaited. */
const FILL: readonly RegisterAsk[] = [
  add(0, "take-1", -1),
  add(25, "take-2", -2, { client: "bob", to: TWO }),
  add(50, "take-3", -3),
  add(75, "take-4", -4, { client: "bob", to: TWO }),
];

const WINDOW: Named = {
  id: "window",
  title: "the window is full: requests that it has dropped come again, and one for the first time",
  workload: {
    initial: 20,
    requestWindow: 2,
    asks: [
      ...FILL,
      { ...add(15, "take-late", -5, { client: "carol" }), act: "look" },
      add(400, "take-2", -2, { client: "bob" }),
      add(430, "take-4", -4, { client: "bob" }),
      add(460, "take-late", -5, { client: "carol" }),
    ],
  },
};

const RETENTION: Named = {
  id: "retention",
  title: "asked again within the retention, beyond it, and when its record is gone",
  long: true,
  workload: {
    initial: 20,
    requestWindow: 2,
    asks: [
      ...FILL,
      // A shelf of which nothing is kept but a refusal: it is absent before, and again in the end.
      add(5, "take-9", -30, { client: "carol", key: "shelf-2" }),
      add(29_000, "take-2", -2, { client: "bob" }),
      add(29_000, "take-9", -30, { client: "carol", key: "shelf-2" }),
      // A record outlives the retention by twice the tombstone time.
      add(45_000, "take-2", -2, { client: "bob", to: TWO }),
      add(55_000, "take-2", -2, { client: "bob" }),
      add(65_000, "take-9", -30, { client: "carol", key: "shelf-2", to: TWO }),
    ],
  },
};

/**
 * - `plain`: requests without snapshots, which come again while they are remembered.
 * - `snapshot`: each with the snapshot that was taken when it was made, beyond window and retention.
 * - `forgotten`: requests without snapshots that come again when they may have been forgotten.
 */
export type RegisterVariant = "plain" | "snapshot" | "forgotten";

export const REGISTER_WORKLOADS: { readonly [variant in RegisterVariant]: readonly Named[] } = {
  plain: [STOCK, BURST],
  snapshot: [STOCK, BURST, WINDOW, RETENTION],
  forgotten: [WINDOW, RETENTION],
};
