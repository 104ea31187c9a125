// What the oracles of dedup in the store's transaction allow and forbid, by histories written by hand.

import type { DedupResult, TransactionResult } from "@onceproof/core";
import * as oracle from "../../src/oracles/index.ts";
import {
  CHARGES,
  type Charge,
  type ChargeRow,
  DECLINED,
  type TransactionAnswer,
} from "../../src/scenarios/recorded.ts";
import type { Effect, Operation } from "../../src/world/history.ts";
import { judges } from "./cases.ts";
import { type Pen, threw } from "./written.ts";

interface Asked {
  readonly by?: string;
  readonly end?: string;
  readonly plain?: boolean;
  readonly fingerprint?: string;
  readonly bornMs?: number;
}

function ask(
  pen: Pen,
  fromMs: number,
  toMs?: number,
  returned?: TransactionAnswer | ReturnType<typeof threw>,
  { by = "a", end = "returns", plain = false, ...more }: Asked = {},
): Operation {
  const input = { client: by, end, plain, ...more };
  return pen.ask(by, "dedup.transaction", "k", input, fromMs, toMs, returned);
}

const value = (run: number): Charge => ({ key: "k", run });
const executed = (run: number, exactlyOnce = true): TransactionResult<Charge> => ({
  outcome: "executed",
  value: value(run),
  attempt: 1,
  exactlyOnce,
});
const replayed = (run: number, exactlyOnce = true): TransactionResult<Charge> => ({
  outcome: "replayed",
  value: value(run),
  exactlyOnce,
});
const plainly = (run: number): DedupResult<Charge> => ({
  outcome: "executed",
  value: value(run),
  recorded: true,
  attempt: 1,
  fencingToken: 1,
});
const rejected = (replayed: boolean): DedupResult<Charge> => ({
  outcome: "failed",
  error: { code: DECLINED, message: "no" },
  replayed,
  recorded: true,
});
const broken: TransactionAnswer = { outcome: "threw", error: new Error("broken") };
const busy: TransactionAnswer = { outcome: "inProgress", retryAfterMs: 1 };
const unknown: TransactionAnswer = { outcome: "indeterminate", reason: "commitUnknown" };

function row(pen: Pen, operation: Operation, run: number, atMs: number, part = 0, of = 1): Effect {
  const charged: ChargeRow = { run, part, of };
  return pen.effect(operation, { sink: CHARGES, value: charged }, atMs);
}

judges(oracle.transactionOnce, {
  allows: {
    "all rows of one run"(pen) {
      const call = ask(pen, 0, 10, executed(1));
      row(pen, call, 1, 5, 0, 2);
      row(pen, call, 1, 5, 1, 2);
    },
    "another run long after the retention"(pen) {
      row(pen, ask(pen, 0, 10, executed(1)), 1, 5);
      row(pen, ask(pen, 700_000, 700_010, executed(2)), 2, 700_005);
    },
  },
  forbids: {
    "two runs of one key"(pen) {
      row(pen, ask(pen, 0, 10, executed(1)), 1, 5);
      row(pen, ask(pen, 20, 30, executed(2)), 2, 25);
    },
    "two runs for one call"(pen) {
      const call = ask(pen, 0, 30, executed(2));
      row(pen, call, 1, 5);
      row(pen, call, 2, 25);
    },
    "a part of what one run wrote"(pen) {
      row(pen, ask(pen, 0, 10, executed(1)), 1, 5, 0, 2);
    },
  },
});

judges(oracle.transactionToldIsCommitted, {
  allows: {
    "what was committed before it was told"(pen) {
      row(pen, ask(pen, 0, 10, executed(1)), 1, 5);
      ask(pen, 20, 30, replayed(1), { by: "b" });
    },
    "what an attempt without a transaction made"(pen) {
      ask(pen, 0, 10, plainly(1), { plain: true });
      ask(pen, 20, 30, replayed(1, false), { by: "b" });
    },
  },
  forbids: {
    "nothing committed"(pen) {
      ask(pen, 0, 10, executed(1));
    },
    "a commit that comes after it is told"(pen) {
      row(pen, ask(pen, 0, 10, executed(1)), 1, 15);
    },
    "a replay of what another run committed"(pen) {
      row(pen, ask(pen, 0), 1, 5);
      ask(pen, 20, 30, replayed(2), { by: "b" });
    },
    "another mode where nobody did without a transaction"(pen) {
      row(pen, ask(pen, 0, 10, executed(1, false)), 1, 5);
    },
  },
});

