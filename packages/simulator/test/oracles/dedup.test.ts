// What dedup's oracles allow and forbid, by histories written by hand.

import * as dedup from "../../src/oracles/dedup.ts";
import type { Charge, HandlerEnd, Recorded } from "../../src/scenarios/recorded.ts";
import type { Operation } from "../../src/world/history.ts";
import { judges } from "./cases.ts";
import { type Pen, threw } from "./written.ts";

type Result = Recorded["dedup.attempt"]["returned"];

const charge = (run: number): Charge => ({ key: "k", run });
const executed = (run: number, recorded: true | "unknown" = true): Result => ({
  outcome: "executed",
  value: charge(run),
  recorded,
  attempt: run,
  fencingToken: run * 10,
});
const replayed = (run: number): Result => ({ outcome: "replayed", value: charge(run) });
const error = (code: string): unknown => ({ code, message: code });
const failed = (again: boolean, code = "declined", recorded: true | "unknown" = true): Result => ({
  outcome: "failed",
  error: error(code),
  replayed: again,
  recorded,
});
const threwUnknown: Result = { outcome: "threw", error: "?", disposition: "unknown" };
const threwRetryable: Result = { outcome: "threw", error: "?", disposition: "retryable" };
const inProgress: Result = { outcome: "inProgress", retryAfterMs: 10 };
const parked: Result = { outcome: "indeterminate", reason: "parked" };
const superseded: Result = { outcome: "indeterminate", reason: "superseded" };
const acquireUnknown: Result = { outcome: "indeterminate", reason: "acquireUnknown" };

/** One call of dedup for the key `k`. */
function attempt(
  pen: Pen,
  by: string,
  fromMs: number,
  toMs?: number,
  returned?: Result | ReturnType<typeof threw>,
  {
    end = "returns",
    fingerprint,
    life,
    bornMs,
  }: { end?: HandlerEnd; fingerprint?: string; life?: number; bornMs?: number } = {},
): Operation {
  const input = { client: `client of ${by}`, end, fingerprint, bornMs };
  return pen.ask(by, "dedup.attempt", "k", input, fromMs, toMs, returned, life);
}

function resolve(pen: Pen, outcome: "done" | "failed" | "notDone", fromMs: number): void {
  pen.ask("a", "dedup.resolve", "k", { outcome }, fromMs, fromMs + 1, { outcome: "resolved" });
}

/** `a` runs the handler as run 1, and is told so. */
function first(pen: Pen, recorded: true | "unknown" = true): void {
  pen.run(attempt(pen, "a", 0, 100, executed(1, recorded)), { run: 1 }, 10, 90, "returned");
}

/** `a` crashes in run 1. */
function crashed(pen: Pen): void {
  pen.run(attempt(pen, "a", 0), { run: 1 }, 10);
}

/** `b` runs the handler as run 2. */
function second(
  pen: Pen,
  fromMs: number,
  detail: { attempt?: number; takeover?: boolean } = {},
): void {
  const call = attempt(pen, "b", fromMs, fromMs + 100, executed(2));
  pen.run(call, { run: 2, ...detail }, fromMs + 10, fromMs + 90, "returned");
}

judges(dedup.dedupOneOutcome, {
  allows: {
    "the same value for everyone"(pen) {
      first(pen);
      attempt(pen, "b", 50, 200, replayed(1));
    },
    "another value before which the first was not known to be recorded"(pen) {
      first(pen, "unknown");
      second(pen, 20_000);
    },
    "a final error for everyone, the first caller's own one included"(pen) {
      attempt(pen, "a", 0, 100, failed(false));
      attempt(pen, "b", 200, 300, failed(true));
    },
    "another outcome after retention has ended"(pen) {
      first(pen);
      second(pen, 700_000);
    },
    "a value handed over by a person"(pen) {
      crashed(pen);
      resolve(pen, "done", 100);
      attempt(pen, "b", 200, 300, { outcome: "valueUnavailable" });
      attempt(pen, "c", 200, 300, { outcome: "valueUnavailable" });
    },
    "answers that say nothing"(pen) {
      first(pen);
      attempt(pen, "b", 50, 200, threw("unavailable"));
      attempt(pen, "c", 50, 200, acquireUnknown);
    },
  },
  forbids: {
    "two values"(pen) {
      first(pen);
      attempt(pen, "b", 200, 300, replayed(2));
    },
    "two values told at once"(pen) {
      attempt(pen, "a", 0, 100, executed(1));
      attempt(pen, "b", 0, 100, executed(2));
    },
    "a value and a final error"(pen) {
      first(pen);
      attempt(pen, "b", 200, 300, failed(true));
    },
    "two final errors"(pen) {
      attempt(pen, "a", 0, 100, failed(false));
      attempt(pen, "b", 200, 300, failed(true, "closed"));
    },
    "a value that is gone for others"(pen) {
      first(pen);
      attempt(pen, "b", 200, 300, { outcome: "valueUnavailable" });
    },
  },
});

