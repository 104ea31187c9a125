// What clients ask of the store itself, as plain data: creates, replacements, removals and expiries,
// the same write again while it is the latest and when others have written since.

import type { Ttl } from "@onceproof/core/advanced";
import type { Ask } from "./clients.js";
import type { NamedWorkload } from "./scenario.js";
import { PATIENT, TWO } from "./two-nodes.js";

/** What a write expects; other writes are named by their ids. */
export type Expected =
  | "absent"
  /** Nothing since the revision of that write; 0 stands for a key that was never written. */
  | { readonly since: string | 0 }
  /** The stamp of that write, or of what is found instead if its answer is not known. */
  | { readonly over: string };

export type Wish =
  | { readonly expect: Expected; readonly next: { readonly ttlMs: Ttl | "keep" } }
  | { readonly expect: { readonly over: string }; readonly next: { readonly touchMs: Ttl } }
  | { readonly expect: { readonly over: string }; readonly next: "removed" };

/** One request about the store. What bears the same id is one write, sent again. */
export type StoreAsk = Ask &
  (
    | { readonly act: "read"; readonly key: string }
    | {
        readonly act: "write";
        readonly id: string;
        readonly key: string;
        readonly wish: Wish;
        /** So many reads of the key leave at the same instant. */
        readonly reads?: number;
      }
    /** Left out where the store has no `writeAll`. */
    | {
        readonly act: "writeAll";
        readonly id: string;
        readonly wishes: Readonly<Record<string, Wish>>;
      }
  );

export interface StoreWorkload {
  readonly asks: readonly StoreAsk[];
}

type By = Partial<Ask>;

const BOB: By = { client: "bob", to: TWO };

const read = (atMs: number, key: string, by: By = {}): StoreAsk => ({
  ...PATIENT,
  ...by,
  atMs,
  act: "read",
  key,
});

const write = (
  atMs: number,
  key: string,
  id: string,
  wish: Wish,
  by: By & { readonly reads?: number } = {},
): StoreAsk => ({ ...PATIENT, ...by, atMs, act: "write", key, id, wish });

const all = (
  atMs: number,
  id: string,
  wishes: Readonly<Record<string, Wish>>,
  by: By = {},
): StoreAsk => ({ ...PATIENT, ...by, atMs, act: "writeAll", id, wishes });

const create = (ttlMs: Ttl = "never", since?: string | 0): Wish => ({
  expect: since === undefined ? "absent" : { since },
  next: { ttlMs },
});
const replace = (over: string, ttlMs: Ttl | "keep" = "never"): Wish => ({
  expect: { over },
  next: { ttlMs },
});
const touch = (over: string, touchMs: Ttl): Wish => ({ expect: { over }, next: { touchMs } });
const remove = (over: string): Wish => ({ expect: { over }, next: "removed" });

type Named = NamedWorkload<StoreWorkload>;

const LIFE: Named = {
  id: "life",
  title: "one key from its creation to its second, each write sent again, and too late",
  workload: {
    asks: [
      write(0, "door", "create-1", create()),
      write(30, "door", "create-1", create(), BOB),
      write(60, "door", "replace-2", replace("create-1"), BOB),
      write(90, "door", "create-1", create()),
      write(120, "door", "touch-3", touch("replace-2", 60_000)),
      write(150, "door", "replace-2", replace("create-1"), BOB),
      write(180, "door", "stale-4", replace("create-1")),
      write(210, "door", "stale-5", remove("replace-2"), BOB),
      write(240, "door", "remove-6", remove("touch-3")),
      write(270, "door", "remove-6", remove("touch-3"), BOB),
      read(300, "door"),
      write(330, "door", "never-7", create("never", 0), BOB),
      write(360, "door", "create-8", create("never", "remove-6")),
      write(390, "door", "remove-6", remove("touch-3"), BOB),
      write(420, "door", "remove-9", remove("create-8")),
      read(450, "door", BOB),
      // Superseded, so that it is a new create, under the old opId.
      write(480, "door", "create-1", create()),
      write(510, "door", "create-8", create("never", "remove-6"), BOB),
    ],
  },
};

