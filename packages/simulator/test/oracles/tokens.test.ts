// What the oracles of single-use tokens allow and forbid, by histories written by hand.

import * as tokens from "../../src/oracles/tokens.ts";
import type { Charge } from "../../src/scenarios/recorded.ts";
import type { Operation } from "../../src/world/history.ts";
import { judges } from "./cases.ts";
import { type Pen, threw } from "./written.ts";

type Word = "consumed" | "used" | "invalid" | "expired" | "indeterminate";

function issue(pen: Pen, token = "t", subject = "ann"): void {
  pen.ask("a", "tokens.issue", subject, { client: "c" }, 0, 10, token);
}

function consume(
  pen: Pen,
  requestId: string,
  fromMs: number,
  toMs?: number,
  word?: Word | ReturnType<typeof threw>,
  { token = "t", subject = "ann", by = "a" } = {},
): void {
  const input = { client: "c", token, subject, requestId };
  const returned =
    word === "consumed"
      ? ({ outcome: word, replayed: false } as const)
      : word === "indeterminate"
        ? ({ outcome: word, cause: "?" } as const)
        : typeof word === "string"
          ? ({ outcome: word } as const)
          : word;
  pen.ask(by, "tokens.consume", subject, input, fromMs, toMs, returned);
}

function run(
  pen: Pen,
  by: string,
  fromMs: number,
  toMs?: number,
  got?: number | ReturnType<typeof threw>,
  { token = "t", subject = "ann" } = {},
): Operation {
  const value = typeof got === "number" ? ({ key: subject, run: got } satisfies Charge) : got;
  return pen.ask(by, "tokens.run", subject, { client: "c", token, subject }, fromMs, toMs, value);
}

judges(tokens.tokensConsumedOnce, {
  allows: {
    "consumed twice by one request, and used by another"(pen) {
      issue(pen);
      consume(pen, "1", 20, 30, "consumed");
      consume(pen, "1", 40, 50, "consumed");
      consume(pen, "2", 40, 50, "used");
    },
    "another request's answer lost"(pen) {
      issue(pen);
      consume(pen, "1", 20);
      consume(pen, "2", 40, 50, "consumed");
    },
    "two tokens"(pen) {
      issue(pen);
      issue(pen, "u");
      consume(pen, "1", 20, 30, "consumed");
      consume(pen, "2", 20, 30, "consumed", { token: "u" });
    },
  },
  forbids: {
    "consumed by two requests"(pen) {
      issue(pen);
      consume(pen, "1", 20, 30, "consumed");
      consume(pen, "2", 20, 30, "consumed");
    },
  },
});

judges(tokens.tokensUsedByOther, {
  allows: {
    "used after another's answer was lost"(pen) {
      issue(pen);
      consume(pen, "1", 20);
      consume(pen, "2", 40, 50, "used");
    },
    "used after another's answer is not known"(pen) {
      issue(pen);
      consume(pen, "1", 20, 30, "indeterminate");
      consume(pen, "2", 40, 50, "used");
    },
    "used after a run"(pen) {
      issue(pen);
      run(pen, "a", 20, 30, 1);
      consume(pen, "2", 40, 50, "used");
    },
    "a run refused after another's answer is not known"(pen) {
      issue(pen);
      consume(pen, "1", 20, 30, "indeterminate");
      run(pen, "a", 40, 50, threw("tokenUsed"));
    },
    "a run refused while another is told"(pen) {
      issue(pen);
      consume(pen, "1", 45, 70, "consumed");
      run(pen, "a", 40, 50, threw("tokenUsed"));
    },
    "used while another is told"(pen) {
      issue(pen);
      consume(pen, "2", 20, 30, "used");
      consume(pen, "1", 20, 50, "consumed");
    },
  },
  forbids: {
    "used for the request that has it"(pen) {
      issue(pen);
      consume(pen, "1", 20, 30, "consumed");
      consume(pen, "2", 20);
      consume(pen, "1", 40, 50, "used");
    },
    "used for all"(pen) {
      issue(pen);
      consume(pen, "1", 20, 30, "used");
      consume(pen, "2", 40, 50, "used");
    },
    "burned by a wrong subject"(pen) {
      issue(pen);
      consume(pen, "1", 20, 30, "invalid", { subject: "eve" });
      consume(pen, "2", 40, 50, "used");
    },
    "burned where nothing can have happened"(pen) {
      issue(pen);
      consume(pen, "1", 20, 30, threw("unavailable"));
      consume(pen, "2", 40, 50, "used");
    },
    "a run refused after a run that failed"(pen) {
      issue(pen);
      run(pen, "a", 20, 30, threw("attemptFailed"));
      run(pen, "b", 40, 50, threw("tokenUsed"));
    },
    "a run refused before another consumes"(pen) {
      issue(pen);
      run(pen, "a", 20, 30, threw("tokenUsed"));
      consume(pen, "1", 40, 50, "consumed");
    },
    "burned by its own lost answer"(pen) {
      issue(pen);
      consume(pen, "1", 20);
      consume(pen, "1", 40, 50, "used");
    },
  },
});

