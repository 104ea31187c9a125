// The oracles of the store contract: what each allows, and what each finds.

import type { Entry, Observation, Write } from "@onceproof/core/advanced";
import {
  contractAllOrNone,
  contractAppliesOnce,
  contractExpiry,
  contractLinearizable,
  contractRefusalShows,
  contractReplays,
  contractRevisionsIncrease,
  contractTombstoneKept,
  contractWrittenBetween,
} from "../../src/oracles/index.ts";
import type { Recorded } from "../../src/scenarios/recorded.ts";
import type { Operation } from "../../src/world/history.ts";
import { judges } from "./cases.ts";
import { type Pen, TIMES } from "./written.ts";

/** The store's clock at a time of the history: both begin together. */
const at = (ms: number): number => 1_000_000_000 + ms * 1000;

type Written = Recorded["store.write"]["returned"];

const KEY = "door";
const create = (opId: string, ttlMs: number | "never" = "never"): Write => ({
  key: KEY,
  opId,
  expect: "absent",
  next: { value: opId, ttlMs },
});
const since = (opId: string, absentSince: number): Write => ({
  ...{ key: KEY, opId, expect: { absentSince } },
  next: { value: opId, ttlMs: "never" },
});
const over = (opId: string, of: string, revision: number): Write => ({
  ...{ key: KEY, opId, expect: { opId: of, revision } },
  next: { value: opId, ttlMs: "never" },
});
const remove = (opId: string, of: string, revision: number): Write => ({
  ...{ key: KEY, opId, expect: { opId: of, revision } },
  next: "removed",
});

const entry = (opId: string, revision: number, expiresAt?: number): Entry => ({
  ...{ value: opId, stamp: { revision, opId }, writtenAt: revision },
  ...(expiresAt !== undefined && { expiresAt }),
});

const applied = (revision: number, more: Partial<Written> = {}): Written =>
  ({
    outcome: "applied",
    revision,
    writtenAt: revision,
    now: revision,
    replayed: false,
    ...more,
  }) as Written;
const refused = (nowMs: number, shown: { entry?: Entry; revision?: number }): Written => ({
  ...{ outcome: "refused", now: at(nowMs) },
  ...shown,
});
const by = (shown: Entry): { entry: Entry; revision: number } => ({
  entry: shown,
  revision: shown.stamp.revision,
});

/** A write that lasts 2 ms, applied in their middle unless told otherwise. */
function write(pen: Pen, ms: number, asked: Write, answer?: Written): Operation {
  const told = answer ?? applied(at(ms + 1));
  return pen.ask("api-1", "store.write", KEY, { client: "a", write: asked }, ms, ms + 2, told);
}

function read(pen: Pen, ms: number, seen: Omit<Observation, "now">, key = KEY): Operation {
  return pen.ask("api-2", "store.read", key, {}, ms, ms + 2, { ...seen, now: at(ms + 1) });
}

judges(contractLinearizable, {
  allows: {
    "a life": (pen) => {
      write(pen, 0, create("a"));
      read(pen, 10, by(entry("a", at(1))));
      write(pen, 20, remove("b", "a", at(1)));
      read(pen, 30, { revision: at(21) });
      write(pen, 40, since("c", at(21)));
    },
    "a write without an answer that was applied": (pen) => {
      write(pen, 0, create("a"), { outcome: "unknown" });
      read(pen, 10, by(entry("a", at(9))));
    },
    "the answer to the second copy of a request": (pen) => {
      write(
        pen,
        0,
        create("a"),
        applied(at(1), { replayed: true, now: at(2) } as Partial<Written>),
      );
    },
    "a create that a copy of its request applies again": (pen) => {
      write(pen, 0, create("a"));
      write(pen, 10, remove("b", "a", at(1)));
      read(pen, 20, by(entry("a", at(15))));
    },
    "a step of several keys": (pen) => {
      both(pen, 0, "s", [at(1), at(1)]);
      read(pen, 10, by(entry("s", at(1))));
    },
  },
  forbids: {
    "a create over an entry": (pen) => {
      write(pen, 0, create("a"));
      write(pen, 10, create("b"));
    },
    "a write that is refused and seen": (pen) => {
      write(pen, 0, create("a"));
      write(pen, 10, over("b", "x", 1), refused(11, by(entry("a", at(1)))));
      read(pen, 20, by(entry("b", at(11))));
    },
    "a write that did nothing and is seen": (pen) => {
      read(pen, 10, by(entry("a", at(1))));
    },
    "a removal under a stamp that was superseded": (pen) => {
      write(pen, 0, create("a"));
      write(pen, 10, over("b", "a", at(1)));
      write(pen, 20, remove("c", "a", at(1)));
    },
    "a create since a revision that was passed": (pen) => {
      write(pen, 0, create("a"));
      write(pen, 10, remove("b", "a", at(1)));
      write(pen, 20, since("c", at(1)));
    },
    "a removal that is refused when it is sent again": (pen) => {
      write(pen, 0, create("a"));
      write(pen, 10, remove("b", "a", at(1)));
      write(pen, 20, remove("b", "a", at(1)), refused(21, { revision: at(11) }));
    },
    "a step of several keys of which one is not written": (pen) => {
      both(pen, 0, "s", [at(1), at(1)]);
      read(pen, 10, {});
    },
  },
});