judges(dedup.dedupToldToAll(), {
  allows: {
    "inProgress for who asked before the outcome was told"(pen) {
      first(pen);
      attempt(pen, "b", 50, 200, inProgress);
    },
    "no answer from the store"(pen) {
      first(pen);
      attempt(pen, "b", 200, 300, acquireUnknown);
      attempt(pen, "c", 200, 300, threw("unavailable"));
      attempt(pen, "d", 200);
    },
    "mismatch for another fingerprint"(pen) {
      attempt(pen, "a", 0, 100, executed(1), { fingerprint: "x" });
      attempt(pen, "b", 200, 300, { outcome: "mismatch" }, { fingerprint: "y" });
    },
    "parked after an outcome that was not known to be recorded"(pen) {
      first(pen, "unknown");
      attempt(pen, "b", 20_000, 20_100, parked);
    },
    "a run after retention"(pen) {
      first(pen);
      second(pen, 700_000);
    },
  },
  forbids: {
    "inProgress after the outcome was told"(pen) {
      first(pen);
      attempt(pen, "b", 200, 300, inProgress);
    },
    "parked after the outcome was told"(pen) {
      first(pen);
      attempt(pen, "b", 200, 300, parked);
    },
    "an execution after the outcome was told, though of the same value"(pen) {
      first(pen);
      attempt(pen, "b", 200, 300, executed(1));
    },
    "mismatch for the same fingerprint"(pen) {
      attempt(pen, "a", 0, 100, executed(1), { fingerprint: "x" });
      attempt(pen, "b", 200, 300, { outcome: "mismatch" }, { fingerprint: "x" });
    },
    "a first failure after a replayed one"(pen) {
      attempt(pen, "a", 0, 100, failed(true));
      attempt(pen, "b", 200, 300, failed(false));
    },
  },
});

judges(dedup.dedupMismatch, {
  allows: {
    "mismatch for another fingerprint"(pen) {
      attempt(pen, "a", 0, undefined, undefined, { fingerprint: "x" });
      attempt(pen, "b", 50, 200, { outcome: "mismatch" }, { fingerprint: "y" });
    },
    "one outcome for callers of whom one gave no fingerprint"(pen) {
      attempt(pen, "a", 0, 100, executed(1));
      attempt(pen, "b", 200, 300, replayed(1), { fingerprint: "x" });
      attempt(pen, "c", 200, 300, replayed(1), { fingerprint: "y" });
    },
    "another fingerprint after retention"(pen) {
      attempt(pen, "a", 0, 100, executed(1), { fingerprint: "x" });
      attempt(pen, "b", 700_000, 700_100, executed(2), { fingerprint: "y" });
    },
  },
  forbids: {
    "an outcome for two fingerprints"(pen) {
      attempt(pen, "a", 0, 100, executed(1), { fingerprint: "x" });
      attempt(pen, "b", 200, 300, replayed(1), { fingerprint: "y" });
    },
    "mismatch where all gave the same"(pen) {
      attempt(pen, "a", 0, 100, executed(1), { fingerprint: "x" });
      attempt(pen, "b", 200, 300, { outcome: "mismatch" }, { fingerprint: "x" });
    },
    "mismatch where the caller gave none"(pen) {
      attempt(pen, "a", 0, 100, executed(1), { fingerprint: "x" });
      attempt(pen, "b", 200, 300, { outcome: "mismatch" });
    },
    "mismatch before anybody gave another"(pen) {
      attempt(pen, "a", 0, 100, { outcome: "mismatch" }, { fingerprint: "x" });
      attempt(pen, "b", 200, 300, executed(1), { fingerprint: "y" });
    },
  },
});