judges(oracle.transactionOneOutcome, {
  allows: {
    "one value, or no answer yet"(pen) {
      ask(pen, 0, 10, executed(1));
      ask(pen, 5, 12, busy, { by: "b" });
      ask(pen, 20, 30, replayed(1), { by: "c" });
      ask(pen, 20, 30, threw("unavailable"), { by: "d" });
    },
    "another payload"(pen) {
      ask(pen, 0, 10, executed(1), { fingerprint: "x" });
      ask(pen, 20, 30, { outcome: "mismatch" }, { fingerprint: "y" });
    },
  },
  forbids: {
    "two values"(pen) {
      ask(pen, 0, 10, executed(1));
      ask(pen, 0, 20, executed(2), { by: "b" });
    },
    "a value and a rejection"(pen) {
      ask(pen, 0, 10, executed(1));
      ask(pen, 0, 20, rejected(false), { by: "b" });
    },
    "an error after the outcome was told"(pen) {
      ask(pen, 0, 10, executed(1));
      ask(pen, 20, 30, broken, { by: "b" });
    },
    "that another is at work after the outcome was told"(pen) {
      ask(pen, 0, 10, executed(1));
      ask(pen, 20, 30, busy, { by: "b" });
    },
    "mismatch of the same payload"(pen) {
      ask(pen, 0, 10, executed(1), { fingerprint: "x" });
      ask(pen, 20, 30, { outcome: "mismatch" }, { fingerprint: "x" });
    },
  },
});

judges(oracle.transactionHonest, {
  allows: {
    "rows of who was told its own run, indeterminate, or nothing"(pen) {
      row(pen, ask(pen, 0, 10, executed(1)), 1, 5);
      const call = ask(pen, 20, 30, unknown);
      pen.run(call, { run: 2 }, 21, 22, "returned");
      row(pen, call, 2, 40);
      row(pen, ask(pen, 50), 3, 60);
    },
  },
  forbids: {
    "rows of who was told an error"(pen) {
      row(pen, ask(pen, 0, 10, broken), 1, 5);
    },
    "rows of who was told unavailable"(pen) {
      row(pen, ask(pen, 0, 10, threw("unavailable")), 1, 15);
    },
    "rows of who was told another's outcome"(pen) {
      row(pen, ask(pen, 0, 10, replayed(2)), 1, 5);
    },
    "rows of another run than the one that is told"(pen) {
      row(pen, ask(pen, 0, 10, executed(2)), 1, 5);
    },
    "indeterminate before any handler came to an end"(pen) {
      const call = ask(pen, 0, 10, unknown);
      pen.run(call, { run: 1 }, 1, 2, "threw");
    },
  },
});

judges(oracle.transactionValues, {
  allows: {
    "what a handler of the key returned"(pen) {
      pen.run(ask(pen, 0, 10, executed(1)), { run: 1 }, 1, 2, "returned");
    },
    "a rejection by a handler of the key"(pen) {
      ask(pen, 0, 10, rejected(false), { end: "throwsFinal" });
      ask(pen, 20, 30, rejected(true));
    },
  },
  forbids: {
    "what no handler returned"(pen) {
      pen.run(ask(pen, 0, 10, executed(1)), { run: 1 }, 1, 2, "threw");
    },
    "a rejection by nobody"(pen) {
      ask(pen, 0, 10, rejected(true));
    },
  },
});

const last = { by: "last" };

