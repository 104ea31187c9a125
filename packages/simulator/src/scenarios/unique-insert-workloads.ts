// What clients ask of a ledger of payments, as plain data: the same request again, another request
// for a number that is taken, the same content from somebody else.

import type { Ask } from "./clients.js";
import type { NamedWorkload } from "./scenario.js";
import { PATIENT, TWO } from "./two-nodes.js";

/** One request to insert. */
export interface UniqueAsk extends Ask {
  readonly requestId?: string;
  /** One key called `key`, or several by name. */
  readonly keys: Readonly<Record<string, string>>;
  readonly value: { readonly amount: number };
}

export interface UniqueWorkload {
  readonly asks: readonly UniqueAsk[];
}

/** The numbers of an order, and of an order and a transaction. */
const sole = (order: number): UniqueAsk["keys"] => ({ key: `o${order}` });
const both = (order: number, transaction: number): UniqueAsk["keys"] => ({
  // Not in the order of their names, which is the one that conflicts are told in.
  transaction: `t${transaction}`,
  order: `o${order}`,
});

const insert = (
  atMs: number,
  requestId: string | undefined,
  keys: UniqueAsk["keys"],
  over: Partial<UniqueAsk> = {},
): UniqueAsk => ({
  ...PATIENT,
  atMs,
  ...(requestId !== undefined && { requestId }),
  keys,
  value: { amount: 100 },
  ...over,
});

type Named = NamedWorkload<UniqueWorkload>;

const OTHER = { value: { amount: 200 } };

const RETRIES: Named = {
  id: "retries",
  title: "retried on another node, taken by another value, inserted by another request",
  workload: {
    asks: [
      insert(0, "insert-1", sole(1), { patienceMs: 2, tries: 1 }),
      insert(3, "insert-1", sole(1), { to: TWO }),
      insert(30, "insert-2", sole(1), { client: "bob", to: TWO, ...OTHER }),
      insert(60, "insert-3", sole(1), { client: "carol" }),
      insert(90, undefined, sole(2), { client: "dora", to: TWO }),
      insert(120, undefined, sole(2), { client: "bob" }),
      insert(300, "insert-1", sole(1), { to: TWO }),
      insert(330, "insert-2", sole(1), { client: "bob", ...OTHER }),
    ],
  },
};

const RACE: Named = {
  id: "race",
  title: "three requests at the same time, two of them with the same content; then all again",
  workload: {
    asks: [
      insert(0, "insert-1", sole(1)),
      insert(0, "insert-2", sole(1), { client: "bob", to: TWO, ...OTHER }),
      insert(0, "insert-3", sole(1), { client: "carol", to: TWO }),
      insert(300, "insert-1", sole(1), { to: TWO }),
      insert(300, "insert-2", sole(1), { client: "bob", ...OTHER }),
      insert(300, "insert-3", sole(1), { client: "carol" }),
    ],
  },
};

const LATE: Named = {
  id: "late",
  title: "the same requests again beyond every time that anything else is kept for",
  long: true,
  workload: {
    asks: [
      insert(0, "insert-1", sole(1)),
      insert(5, "insert-2", sole(1), { client: "bob", to: TWO, ...OTHER }),
      insert(15_000, "insert-1", sole(1), { to: TWO }),
      insert(65_000, "insert-1", sole(1)),
      insert(65_000, "insert-2", sole(1), { client: "bob", to: TWO, ...OTHER }),
    ],
  },
};

const TWO_RETRIES: Named = {
  id: "retries",
  title: "an order paid twice, a transaction used twice, and the pair that neither took",
  workload: {
    asks: [
      insert(0, "insert-1", both(1, 1), { patienceMs: 2, tries: 1 }),
      insert(3, "insert-1", both(1, 1), { to: TWO }),
      insert(30, "insert-2", both(1, 2), { client: "bob", to: TWO }),
      insert(60, "insert-3", both(2, 1), { client: "carol" }),
      insert(90, "insert-4", both(1, 1), { client: "dora", to: TWO }),
      insert(120, "insert-5", both(2, 2), { client: "erin" }),
      insert(300, "insert-1", both(1, 1), { to: TWO }),
      insert(330, "insert-3", both(2, 1), { client: "carol", to: TWO }),
    ],
  },
};

const TWO_RACE: Named = {
  id: "race",
  title: "four requests at the same time, each of which shares a number with two others",
  workload: {
    asks: [
      insert(0, "insert-1", both(1, 1)),
      insert(0, "insert-2", both(1, 2), { client: "bob", to: TWO }),
      insert(0, "insert-3", both(2, 1), { client: "carol", to: TWO }),
      insert(0, "insert-4", both(2, 2), { client: "dora" }),
      insert(300, "insert-1", both(1, 1), { to: TWO }),
      insert(300, "insert-2", both(1, 2), { client: "bob" }),
      insert(300, "insert-3", both(2, 1), { client: "carol" }),
      insert(300, "insert-4", both(2, 2), { client: "dora", to: TWO }),
    ],
  },
};

const TWO_LATE: Named = {
  id: "late",
  title: LATE.title,
  long: true,
  workload: {
    asks: [
      insert(0, "insert-1", both(1, 1)),
      insert(5, "insert-2", both(2, 1), { client: "bob", to: TWO, ...OTHER }),
      insert(15_000, "insert-1", both(1, 1), { to: TWO }),
      insert(65_000, "insert-1", both(1, 1)),
      insert(65_000, "insert-2", both(2, 1), { client: "bob", to: TWO, ...OTHER }),
    ],
  },
};

/** One unique key, on every store; or two, on stores with `writeAll`. */
export type UniqueVariant = "oneKey" | "twoKeys";

export const UNIQUE_WORKLOADS: { readonly [variant in UniqueVariant]: readonly Named[] } = {
  oneKey: [RETRIES, RACE, LATE],
  twoKeys: [TWO_RETRIES, TWO_RACE, TWO_LATE],
};