judges(dedup.dedupValues, {
  allows: {
    "the value of a run that crashed, had from the sink"(pen) {
      crashed(pen);
      attempt(pen, "b", 20_000, 20_100, replayed(1));
    },
    "valueUnavailable on a person's word"(pen) {
      crashed(pen);
      resolve(pen, "done", 100);
      attempt(pen, "b", 200, 300, { outcome: "valueUnavailable" });
    },
  },
  forbids: {
    "a value of no run"(pen) {
      first(pen);
      attempt(pen, "b", 200, 300, replayed(7));
    },
    "a value before its run began"(pen) {
      attempt(pen, "b", 0, 5, replayed(1));
      first(pen);
    },
    "a value that lost something on the way"(pen) {
      first(pen);
      attempt(pen, "b", 200, 300, {
        outcome: "replayed",
        value: { key: "k", run: 1, more: undefined } as Charge,
      });
    },
    "a value that could not be stored"(pen) {
      crashed(pen);
      attempt(pen, "b", 200, 300, { outcome: "valueUnavailable" });
    },
  },
});

judges(dedup.dedupSettles({ mayPark: true }), {
  allows: {
    "parked, where it may"(pen) {
      pen.healed(1_000);
      attempt(pen, "last", 2_000, 2_100, parked);
    },
    "an outcome in the end"(pen) {
      pen.healed(1_000);
      attempt(pen, "last", 2_000, 2_100, inProgress);
      attempt(pen, "last", 3_000, 3_100, replayed(1));
    },
  },
  forbids: {
    "expired, where keys bear no birth time"(pen) {
      pen.healed(1_000);
      attempt(pen, "last", 2_000, 2_100, { outcome: "expired" });
    },
  },
});

judges(dedup.dedupSettles(), {
  allows: {
    "an open end of who asked before healing"(pen) {
      crashed(pen);
      pen.healed(1_000);
      attempt(pen, "last", 2_000, 2_100, failed(true));
    },
    "anything without healing"(pen) {
      attempt(pen, "last", 2_000);
    },
  },
  forbids: {
    parked(pen) {
      pen.healed(1_000);
      attempt(pen, "last", 2_000, 2_100, parked);
    },
    "a key in progress for ever"(pen) {
      pen.healed(1_000);
      attempt(pen, "last", 2_000, 2_100, inProgress);
    },
    "a call that hangs"(pen) {
      pen.healed(1_000);
      attempt(pen, "last", 2_000);
    },
    "unavailable without faults"(pen) {
      pen.healed(1_000);
      attempt(pen, "last", 2_000, 2_100, threw("unavailable"));
    },
  },
});

judges(dedup.dedupOneAtATime, {
  allows: {
    "a paused owner beside who took over"(pen) {
      pen.run(attempt(pen, "a", 0, 30_100, superseded), { run: 1 }, 10, 30_000, "returned");
      second(pen, 20_000);
    },
    "a run after a crash, within what the crashed node did before"(pen) {
      crashed(pen);
      second(pen, 20_000, { takeover: false });
      attempt(pen, "a", 30_000, 30_100, replayed(2), { life: 2 });
    },
    "runs of two keys at once"(pen) {
      crashed(pen);
      const input = { client: "c", end: "returns" } as const;
      const other = pen.ask("a", "dedup.attempt", "other", input, 0, 100, replayed(2));
      pen.run(other, { run: 2, takeover: false }, 10, 90, "returned");
    },
  },
  forbids: {
    "two clean attempts at once"(pen) {
      pen.run(attempt(pen, "a", 0, 100, executed(1)), { run: 1 }, 10, 90, "returned");
      second(pen, 20, { takeover: false });
    },
    "a takeover under the same fencing token"(pen) {
      pen.run(attempt(pen, "a", 0, 100, executed(1)), { run: 1, token: 20 }, 10, 90, "returned");
      second(pen, 20);
    },
    "a takeover by the older of two"(pen) {
      pen.run(
        attempt(pen, "a", 0, 100, executed(1)),
        { run: 1, token: 30, takeover: false },
        10,
        90,
      );
      second(pen, 20);
    },
    "a run beside one whose node is known to live on"(pen) {
      crashed(pen);
      attempt(pen, "a", 50, 500, inProgress);
      second(pen, 20, { takeover: false });
    },
  },
});

