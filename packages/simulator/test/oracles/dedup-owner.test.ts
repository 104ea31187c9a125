// What dedup's oracles of late owners, of people and of births allow and forbid, by histories written
// by hand.

import * as dedup from "../../src/oracles/dedup.ts";
import type { HandlerEnd, Recorded } from "../../src/scenarios/recorded.ts";
import type { Operation } from "../../src/world/history.ts";
import { judges } from "./cases.ts";
import { type Pen, threw } from "./written.ts";

type Result = Recorded["dedup.attempt"]["returned"];

interface Asked {
  readonly end?: HandlerEnd;
  readonly fingerprint?: string;
  readonly bornMs?: number;
}

/** One call of dedup for the key `k`. */
function attempt(
  pen: Pen,
  by: string,
  fromMs: number,
  toMs?: number,
  returned?: Result | ReturnType<typeof threw>,
  { end = "returns", ...asked }: Asked = {},
): Operation {
  const input = { client: `client of ${by}`, end, fingerprint: undefined, ...asked };
  return pen.ask(by, "dedup.attempt", "k", input, fromMs, toMs, returned);
}

const executed = (run: number, recorded: true | "unknown" = true): Result => ({
  outcome: "executed",
  value: { key: "k", run },
  recorded,
  attempt: run,
  fencingToken: run * 10,
});
const replayed: Result = { outcome: "replayed", value: { key: "k", run: 1 } };
const superseded: Result = { outcome: "indeterminate", reason: "superseded" };
const parked: Result = { outcome: "indeterminate", reason: "parked" };
const acquireUnknown: Result = { outcome: "indeterminate", reason: "acquireUnknown" };
const inProgress: Result = { outcome: "inProgress", retryAfterMs: 10 };
const mismatch: Result = { outcome: "mismatch" };
const expired: Result = { outcome: "expired" };
const early: Result = { outcome: "notYetValid", validInMs: 10 };

function resolve(
  pen: Pen,
  input: "done" | "failed" | "notDone",
  fromMs: number,
  outcome = "resolved",
): void {
  pen.ask("office", "dedup.resolve", "k", { outcome: input }, fromMs, fromMs + 1, { outcome });
}

/** `a` runs the handler as run 1 until 90 ms, and is told this at `toMs`. */
function ran(pen: Pen, toMs: number, returned: Result | ReturnType<typeof threw>): void {
  pen.run(attempt(pen, "a", 0, toMs, returned), { run: 1 }, 10, 90, "returned");
}

/** `a` runs with an error, of the kind that its handler ends with. */
function ended(pen: Pen, by: string, run: number, fromMs: number, end: HandlerEnd): void {
  const disposition = end === "throwsRetryable" ? "retryable" : "unknown";
  const told: Result = { outcome: "threw", error: "?", disposition };
  const call = attempt(pen, by, fromMs, fromMs + 100, told, { end });
  pen.run(call, { run }, fromMs + 10, fromMs + 90, "threw");
}

judges(dedup.dedupOwnerTold, {
  allows: {
    "its value": (pen) => ran(pen, 100, executed(1)),
    "its value, after a while without an answer": (pen) => ran(pen, 1_100, executed(1, "unknown")),
    "no answer, after a look"(pen) {
      ran(pen, 1_100, executed(1, "unknown"));
      pen.finding("looks", { of: ["a"], looks: [{ by: "a", life: 1, atUs: 1_100_000 }] });
    },
    "that it was passed by while another asked"(pen) {
      ran(pen, 20_000, superseded);
      attempt(pen, "b", 10_000);
    },
    "that it was passed by after a person's word"(pen) {
      ran(pen, 20_000, superseded);
      resolve(pen, "failed", 10_000);
    },
    "an error of a handler that did not return"(pen) {
      pen.run(attempt(pen, "a", 0, 100, threw("unavailable")), { run: 1 }, 10, 90, "threw");
    },
  },
  forbids: {
    "no answer of a write alone, without a look"(pen) {
      ran(pen, 1_100, executed(1, "unknown"));
      pen.finding("looks", { of: ["a"], looks: [{ by: "a", life: 1, atUs: 80_000 }] });
    },
    "that its value could not be recorded": (pen) => ran(pen, 100, threw("leaseLost")),
    "no answer before there was time for one": (pen) => ran(pen, 150, executed(1, "unknown")),
    "that it was passed by where nobody asked": (pen) => ran(pen, 20_000, superseded),
    "that it was passed by where others could not ask"(pen) {
      ran(pen, 20_000, superseded);
      attempt(pen, "b", 10_000, 10_100, threw("unavailable"));
    },
  },
});