judges(contractExpiry, {
  allows: {
    "an entry just before its end, and its absence at it": (pen) => {
      write(pen, 0, create("a", 10), applied(at(1), { expiresAt: at(11) } as Partial<Written>));
      read(pen, 9, by(entry("a", at(1), at(11))));
      read(pen, 10, { revision: at(1) });
    },
    "a removal before the end": (pen) => {
      write(pen, 0, create("a", 90), applied(at(1), { expiresAt: at(91) } as Partial<Written>));
      write(pen, 10, remove("b", "a", at(1)));
      read(pen, 20, { revision: at(11) });
    },
  },
  forbids: {
    "an entry at its end": (pen) => {
      read(pen, 10, by(entry("a", at(1), at(11))));
    },
    "its absence before": (pen) => {
      write(pen, 0, create("a", 50), applied(at(1), { expiresAt: at(51) } as Partial<Written>));
      read(pen, 20, { revision: at(1) });
    },
    "the absence of one that never ends": (pen) => {
      write(pen, 0, create("a"));
      read(pen, 20, { revision: at(1) });
    },
  },
});

judges(contractRevisionsIncrease, {
  allows: {
    "the previous one plus 1 when the clock steps back": (pen) => {
      write(pen, 0, create("a"));
      write(
        pen,
        10,
        over("b", "a", at(1)),
        applied(at(1) + 1, { now: at(-50) } as Partial<Written>),
      );
      read(pen, 20, by(entry("b", at(1) + 1)));
    },
    "calls that overlap in either order": (pen) => {
      write(pen, 0, create("a"), applied(at(2)));
      write(pen, 1, create("b"), applied(at(1)));
    },
  },
  forbids: {
    "an older one": (pen) => {
      write(pen, 0, create("a"));
      write(pen, 10, over("b", "a", at(1)), applied(at(-50)));
    },
    "the same for another write": (pen) => {
      write(pen, 0, create("a"));
      write(pen, 10, over("b", "a", at(1)), applied(at(1)));
    },
    "a look that shows an older one": (pen) => {
      write(pen, 0, create("a"));
      read(pen, 10, { revision: at(0) });
    },
  },
});

const FORGETS_MS = TIMES.tombstoneMs + 8 * TIMES.leaseMs;

judges(contractTombstoneKept, {
  allows: {
    "a key that is forgotten after the tombstone time": (pen) => {
      write(pen, 0, create("a", 10), applied(at(1), { expiresAt: at(11) } as Partial<Written>));
      read(pen, FORGETS_MS + 10, {});
    },
    "a key that was never written": (pen) => {
      read(pen, 0, {});
      write(pen, 10, create("a"));
    },
  },
  forbids: {
    "a key that is forgotten at its expiry": (pen) => {
      write(pen, 0, create("a", 10), applied(at(1), { expiresAt: at(11) } as Partial<Written>));
      read(pen, 20, {});
    },
    "a removal that is forgotten by a refusal": (pen) => {
      write(pen, 0, create("a"));
      write(pen, 10, remove("b", "a", at(1)));
      write(pen, 20, over("c", "a", at(1)), refused(21, {}));
    },
    "an entry that outlasts the tombstone time": (pen) => {
      const expiresAt = at(10 * FORGETS_MS);
      write(
        pen,
        0,
        create("a", 10 * FORGETS_MS),
        applied(at(1), { expiresAt } as Partial<Written>),
      );
      read(pen, 2 * FORGETS_MS, {});
    },
  },
});

judges(contractRefusalShows, {
  allows: {
    "an entry to a create": (pen) => {
      write(pen, 0, create("b"), refused(1, by(entry("a", at(0)))));
    },
    "a later revision to a create since an earlier": (pen) => {
      write(pen, 0, since("b", at(-5)), refused(1, { revision: at(0) }));
    },
    "another stamp, or none": (pen) => {
      write(pen, 0, over("c", "a", at(0)), refused(1, by(entry("b", at(0)))));
      write(pen, 0, over("c", "a", at(0)), refused(1, {}));
    },
  },
  forbids: {
    "nothing to a create": (pen) => {
      write(pen, 0, create("b"), refused(1, { revision: at(0) }));
    },
    "an earlier revision to a create since a later": (pen) => {
      write(pen, 0, since("b", at(0)), refused(1, { revision: at(0) }));
    },
    "the very stamp": (pen) => {
      write(pen, 0, over("b", "a", at(0)), refused(1, by(entry("a", at(0)))));
    },
    "another key of several than the one in conflict": (pen) => {
      const answer = { outcome: "refused", index: 1, now: at(1) } as const;
      pen.ask("api-1", "store.writeAll", "door gate", step("s"), 0, 2, answer);
    },
  },
});