judges(dedup.dedupNeverAgain, {
  allows: {
    "a run that began before the outcome was told"(pen) {
      first(pen);
      pen.run(attempt(pen, "b", 50, 300, replayed(1)), { run: 2 }, 100, 200, "returned");
    },
    "a run after an outcome that may not be recorded"(pen) {
      first(pen, "unknown");
      second(pen, 20_000);
    },
    "a run after retention"(pen) {
      first(pen);
      second(pen, 700_000);
    },
  },
  forbids: {
    "a run after the outcome was told"(pen) {
      first(pen);
      second(pen, 200);
    },
    "a run that only a crash hid, after a replay"(pen) {
      attempt(pen, "a", 0, 100, failed(true));
      pen.run(attempt(pen, "b", 200), { run: 2 }, 210);
    },
  },
});

judges(dedup.dedupUnknownKept(), {
  allows: {
    "a takeover after a crash"(pen) {
      crashed(pen);
      second(pen, 20_000);
    },
    "a clean attempt after a retryable error"(pen) {
      const call = attempt(pen, "a", 0, 100, threwRetryable, { end: "throwsRetryableFirst" });
      pen.run(call, { run: 1 }, 10, 90, "threw");
      second(pen, 200, { takeover: false });
    },
    "a clean attempt after a person's word"(pen) {
      crashed(pen);
      resolve(pen, "notDone", 100);
      second(pen, 200, { takeover: false, attempt: 1 });
    },
    "a clean attempt after the outcome was forgotten"(pen) {
      first(pen);
      second(pen, 700_000, { takeover: false, attempt: 1 });
    },
    "a clean attempt after an outcome was forgotten that the sink had told"(pen) {
      crashed(pen);
      attempt(pen, "b", 20_000, 20_100, replayed(1));
      pen.run(attempt(pen, "c", 700_000), { run: 2, attempt: 1, takeover: false }, 700_010);
    },
    "an attempt that was acquired first and ran later"(pen) {
      pen.run(attempt(pen, "b", 0, 300, superseded), { run: 2 }, 10, 90, "returned");
      pen.run(attempt(pen, "a", 0, 300, superseded), { run: 1 }, 20, 90, "returned");
    },
  },
  forbids: {
    "a clean attempt after a crash"(pen) {
      crashed(pen);
      second(pen, 20_000, { takeover: false });
    },
    "a clean attempt after an unknown error"(pen) {
      const call = attempt(pen, "a", 0, 100, threwUnknown, { end: "throwsAfterEffect" });
      pen.run(call, { run: 1 }, 10, 90, "threw");
      second(pen, 200, { takeover: false });
    },
    "a takeover that counts from 1"(pen) {
      crashed(pen);
      second(pen, 20_000, { attempt: 1 });
    },
    "a clean attempt after retention, though the outcome was never known"(pen) {
      crashed(pen);
      second(pen, 900_000, { takeover: false });
    },
    "a clean attempt after a crash before the retryable error"(pen) {
      const call = attempt(pen, "a", 0, undefined, undefined, { end: "throwsRetryableFirst" });
      pen.run(call, { run: 1 }, 10);
      second(pen, 20_000, { takeover: false });
    },
  },
});

judges(dedup.dedupParks, {
  allows: {
    "a run after a person's word"(pen) {
      crashed(pen);
      resolve(pen, "notDone", 100);
      second(pen, 200);
    },
    "a run after a retryable error"(pen) {
      const call = attempt(pen, "a", 0, 100, threwRetryable, { end: "throwsRetryableFirst" });
      pen.run(call, { run: 1 }, 10, 90, "threw");
      second(pen, 200);
    },
    "parked after a crash"(pen) {
      crashed(pen);
      attempt(pen, "b", 20_000, 20_100, parked);
    },
  },
  forbids: {
    "a run after a crash"(pen) {
      crashed(pen);
      second(pen, 20_000);
    },
    "a run after an unknown error"(pen) {
      const call = attempt(pen, "a", 0, 100, threwUnknown, { end: "throwsAfterEffect" });
      pen.run(call, { run: 1 }, 10, 90, "threw");
      second(pen, 200);
    },
    "a run after a word that was said before the attempt"(pen) {
      resolve(pen, "notDone", 0);
      pen.run(attempt(pen, "a", 10), { run: 1 }, 20);
      second(pen, 20_000);
    },
  },
});