judges(dedup.dedupLateStart, {
  allows: {
    "a step before the takeover"(pen) {
      const late = attempt(pen, "a", 0);
      pen.run(late, { run: 1 }, 10);
      pen.span(late, { kind: "step", fromUs: 15_000_000, fencingToken: 10 });
      pen.run(attempt(pen, "b", 15_000), { run: 2 }, 15_010);
    },
    "a step of who took over"(pen) {
      pen.run(attempt(pen, "a", 0), { run: 1 }, 10);
      const next = attempt(pen, "b", 15_000);
      pen.run(next, { run: 2 }, 15_010);
      pen.span(next, { kind: "step", fromUs: 15_020_000, fencingToken: 20 });
    },
  },
  forbids: {
    "a step after the takeover"(pen) {
      const late = attempt(pen, "a", 0);
      pen.run(late, { run: 1 }, 10);
      pen.run(attempt(pen, "b", 15_000), { run: 2 }, 15_010);
      pen.span(late, { kind: "step", fromUs: 15_020_000, fencingToken: 10 });
    },
    "a handler after the takeover"(pen) {
      pen.run(attempt(pen, "b", 15_000), { run: 2 }, 15_010);
      pen.run(attempt(pen, "a", 0), { run: 1 }, 15_020);
    },
  },
});

judges(dedup.dedupUnavailableLeavesNothing, {
  allows: {
    "a key parked after a run"(pen) {
      pen.run(attempt(pen, "a", 0), { run: 1 }, 10);
      attempt(pen, "b", 20_000, 20_100, parked);
    },
    "a takeover from who does not know whether it acquired"(pen) {
      attempt(pen, "a", 0, 100, acquireUnknown);
      pen.run(attempt(pen, "b", 20_000), { run: 1, takeover: true }, 20_010);
    },
    "a takeover from who asked for so long that it may have lost the key again"(pen) {
      attempt(pen, "a", 0, 15_000, inProgress);
      pen.run(attempt(pen, "b", 12_000), { run: 1, takeover: true }, 12_010);
    },
  },
  forbids: {
    "a key parked after a call that was told unavailable"(pen) {
      attempt(pen, "a", 0, 100, threw("unavailable"));
      attempt(pen, "b", 20_000, 20_100, parked);
    },
    "a takeover from nobody"(pen) {
      attempt(pen, "a", 0, 100, threw("unavailable"));
      attempt(pen, "b", 200, 300, inProgress);
      pen.run(attempt(pen, "c", 20_000), { run: 1, takeover: true }, 20_010);
    },
  },
});

judges(dedup.dedupResolve, {
  allows: {
    "a word on what nobody knows"(pen) {
      ended(pen, "a", 1, 0, "throwsAfterEffect");
      resolve(pen, "done", 200);
    },
    "a second word that is told of the first"(pen) {
      ended(pen, "a", 1, 0, "throwsAfterEffect");
      resolve(pen, "done", 200);
      resolve(pen, "failed", 300, "alreadyRecorded");
    },
    "a word after the lease of a crashed owner"(pen) {
      pen.run(attempt(pen, "a", 0), { run: 1 }, 10);
      resolve(pen, "notDone", 10_000);
    },
    "that an attempt lives"(pen) {
      pen.run(attempt(pen, "a", 0, 100, executed(1)), { run: 1 }, 10, 90, "returned");
      resolve(pen, "failed", 50, "inProgress");
    },
  },
  forbids: {
    "a word on a live attempt"(pen) {
      pen.run(attempt(pen, "a", 0, 100, superseded), { run: 1 }, 10, 90, "returned");
      resolve(pen, "failed", 50);
    },
    "a word on a recorded outcome"(pen) {
      ran(pen, 100, executed(1));
      resolve(pen, "failed", 200);
    },
    "two words"(pen) {
      ended(pen, "a", 1, 0, "throwsAfterEffect");
      resolve(pen, "done", 200);
      resolve(pen, "failed", 200);
    },
  },
});

