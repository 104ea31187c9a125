// What clients ask of an order, as plain data: its states and events, and requests that race, are
// repeated on another node, or come again when the order has moved on or has forgotten them.

import type { StateMachineDefinition } from "@onceproof/core";
import type { Ask } from "./clients.js";
import type { NamedWorkload } from "./scenario.js";
import { PATIENT, TWO } from "./two-nodes.js";

/** One request about an order. */
export interface MachineAsk extends Ask {
  readonly id: string;
  /** `look` only takes the snapshot that the request will keep; without snapshots it is left out. */
  readonly act: "create" | "look" | "fire";
  readonly event: string;
  readonly requestId?: string;
  /** Leaves the data as it is, so that two moves of one event leave the same entity behind. */
  readonly unlisted?: true;
}

export interface MachineWorkload {
  readonly definition: StateMachineDefinition<string, string>;
  /** How many requests an order remembers on a store without `writeAll`. */
  readonly requestWindow: number;
  readonly asks: readonly MachineAsk[];
}

/** An order. `hold` and `release` make a circle, so that a second move is legal, and seen. */
const ORDER: StateMachineDefinition<string, string> = {
  initial: "created",
  events: {
    pay: { from: ["created"], to: "paid" },
    ship: { from: ["paid"], to: "shipped" },
    cancel: { from: ["created", "paid"], to: "cancelled" },
    hold: { from: ["paid"], to: "held" },
    release: { from: ["held"], to: "paid" },
  },
};

const BASE: MachineAsk = { ...PATIENT, id: "order-1", act: "fire", event: "" };

const create = (requestId: string, over: Partial<MachineAsk> = {}): MachineAsk => ({
  ...BASE,
  act: "create",
  requestId,
  ...over,
});

const fire = (
  atMs: number,
  event: string,
  requestId: string | undefined,
  over: Partial<MachineAsk> = {},
): MachineAsk => ({ ...BASE, atMs, event, ...(requestId !== undefined && { requestId }), ...over });

/** The moves that fill a window of two: the first has no requestId, and is dropped from it. */
const FILL: readonly MachineAsk[] = [
  create("create-1"),
  fire(15, "pay", "pay-1", { to: TWO }),
  fire(40, "hold", undefined),
  fire(65, "release", "release-1", { client: "bob", to: TWO }),
  fire(90, "hold", "hold-2"),
  fire(115, "release", "release-2", { client: "bob", to: TWO }),
  fire(140, "hold", "hold-3"),
  fire(165, "release", "release-3", { client: "bob", to: TWO }),
];

type Named = NamedWorkload<MachineWorkload>;

const RETRIES: Named = {
  id: "retries",
  title: "retried on another node, and redelivered after the order has moved on",
  workload: {
    definition: ORDER,
    requestWindow: 256,
    asks: [
      create("create-1"),
      create("create-2", { client: "bob", atMs: 5, to: TWO }),
      fire(20, "pay", "pay-1", { patienceMs: 3, tries: 1 }),
      fire(24, "pay", "pay-1", { to: TWO }),
      // Another request for what is there already: refused, as it was not this one that moved it.
      fire(45, "pay", "pay-2", { client: "bob", to: TWO }),
      fire(60, "hold", "hold-1", { client: "carol" }),
      fire(110, "release", "release-1", { client: "bob", to: TWO }),
      fire(300, "hold", "hold-1", { client: "carol", to: TWO }),
      fire(400, "ship", "ship-1", { client: "bob" }),
      fire(500, "pay", "pay-1", { to: TWO }),
    ],
  },
};