judges(dedup.dedupLeaseRespected, {
  allows: {
    "a takeover after the lease"(pen) {
      crashed(pen);
      second(pen, 10_000);
    },
    "a run at once after an unknown error"(pen) {
      const call = attempt(pen, "a", 0, 100, threwUnknown, { end: "throwsAfterEffect" });
      pen.run(call, { run: 1 }, 10, 90, "threw");
      second(pen, 200);
    },
    "a run at once on a person's word"(pen) {
      crashed(pen);
      resolve(pen, "notDone", 100);
      second(pen, 200);
    },
  },
  forbids: {
    "a takeover within the lease of a running owner"(pen) {
      pen.run(attempt(pen, "a", 0, 20_100, superseded), { run: 1 }, 10, 20_000, "returned");
      second(pen, 9_000);
    },
    "a takeover within the lease of a crashed owner"(pen) {
      crashed(pen);
      second(pen, 9_000);
    },
  },
});

/** `a` is paused in run 1, and `b` takes over with run 2. */
function pausedOwner(pen: Pen, answer: Result): void {
  pen.run(attempt(pen, "a", 0, 30_100, answer), { run: 1 }, 10, 30_000, "returned");
  second(pen, 20_000);
}

judges(dedup.dedupLateOwner, {
  allows: {
    "what its successor recorded"(pen) {
      pausedOwner(pen, replayed(2));
    },
    "that it was superseded"(pen) {
      pausedOwner(pen, superseded);
    },
    "a value whose recording is not known"(pen) {
      pen.run(attempt(pen, "a", 0, 30_100, executed(1, "unknown")), { run: 1 }, 10, 30_000);
      pen.run(attempt(pen, "b", 20_000), { run: 2 }, 20_010);
    },
    "its own value, if a sink gave its successor the same"(pen) {
      pen.run(attempt(pen, "a", 0, 30_100, executed(1)), { run: 1 }, 10, 30_000, "returned");
      const successor = attempt(pen, "b", 20_000, 40_000, replayed(1));
      pen.run(successor, { run: 2 }, 20_010, 35_000, "returned");
    },
  },
  forbids: {
    "its own value while its successor runs"(pen) {
      pen.run(attempt(pen, "a", 0, 30_100, executed(1)), { run: 1 }, 10, 30_000, "returned");
      pen.run(attempt(pen, "b", 20_000), { run: 2 }, 20_010);
    },
    "its own value while its successor is paused, who is then told another"(pen) {
      pen.run(attempt(pen, "a", 0, 30_100, executed(1)), { run: 1 }, 10, 30_000, "returned");
      pen.run(attempt(pen, "b", 20_000, 50_000, executed(2)), { run: 2 }, 20_010, 40_000);
    },
  },
});

/** The function of a step is called; what else is known of it in `part`. */
function step(
  pen: Pen,
  call: Operation,
  run: number,
  atMs: number,
  part: { name?: string; recordedMs?: number } = {},
): void {
  const { name, recordedMs } = part;
  pen.span(call, {
    kind: "step",
    fromUs: atMs * 1000,
    fencingToken: run * 10,
    detail: { run, attempt: run, ...(name === undefined ? {} : { name }) },
    ...(recordedMs !== undefined && { untilUs: recordedMs * 1000, result: "recorded" }),
  });
}

judges(dedup.dedupStepOnce, {
  allows: {
    "a step again after a crash before it was recorded"(pen) {
      const call = attempt(pen, "a", 0);
      pen.run(call, { run: 1 }, 10);
      step(pen, call, 1, 20);
      const later = attempt(pen, "b", 20_000, 20_100, executed(2));
      pen.run(later, { run: 2 }, 20_010, 20_090, "returned");
      step(pen, later, 2, 20_020);
    },
    "a step of a late owner that was recorded after its successor had begun the same"(pen) {
      const call = attempt(pen, "a", 0, 30_100, superseded);
      pen.run(call, { run: 1 }, 10, 30_000, "returned");
      step(pen, call, 1, 20, { recordedMs: 20_020 });
      const later = attempt(pen, "b", 20_000, 20_100, executed(2));
      pen.run(later, { run: 2 }, 20_010, 20_090, "returned");
      step(pen, later, 2, 20_020);
    },
    "two steps of two names"(pen) {
      const call = attempt(pen, "a", 0, 100, executed(1));
      pen.run(call, { run: 1 }, 10, 90, "returned");
      step(pen, call, 1, 20, { name: "one", recordedMs: 25 });
      step(pen, call, 1, 30, { name: "two" });
    },
  },
  forbids: {
    "a step again after its handler had seen it recorded"(pen) {
      const call = attempt(pen, "a", 0);
      pen.run(call, { run: 1 }, 10, 90, "threw");
      step(pen, call, 1, 20, { recordedMs: 30 });
      const later = attempt(pen, "b", 20_000, 20_100, executed(2));
      pen.run(later, { run: 2 }, 20_010, 20_090, "returned");
      step(pen, later, 2, 20_020);
    },
    "a step twice in one run"(pen) {
      const call = attempt(pen, "a", 0, 100, executed(1));
      pen.run(call, { run: 1 }, 10, 90, "returned");
      step(pen, call, 1, 20);
      step(pen, call, 1, 30);
    },
  },
});