judges(dedup.dedupBirths({ maxSkewMs: 1_000 }), {
  allows: {
    "a run in the key's time": (pen) =>
      void pen.run(attempt(pen, "a", 0, 100, executed(1), { bornMs: 0 }), { run: 1 }, 10),
    "expired after the retention": (pen) =>
      void attempt(pen, "a", 700_000, 700_100, expired, { bornMs: 0 }),
    "not yet valid before its time": (pen) =>
      void attempt(pen, "a", 0, 100, early, { bornMs: 5_000 }),
    "anything of a key without a time": (pen) => void pen.run(attempt(pen, "a", 0), { run: 1 }, 10),
  },
  forbids: {
    "expired in its time": (pen) => void attempt(pen, "a", 0, 100, expired, { bornMs: 0 }),
    "not yet valid long after its time": (pen) =>
      void attempt(pen, "a", 310_000, 310_100, early, { bornMs: 0 }),
    "a run long after the retention": (pen) =>
      void pen.run(
        attempt(pen, "a", 950_000, undefined, undefined, { bornMs: 0 }),
        { run: 1 },
        950_000,
      ),
    "a run long before its time": (pen) =>
      void pen.run(attempt(pen, "a", 0, undefined, undefined, { bornMs: 200_000 }), { run: 1 }, 10),
  },
});

judges(dedup.dedupMarkKept, {
  allows: {
    "a takeover after a retryable error after an unknown one"(pen) {
      ended(pen, "a", 1, 0, "throwsAfterEffect");
      ended(pen, "b", 2, 200, "throwsRetryable");
      pen.run(attempt(pen, "c", 400), { run: 3 }, 410);
    },
    "a clean attempt after retryable errors"(pen) {
      ended(pen, "a", 1, 0, "throwsRetryable");
      ended(pen, "b", 2, 200, "throwsRetryable");
      pen.run(attempt(pen, "c", 400), { run: 3, takeover: false }, 410);
    },
  },
  forbids: {
    "a clean attempt after a retryable error after an unknown one"(pen) {
      ended(pen, "a", 1, 0, "throwsAfterEffect");
      ended(pen, "b", 2, 200, "throwsRetryable");
      pen.run(attempt(pen, "c", 400), { run: 3, takeover: false }, 410);
    },
  },
});

judges(dedup.dedupUnknownKept({ forgetsCrashes: true }), {
  allows: {
    "a clean attempt long after a first one that crashed"(pen) {
      pen.run(attempt(pen, "a", 0), { run: 1 }, 10);
      pen.run(attempt(pen, "b", 700_000), { run: 2, attempt: 1, takeover: false }, 700_010);
    },
  },
  forbids: {
    "a clean attempt soon after a first one that crashed"(pen) {
      pen.run(attempt(pen, "a", 0), { run: 1 }, 10);
      pen.run(attempt(pen, "b", 20_000), { run: 2, attempt: 1, takeover: false }, 20_010);
    },
    "a clean attempt long after a second one that crashed"(pen) {
      ended(pen, "a", 1, 0, "throwsAfterEffect");
      pen.run(attempt(pen, "b", 200), { run: 2 }, 210);
      pen.run(attempt(pen, "c", 700_000), { run: 3, attempt: 1, takeover: false }, 700_010);
    },
  },
});

judges(dedup.dedupMismatch, {
  allows: {
    "mismatch for another fingerprint than the first run's"(pen) {
      ended(pen, "b", 1, 0, "throwsRetryable");
      const bound = attempt(pen, "a", 200, 300, executed(2), { fingerprint: "x" });
      pen.run(bound, { run: 2 }, 210, 290, "returned");
      attempt(pen, "c", 400, 500, mismatch, { fingerprint: "y" });
    },
  },
  forbids: {
    "an outcome with another fingerprint than the first run's, after one that gave none"(pen) {
      const bound = attempt(pen, "a", 0, 100, undefined, { fingerprint: "x" });
      pen.run(bound, { run: 1 }, 10, 90, "threw");
      pen.run(attempt(pen, "b", 200, 300, executed(2)), { run: 2 }, 210, 290, "returned");
      attempt(pen, "c", 400, 500, replayed, { fingerprint: "y" });
    },
  },
});

judges(dedup.dedupNeverAgain, {
  allows: {
    "a run after the retention of a key without a time"(pen) {
      ran(pen, 100, executed(1));
      pen.run(attempt(pen, "b", 700_000), { run: 2, attempt: 1, takeover: false }, 700_010);
    },
  },
  forbids: {
    "a run at any time of a key that bears its own"(pen) {
      const call = attempt(pen, "a", 0, 100, executed(1), { bornMs: 0 });
      pen.run(call, { run: 1 }, 10, 90, "returned");
      const again = attempt(pen, "b", 700_000, undefined, undefined, { bornMs: 0 });
      pen.run(again, { run: 2, attempt: 1, takeover: false }, 700_010);
    },
  },
});