const EXPIRY: Named = {
  id: "expiry",
  title: "read at the instant of its expiry, created after it, kept and prolonged",
  workload: {
    asks: [
      // As long as one message may take longer than another: some read meets the very instant.
      write(0, "spark", "spark-1", create(0.2), { reads: 10 }),
      write(0, "flash", "flash-1", create(0.4), { ...BOB, reads: 10 }),
      write(10, "lamp", "lamp-1", create(100)),
      read(40, "lamp", BOB),
      write(60, "lamp", "lamp-2", replace("lamp-1", "keep"), BOB),
      write(60, "fire", "fire-1", create(90)),
      write(90, "fire", "fire-2", touch("fire-1", 400), BOB),
      read(160, "lamp"),
      write(190, "lamp", "lamp-2", replace("lamp-1", "keep")),
      write(220, "lamp", "lamp-3", create(200, "lamp-1"), BOB),
      write(250, "lamp", "lamp-4", create(200, "lamp-2")),
      read(280, "fire"),
      write(310, "spark", "spark-1", create(0.2), { ...BOB, reads: 4 }),
      write(340, "spark", "spark-2", create()),
      write(370, "spark", "spark-1", create(0.2), BOB),
      write(500, "lamp", "lamp-4", create(200, "lamp-2"), BOB),
      write(530, "fire", "fire-3", replace("fire-2"), BOB),
      write(560, "fire", "fire-4", create("never", "fire-2")),
    ],
  },
};

const RACE: Named = {
  id: "race",
  title: "two at the same time create, replace, prolong and remove, and create again",
  workload: {
    asks: [
      write(0, "seat", "create-a", create()),
      write(0, "seat", "create-b", create(), BOB),
      write(50, "seat", "replace-a", replace("create-a", 60_000)),
      write(50, "seat", "replace-b", replace("create-b"), BOB),
      write(50, "seat", "touch-c", touch("create-a", "never"), { client: "carol" }),
      write(100, "seat", "remove-a", remove("replace-a")),
      write(100, "seat", "touch-b", touch("replace-b", 60_000), BOB),
      write(130, "seat", "remove-c", remove("touch-b"), { client: "carol" }),
      write(160, "seat", "again-a", create("never", "remove-c")),
      write(160, "seat", "again-b", create(), BOB),
      read(161, "seat", { client: "carol" }),
      write(400, "seat", "create-a", create(), BOB),
      write(430, "seat", "remove-a", remove("replace-a"), BOB),
      write(460, "seat", "replace-b", replace("create-b")),
      write(490, "seat", "again-b", create()),
    ],
  },
};

const SEVERAL: Named = {
  id: "several",
  title: "several keys in one step, in conflict with single writes, and sent again",
  workload: {
    asks: [
      write(0, "south", "south-1", create()),
      all(30, "both-1", { north: create(), east: create() }),
      all(60, "both-1", { north: create(), east: create() }, BOB),
      // The second is in conflict, so that the first must not be written either.
      all(90, "both-2", { west: create(), south: create() }, BOB),
      all(120, "both-3", { north: replace("both-1"), south: create() }),
      read(150, "north", BOB),
      read(150, "west"),
      all(180, "both-4", { north: remove("both-1"), east: replace("both-1") }),
      write(210, "north", "north-5", create("never", 0), BOB),
      write(240, "east", "east-6", remove("both-4"), BOB),
      all(270, "both-4", { north: remove("both-1"), east: replace("both-1") }, BOB),
      all(300, "both-1", { north: create(), east: create() }),
      all(330, "both-2", { west: create(), south: create() }, BOB),
      read(360, "east"),
    ],
  },
};

export const CONTRACT_WORKLOADS: readonly Named[] = [LIFE, EXPIRY, RACE, SEVERAL];