judges(dedup.dedupEffectOnce, {
  allows: {
    "a charge that the bank knew"(pen) {
      const call = attempt(pen, "a", 0, 100, executed(1));
      pen.effect(call, { sink: "bank" }, 50);
      pen.effect(call, { sink: "bank", accepted: false }, 60);
    },
    "a charge after retention"(pen) {
      const call = attempt(pen, "a", 0, 100, executed(1));
      pen.effect(call, { sink: "bank" }, 50);
      pen.effect(call, { sink: "bank" }, 700_000);
    },
  },
  forbids: {
    "two charges"(pen) {
      const call = attempt(pen, "a", 0, 100, executed(1));
      pen.effect(call, { sink: "bank" }, 50);
      pen.effect(call, { sink: "bank" }, 60);
    },
  },
});

judges(dedup.dedupTokensIncrease, {
  allows: {
    "a newer token for who took over"(pen) {
      crashed(pen);
      second(pen, 20_000);
    },
    "tokens in any order for calls that were asked at once"(pen) {
      pen.run(attempt(pen, "b", 0, 300, superseded), { run: 2, token: 20 }, 10, 90);
      pen.run(attempt(pen, "a", 0, 300, superseded), { run: 1, token: 10 }, 20, 90);
    },
  },
  forbids: {
    "an older token for who took over"(pen) {
      pen.run(attempt(pen, "a", 0), { run: 1, token: 30 }, 10);
      second(pen, 20_000);
    },
    "one token for two runs"(pen) {
      pen.run(attempt(pen, "b", 0, 300, superseded), { run: 2, token: 10 }, 10, 90);
      pen.run(attempt(pen, "a", 0, 300, superseded), { run: 1, token: 10 }, 20, 90);
    },
    "one token for two runs of one call"(pen) {
      const call = attempt(pen, "a", 0, 300, executed(2));
      pen.run(call, { run: 1, token: 10 }, 10, 90);
      pen.run(call, { run: 2, token: 10 }, 100, 190);
    },
  },
});

judges(dedup.dedupUnclassified, {
  allows: {
    "unknown for an unclassified error"(pen) {
      const call = attempt(pen, "a", 0, 100, threwUnknown, { end: "throwsAfterEffect" });
      pen.run(call, { run: 1 }, 10, 90, "threw");
    },
    "a final error for others"(pen) {
      const call = attempt(pen, "a", 0, undefined, undefined, { end: "throwsFinal" });
      pen.run(call, { run: 1 }, 10, 90, "threw");
      attempt(pen, "b", 200, 300, failed(true), { end: "throwsAfterEffect" });
    },
    "a failure on a person's word"(pen) {
      crashed(pen);
      resolve(pen, "failed", 100);
      attempt(pen, "b", 200, 300, failed(true));
    },
  },
  forbids: {
    "a failure of which no handler threw a final error"(pen) {
      const call = attempt(pen, "a", 0, 100, failed(false), { end: "throwsAfterEffect" });
      pen.run(call, { run: 1 }, 10, 90, "threw");
    },
    "retryable for an unclassified error"(pen) {
      const call = attempt(pen, "a", 0, 100, threwRetryable, { end: "throwsAfterEffect" });
      pen.run(call, { run: 1 }, 10, 90, "threw");
    },
  },
});

judges(dedup.dedupRefusedNotRun, {
  allows: {
    "expired without a run"(pen) {
      attempt(pen, "a", 0, 100, { outcome: "expired" });
    },
    "a replay to an owner that ran late"(pen) {
      pausedOwner(pen, replayed(2));
    },
  },
  forbids: {
    "expired after a run"(pen) {
      pen.run(attempt(pen, "a", 0, 100, { outcome: "expired" }), { run: 1 }, 10, 90, "returned");
    },
    "an unknown acquisition after a run"(pen) {
      pen.run(attempt(pen, "a", 0, 100, acquireUnknown), { run: 1 }, 10, 90, "returned");
    },
  },
});