judges(oracle.transactionSettles, {
  allows: {
    "an outcome at last"(pen) {
      pen.healed(5);
      ask(pen, 10, 20, busy, last);
      ask(pen, 30, 40, executed(1), last);
    },
    "a key that is too old"(pen) {
      pen.healed(5);
      ask(pen, 10, 20, { outcome: "expired" }, { bornMs: 1, ...last });
    },
  },
  forbids: {
    "none at last"(pen) {
      pen.healed(5);
      ask(pen, 10, 20, broken, last);
    },
    "a key without a birth time that is too old"(pen) {
      pen.healed(5);
      ask(pen, 10, 20, { outcome: "expired" }, last);
    },
  },
});

judges(oracle.transactionFree, {
  allows: {
    "others at work while there are faults"(pen) {
      ask(pen, 0, 10, busy);
      pen.healed(50);
    },
  },
  forbids: {
    "others at work when all is over"(pen) {
      pen.healed(50);
      ask(pen, 60, 70, { outcome: "contended", rounds: 3 }, last);
    },
  },
});

judges(oracle.transactionGoesOn({ waitMs: 1_000 }), {
  allows: {
    "giving up after the wait, or an outcome before it"(pen) {
      ask(pen, 0, 1_000, busy);
      ask(pen, 0, 10, executed(1));
    },
  },
  forbids: {
    "giving up before it"(pen) {
      ask(pen, 0, 900, { outcome: "contended", rounds: 3 });
    },
  },
});

const plain = { plain: true };

judges(oracle.transactionWaitsForRun, {
  allows: {
    "one after the other"(pen) {
      pen.run(ask(pen, 0, 10, plainly(1), plain), { run: 1 }, 1, 9, "returned");
      pen.run(ask(pen, 5, 30, executed(2)), { run: 2 }, 20, 29, "returned");
    },
    "one whose lease is over"(pen) {
      pen.run(ask(pen, 0, 20_000, plainly(1), plain), { run: 1 }, 1, 20_000, "returned");
      pen.run(ask(pen, 5, 12_010, executed(2)), { run: 2 }, 12_000, 12_009, "returned");
    },
    "one that begins while a transaction is open"(pen) {
      pen.run(ask(pen, 0, 30, executed(1)), { run: 1 }, 1, 29, "returned");
      pen.run(ask(pen, 5, 30, plainly(2), plain), { run: 2 }, 10, 20, "returned");
    },
  },
  forbids: {
    "a handler in a transaction meanwhile"(pen) {
      pen.run(ask(pen, 0, 100, plainly(1), plain), { run: 1 }, 1, 99, "returned");
      pen.run(ask(pen, 5, 30, executed(2)), { run: 2 }, 20, 29, "returned");
    },
  },
});

judges(oracle.transactionMode, {
  allows: {
    "no certainty after an attempt of which nobody knows what it did"(pen) {
      ask(pen, 0, 10, { disposition: "unknown", ...broken } as TransactionAnswer, plain);
      ask(pen, 20, 30, executed(2, false));
    },
    "an attempt that comes at the same time"(pen) {
      ask(pen, 0, 25, broken, plain);
      ask(pen, 20, 30, executed(2));
    },
  },
  forbids: {
    "certainty after one"(pen) {
      ask(pen, 0, 10, broken, plain);
      ask(pen, 20, 30, executed(2));
    },
  },
});

judges(oracle.transactionRejects, {
  allows: {
    "other errors"(pen) {
      ask(pen, 0, 10, broken);
      ask(pen, 0, 10, rejected(false));
    },
  },
  forbids: {
    "a rejection that is told as an error"(pen) {
      ask(pen, 0, 10, { outcome: "threw", error: { code: DECLINED } });
    },
  },
});

judges(oracle.transactionBirths, {
  allows: {
    "a key in its time, and one that bears none"(pen) {
      row(pen, ask(pen, 0, 10, executed(1), { bornMs: -10 }), 1, 5);
    },
    "a key that bears none"(pen) {
      row(pen, ask(pen, 0, 10, executed(1)), 1, 5_000_000);
    },
  },
  forbids: {
    "an old key"(pen) {
      row(pen, ask(pen, 0, 10, executed(1), { bornMs: -1_000_000 }), 1, 5);
    },
    "a key from the future"(pen) {
      row(pen, ask(pen, 0, 10, executed(1), { bornMs: 900_000 }), 1, 5);
    },
  },
});