judges(tokens.tokensValidUntilExpiry({ ttlMs: 100_000 }), {
  allows: {
    "invalid and expired after its time"(pen) {
      issue(pen);
      consume(pen, "1", 100_000, 100_010, "invalid");
      consume(pen, "1", 100_000, 100_010, "expired");
    },
    "invalid for a wrong subject"(pen) {
      issue(pen);
      consume(pen, "1", 20, 30, "invalid", { subject: "eve" });
    },
  },
  forbids: {
    "invalid for its subject"(pen) {
      issue(pen);
      consume(pen, "1", 20, 30, "invalid");
    },
    "expired within its time"(pen) {
      issue(pen);
      consume(pen, "1", 19_000, 19_900, "expired");
    },
  },
});

judges(tokens.tokensWrongIsInvalid, {
  allows: {
    "invalid for a wrong subject and a forged token"(pen) {
      issue(pen);
      consume(pen, "1", 20, 30, "invalid", { subject: "eve" });
      consume(pen, "2", 20, 30, "invalid", { token: "forged" });
      run(pen, "a", 20, 30, threw("invalidToken"), { token: "forged" });
    },
    "expired for a wrong subject, of a token that was issued"(pen) {
      issue(pen);
      consume(pen, "1", 20, 30, "expired", { subject: "eve" });
    },
    "no answer"(pen) {
      consume(pen, "1", 20, 30, "indeterminate", { token: "forged" });
      consume(pen, "1", 20, 30, threw("unavailable"), { token: "forged" });
      consume(pen, "1", 20, undefined, undefined, { token: "forged" });
    },
  },
  forbids: {
    "a forged token consumed"(pen) {
      consume(pen, "1", 20, 30, "consumed", { token: "forged" });
    },
    "a wrong subject told that the token is used"(pen) {
      issue(pen);
      consume(pen, "1", 20, 30, "consumed");
      consume(pen, "2", 40, 50, "used", { subject: "eve" });
    },
    "expired for a forged token"(pen) {
      consume(pen, "1", 20, 30, "expired", { token: "forged" });
    },
    "a run for a wrong subject"(pen) {
      issue(pen);
      pen.run(run(pen, "a", 20, undefined, undefined, { subject: "eve" }), { run: 1 }, 25);
    },
    "a result for a wrong subject"(pen) {
      issue(pen);
      run(pen, "a", 20, 30, 1, { subject: "eve" });
    },
  },
});

/** `a` runs the handler as run 1 and is told so. */
function first(pen: Pen): void {
  issue(pen);
  pen.run(run(pen, "a", 20, 100, 1), { run: 1 }, 30, 90, "returned");
}