const RACE: Named = {
  id: "race",
  title: "two events race, and an illegal one comes again when it would be legal",
  workload: {
    definition: ORDER,
    requestWindow: 256,
    asks: [
      create("create-1"),
      create("create-2", { client: "bob", atMs: 1, to: TWO }),
      // The same requestId at another order is another request.
      create("create-1", { id: "order-2", to: TWO }),
      fire(15, "ship", "ship-1", { client: "bob" }),
      fire(40, "pay", "pay-1"),
      fire(40, "cancel", "cancel-1", { client: "bob", to: TWO }),
      fire(40, "pay", "pay-1", { client: "carol", id: "order-2", to: TWO }),
      fire(300, "ship", "ship-1", { client: "bob", to: TWO }),
      fire(330, "pay", "pay-1", { to: TWO }),
      fire(330, "cancel", "cancel-1", { client: "bob" }),
    ],
  },
};

const UNNAMED: Named = {
  id: "unnamed",
  title: "events without a requestId: one wins, one is there already, one is illegal",
  workload: {
    definition: ORDER,
    requestWindow: 256,
    asks: [
      create("create-1"),
      { ...fire(10, "pay", undefined, { client: "dora", to: TWO }), act: "look" },
      fire(20, "pay", undefined),
      fire(20, "pay", undefined, { client: "bob", to: TWO }),
      fire(60, "hold", undefined),
      // What is illegal by the snapshot is legal by the time it is fired.
      { ...fire(85, "ship", undefined, { client: "erin", to: TWO }), act: "look" },
      // A hold whose answer is lost is asked about when this has superseded it.
      fire(110, "release", undefined, { client: "bob", to: TWO }),
      fire(300, "pay", undefined, { client: "dora", to: TWO }),
      fire(400, "ship", undefined, { client: "erin" }),
      fire(500, "pay", undefined, { client: "carol" }),
    ],
  },
};

const UNLISTED = { unlisted: true } as const;

const TWINS: Named = {
  id: "twins",
  title: "two requests for the same move at the same time, which leave the same order behind",
  workload: {
    definition: ORDER,
    requestWindow: 256,
    asks: [
      create("create-1"),
      fire(20, "pay", "pay-1", UNLISTED),
      fire(20, "pay", "pay-2", { client: "bob", to: TWO, ...UNLISTED }),
      fire(60, "hold", undefined, { client: "carol", ...UNLISTED }),
      fire(60, "hold", undefined, { client: "dora", to: TWO, ...UNLISTED }),
      fire(110, "release", undefined, UNLISTED),
      fire(300, "pay", "pay-1", { to: TWO, ...UNLISTED }),
      fire(300, "pay", "pay-2", { client: "bob", ...UNLISTED }),
    ],
  },
};

const WINDOW: Named = {
  id: "window",
  title: "the window is full: requests that it has dropped come again, and one for the first time",
  workload: {
    definition: ORDER,
    requestWindow: 2,
    asks: [
      ...FILL,
      { ...fire(20, "hold", "hold-late", { client: "carol" }), act: "look" },
      fire(400, "hold", "hold-2", { to: TWO }),
      fire(430, "release", "release-3", { client: "bob" }),
      fire(460, "hold", "hold-late", { client: "carol" }),
    ],
  },
};

const RETENTION: Named = {
  id: "retention",
  title: "redelivered within the retention, beyond it, and when its record is gone",
  long: true,
  workload: {
    definition: ORDER,
    requestWindow: 2,
    asks: [
      ...FILL,
      fire(29_000, "hold", "hold-2", { to: TWO }),
      // A record outlives the retention by twice the tombstone time.
      fire(45_000, "hold", "hold-2"),
      fire(55_000, "hold", "hold-2", { to: TWO }),
    ],
  },
};

/**
 * - `plain`: requests without snapshots, which come again while they are remembered.
 * - `snapshot`: each with the snapshot that was taken when it was made, beyond window and retention.
 * - `forgotten`: requests without snapshots that come again when they may have been forgotten.
 */
export type MachineVariant = "plain" | "snapshot" | "forgotten";

export const MACHINE_WORKLOADS: { readonly [variant in MachineVariant]: readonly Named[] } = {
  plain: [RETRIES, RACE, UNNAMED, TWINS],
  snapshot: [RACE, UNNAMED, WINDOW, RETENTION],
  forgotten: [WINDOW, RETENTION],
};