judges(contractReplays, {
  allows: {
    "the same answer again": (pen) => {
      write(pen, 0, create("a"));
      write(
        pen,
        10,
        create("a"),
        applied(at(1), { replayed: true, now: at(11) } as Partial<Written>),
      );
    },
    "a refusal by what others wrote since": (pen) => {
      write(pen, 0, create("a"));
      write(pen, 10, over("b", "a", at(1)));
      write(pen, 20, create("a"), refused(21, by(entry("b", at(11)))));
    },
  },
  forbids: {
    "a create that is refused by itself": (pen) => {
      write(pen, 0, create("a"));
      write(pen, 10, create("a"), refused(11, by(entry("a", at(1)))));
    },
    "a removal that is refused by itself": (pen) => {
      write(pen, 10, remove("b", "a", at(1)));
      write(pen, 20, remove("b", "a", at(1)), refused(21, { revision: at(11) }));
    },
  },
});

judges(contractAppliesOnce, {
  allows: {
    "one application, told twice": (pen) => {
      write(pen, 10, over("b", "a", at(1)));
      write(
        pen,
        20,
        over("b", "a", at(1)),
        applied(at(11), { replayed: true } as Partial<Written>),
      );
    },
    "a create that applies again after a removal": (pen) => {
      write(pen, 0, create("a"));
      write(pen, 20, create("a"));
    },
  },
  forbids: {
    "two applications under one stamp": (pen) => {
      write(pen, 10, over("b", "a", at(1)));
      write(pen, 20, over("b", "a", at(1)));
    },
    "a replay with another revision": (pen) => {
      write(pen, 10, remove("b", "a", at(1)));
      write(
        pen,
        20,
        remove("b", "a", at(1)),
        applied(at(21), { replayed: true } as Partial<Written>),
      );
    },
  },
});

judges(contractWrittenBetween, {
  allows: {
    "the arrival and the application": (pen) => {
      write(
        pen,
        0,
        create("a"),
        applied(at(1), { writtenAt: at(0), now: at(2) } as Partial<Written>),
      );
    },
    "long ago when it is sent again": (pen) => {
      write(
        pen,
        90,
        create("a"),
        applied(at(1), { now: at(91), replayed: true } as Partial<Written>),
      );
    },
  },
  forbids: {
    "after the answer": (pen) => {
      write(pen, 0, create("a"), applied(at(1), { writtenAt: at(2) } as Partial<Written>));
    },
    "before the call": (pen) => {
      write(pen, 9, create("a"), applied(at(10), { writtenAt: at(2) } as Partial<Written>));
    },
  },
});

const GATE = "gate";

function step(opId: string): Recorded["store.writeAll"]["input"] {
  const { opId: _, ...part } = create(opId);
  return { client: "a", opId, writes: [part, { ...part, key: GATE }] };
}

function both(pen: Pen, ms: number, opId: string, revisions: readonly number[]): Operation {
  const answer = { outcome: "applied", revisions, now: at(ms + 1), replayed: false } as const;
  return pen.ask("api-1", "store.writeAll", "door gate", step(opId), ms, ms + 2, answer);
}

judges(contractAllOrNone, {
  allows: {
    "a step at both keys": (pen) => {
      read(pen, 0, { revision: at(-10) }, GATE);
      both(pen, 10, "s", [at(11), at(11)]);
      read(pen, 20, by(entry("s", at(11))));
      read(pen, 30, by(entry("s", at(11))), GATE);
    },
    "a step that was lost": (pen) => {
      read(pen, 0, by(entry("x", at(-10))), GATE);
      pen.ask("api-1", "store.writeAll", "door gate", step("s"), 10, 12, { outcome: "unknown" });
      read(pen, 20, {});
      read(pen, 30, by(entry("x", at(-10))), GATE);
    },
    "a look at the other key before the step": (pen) => {
      read(pen, 0, { revision: at(-10) }, GATE);
      pen.ask("api-1", "store.writeAll", "door gate", step("s"), 10, 12, { outcome: "unknown" });
      read(pen, 14, { revision: at(-10) }, GATE);
      read(pen, 20, by(entry("s", at(19))));
    },
  },
  forbids: {
    "a part of a refused step": (pen) => {
      read(pen, 0, by(entry("x", at(-10))), GATE);
      const told = {
        outcome: "refused",
        index: 1,
        now: at(11),
        ...by(entry("x", at(-10))),
      } as const;
      pen.ask("api-1", "store.writeAll", "door gate", step("s"), 10, 12, told);
      read(pen, 20, by(entry("s", at(11))));
      read(pen, 30, by(entry("x", at(-10))), GATE);
    },
    "an applied step that left a key as it was": (pen) => {
      read(pen, 0, { revision: at(-10) }, GATE);
      both(pen, 10, "s", [at(11), at(11)]);
      read(pen, 20, { revision: at(-10) }, GATE);
    },
  },
});