judges(tokens.tokensRunFirstResult, {
  allows: {
    "one result for all"(pen) {
      first(pen);
      run(pen, "b", 200, 300, 1);
    },
    "another result after one that need not have been recorded"(pen) {
      first(pen);
      pen.run(run(pen, "b", 20_000, 20_100, 2), { run: 2 }, 20_010, 20_090, "returned");
      run(pen, "c", 30_000, 30_100, 2);
    },
    "no result"(pen) {
      first(pen);
      run(pen, "b", 200, 300, threw("unavailable"));
      run(pen, "c", 200);
    },
  },
  forbids: {
    "two results for holders who did not run it"(pen) {
      first(pen);
      run(pen, "b", 200, 300, 1);
      run(pen, "c", 200, 300, 2);
    },
  },
});

judges(tokens.tokensRunFirstResultStrict, {
  allows: {
    "one result for all"(pen) {
      first(pen);
      run(pen, "b", 200, 300, 1);
    },
  },
  forbids: {
    "another result after one that need not have been recorded"(pen) {
      first(pen);
      pen.run(run(pen, "b", 20_000, 20_100, 2), { run: 2 }, 20_010, 20_090, "returned");
    },
  },
});

judges(tokens.tokensRunOnce, {
  allows: {
    "a takeover after a crash"(pen) {
      issue(pen);
      pen.run(run(pen, "a", 20), { run: 1 }, 30);
      pen.run(run(pen, "b", 20_000, 20_100, 2), { run: 2 }, 20_010, 20_090, "returned");
    },
    "runs of two tokens of one subject"(pen) {
      issue(pen);
      issue(pen, "u");
      pen.run(run(pen, "a", 20, 100, 1), { run: 1 }, 30, 90, "returned");
      const other = run(pen, "b", 20, 100, 2, { token: "u" });
      pen.run(other, { run: 2, takeover: false }, 30, 90, "returned");
    },
  },
  forbids: {
    "two runs at once"(pen) {
      first(pen);
      const other = run(pen, "b", 20, 100, 2);
      pen.run(other, { run: 2, takeover: false }, 30, 90, "returned");
    },
    "a run after another holder was told the result"(pen) {
      first(pen);
      run(pen, "b", 200, 300, 1);
      pen.run(run(pen, "c", 400), { run: 2 }, 410);
    },
  },
});

judges(tokens.tokensRunValues, {
  allows: {
    "the result of a run that crashed, had from the sink"(pen) {
      issue(pen);
      pen.run(run(pen, "a", 20), { run: 1 }, 30);
      run(pen, "b", 20_000, 20_100, 1);
    },
  },
  forbids: {
    "a result of no run"(pen) {
      first(pen);
      run(pen, "b", 200, 300, 7);
    },
    "a result of another token's run"(pen) {
      first(pen);
      issue(pen, "u");
      run(pen, "b", 200, 300, 1, { token: "u" });
    },
  },
});

judges(tokens.tokensSettle(), {
  allows: {
    "answers in the end"(pen) {
      issue(pen);
      pen.healed(1_000);
      consume(pen, "1", 2_000, 2_010, "indeterminate", { by: "last" });
      consume(pen, "1", 3_000, 3_010, "used", { by: "last" });
      run(pen, "last", 4_000, 4_010, 1);
      run(pen, "last", 4_000, 4_010, threw("usedToken"), { token: "u" });
    },
  },
  forbids: {
    "a consumption without an answer in the end"(pen) {
      issue(pen);
      pen.healed(1_000);
      consume(pen, "1", 2_000, 2_010, "indeterminate", { by: "last" });
    },
    "a run in progress for ever"(pen) {
      issue(pen);
      pen.healed(1_000);
      run(pen, "last", 4_000, 4_010, threw("inProgress"));
    },
    "a run left to a person, where none may be"(pen) {
      issue(pen);
      pen.healed(1_000);
      run(pen, "last", 4_000, 4_010, threw("indeterminate"));
    },
  },
});

judges(tokens.tokensSettle({ mayPark: true }), {
  allows: {
    "a run left to a person"(pen) {
      issue(pen);
      pen.healed(1_000);
      run(pen, "last", 4_000, 4_010, threw("indeterminate"));
    },
  },
  forbids: {
    "a run that hangs"(pen) {
      issue(pen);
      pen.healed(1_000);
      run(pen, "last", 4_000);
    },
  },
});
