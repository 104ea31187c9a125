// What single-use tokens promise: one request has a token, and is told so again; what is not right
// is invalid and burns nothing; `run` executes once for all who may run it.

import {
  type OperationOf,
  operationsOf,
  type Recorded,
  returnedBy,
} from "../scenarios/recorded.js";
import type { Guarantee } from "../scenarios/scenario.js";
import type { History } from "../world/history.js";
import { namedRun, overlap, type Run, runsOf } from "./attempts.js";
import { equal } from "./equality.js";
import {
  codeOf,
  didNothing,
  firstOf,
  groupBy,
  isOpen,
  lastAsked,
  ms,
  named,
  precedes,
  told,
} from "./judge.js";
import { oncePerHistory } from "./memo.js";

const CONSUMED =
  "Until the token expires, at most one request is ever told *consumed*, and it is told so again when it asks again; others get *used*.";
const INVALID =
  "A wrong subject, a forged and a forgotten token are one answer, *invalid*, and burn nothing.";
const RUN = "`run` executes once, and every holder of token and subject gets the first result.";

type Consume = OperationOf<"tokens.consume">;
type RunCall = OperationOf<"tokens.run">;

/** One token as it was issued, and who asked for it with the right subject or not. */
interface Issued {
  readonly token: string;
  readonly subject: string;
  readonly issuedUs: number;
  readonly rightConsumes: readonly Consume[];
  readonly rightRuns: readonly RunCall[];
}

function resultOf(call: Consume): Recorded["tokens.consume"]["returned"] | undefined {
  return returnedBy<"tokens.consume">(call);
}

/** The subject and time of issue of each token that somebody was given. */
function issues(history: History): Map<string, OperationOf<"tokens.issue">> {
  const known = new Map<string, OperationOf<"tokens.issue">>();
  for (const call of operationsOf(history, "tokens.issue")) {
    const token = returnedBy<"tokens.issue">(call);
    if (token !== undefined) known.set(token, call);
  }
  return known;
}

const issuedOf: (history: History) => readonly Issued[] = oncePerHistory((history) => {
  const consumes = groupBy(operationsOf(history, "tokens.consume"), ({ input }) => input.token);
  const runs = groupBy(operationsOf(history, "tokens.run"), ({ input }) => input.token);
  return [...issues(history)].map(([token, { key: subject, beganUs }]) => ({
    token,
    subject,
    issuedUs: beganUs,
    rightConsumes: (consumes.get(token) ?? []).filter(({ input }) => input.subject === subject),
    rightRuns: (runs.get(token) ?? []).filter(({ input }) => input.subject === subject),
  }));
});

function asked(call: Consume): string {
  return `${named(call)} for request "${call.input.requestId}" was told ${told(call)}`;
}

/** One request at most is told *consumed*. */
export const tokensConsumedOnce: Guarantee = {
  id: "tokens/consumed-once",
  sentence: CONSUMED,
  judge(history) {
    const consumed = operationsOf(history, "tokens.consume").filter(
      (call) => resultOf(call)?.outcome === "consumed",
    );
    const first = new Map<string, Consume>();
    return firstOf(consumed, (call) => {
      const other = first.get(call.input.token);
      first.set(call.input.token, other ?? call);
      if (other === undefined || other.input.requestId === call.input.requestId) return undefined;
      return `two requests have one token: ${asked(other)}, ${asked(call)}`;
    });
  },
};

/** Those who ask a token that they cannot have: whom `run` refuses, a consumption has the token. */
function runRefused({ rightConsumes, rightRuns }: Issued): string | undefined {
  return firstOf(rightRuns, (call) => {
    if (codeOf(call) !== "tokenUsed") return undefined;
    const endedUs = call.endedUs ?? call.beganUs;
    const taken = rightConsumes.some((other) => {
      const took = isOpen(other) || resultOf(other)?.outcome === "consumed";
      return took && other.beganUs <= endedUs;
    });
    return taken
      ? undefined
      : `${named(call)} was told ${told(call)}, though no request can have consumed the token`;
  });
}

/** Whoever has the token is told so again, and nobody else asks in vain for what nobody has. */
export const tokensUsedByOther: Guarantee = {
  id: "tokens/used-by-other",
  sentence: CONSUMED,
  judge: (history) =>
    firstOf(issuedOf(history), (issued) => {
      const { rightConsumes, rightRuns } = issued;
      const refused = runRefused(issued);
      if (refused !== undefined) return refused;
      return firstOf(rightConsumes, (call) => {
        if (resultOf(call)?.outcome !== "used") return undefined;
        const own = rightConsumes.find((other) => {
          const same = other.input.requestId === call.input.requestId;
          return same && resultOf(other)?.outcome === "consumed" && precedes(other, call);
        });
        if (own !== undefined) return `${asked(call)}, though it has the token: ${asked(own)}`;
        const endedUs = call.endedUs ?? call.beganUs;
        const taken =
          rightRuns.some((run) => run.beganUs <= endedUs && !didNothing(run)) ||
          rightConsumes.some((other) => {
            const differs = other.input.requestId !== call.input.requestId;
            const took = isOpen(other) || resultOf(other)?.outcome === "consumed";
            return differs && took && other.beganUs <= endedUs;
          });
        return taken ? undefined : `${asked(call)}, though no other request can have the token`;
      });
    }),
};

/** How long a token lives, as the scenario issues it. */
export interface TokenLife {
  /** From the issue, in milliseconds. @defaultValue for ever */
  readonly ttlMs?: number;
  /** How far clocks may run ahead during a run, in milliseconds. @defaultValue 8 leases */
  readonly aheadMs?: number;
}

/**
 * Until it expires, a token that was issued is not *invalid* for its subject, and who asks for it
 * once another has it is told *used*.
 */
export function tokensValidUntilExpiry({ ttlMs, aheadMs }: TokenLife = {}): Guarantee {
  return {
    id: "tokens/valid-until-expiry",
    sentence: CONSUMED,
    judge(history, { times }) {
      const livesMs = (ttlMs ?? Number.POSITIVE_INFINITY) - (aheadMs ?? 8 * times.leaseMs);
      return firstOf(issuedOf(history), ({ issuedUs, rightConsumes }) =>
        firstOf(rightConsumes, (call) => {
          const outcome = resultOf(call)?.outcome;
          if (outcome !== "invalid" && outcome !== "expired") return undefined;
          if ((call.endedUs ?? call.beganUs) >= issuedUs + livesMs * 1000) return undefined;
          return `${asked(call)}, though the token was issued for "${call.input.subject}" at ${ms(issuedUs)} and lives on`;
        }),
      );
    },
  };
}

/** Whoever gives a wrong subject or a forged token learns nothing and gets nothing. */
export const tokensWrongIsInvalid: Guarantee = {
  id: "tokens/wrong-is-invalid",
  sentence: INVALID,
  judge(history) {
    const issued = issues(history);
    const isWrong = ({ token, subject }: { token: string; subject: string }): boolean =>
      issued.get(token)?.key !== subject;
    const consume = operationsOf(history, "tokens.consume").find((call) => {
      const outcome = resultOf(call)?.outcome;
      // Only an issued token can be past its time, and that may be told before the subject is seen.
      const expired = outcome === "expired" && !issued.has(call.input.token);
      return isWrong(call.input) && (outcome === "consumed" || outcome === "used" || expired);
    });
    if (consume !== undefined) {
      return `${asked(consume)}, though the token was not issued for "${consume.input.subject}"`;
    }
    const ran = ranFor(history);
    return firstOf(operationsOf(history, "tokens.run"), (call) => {
      if (!isWrong(call.input)) return undefined;
      const run = ran.get(call.id);
      const got = returnedBy<"tokens.run">(call) !== undefined;
      if (run === undefined && !got) return undefined;
      const what = run === undefined ? `was told ${told(call)}` : `had ${namedRun(run)}`;
      return `${named(call)} ${what}, though the token was not issued for "${call.input.subject}"`;
    });
  },
};

const runsByToken: (history: History) => ReadonlyMap<string, readonly Run[]> = oncePerHistory(
  (history) =>
    runsOf(history, {
      method: "tokens.run",
      groupOf: ({ input, key }) => String(input.token ?? key),
    }),
);

/** The last run of a handler for each call. */
const ranFor: (history: History) => ReadonlyMap<number, Run> = oncePerHistory((history) => {
  const ran = new Map<number, Run>();
  for (const runs of runsByToken(history).values()) {
    for (const run of runs) if (run.operation !== undefined) ran.set(run.operation, run);
  }
  return ran;
});

/**
 * All holders of token and subject get one result. A caller that ran the handler itself may have
 * another: `run` has dedup's cases, so its value need not have been recorded.
 */
export const tokensRunFirstResult: Guarantee = {
  id: "tokens/run-first-result",
  sentence: RUN,
  judge(history) {
    const ran = ranFor(history);
    return firstOf(issuedOf(history), ({ rightRuns }) => {
      const told = rightRuns.filter((call) => {
        return !ran.has(call.id) && returnedBy<"tokens.run">(call) !== undefined;
      });
      return firstOf(told, (call) => twoResults(told[0], call));
    });
  },
};

/** As `tokensRunFirstResult`, to the letter: those who ran the handler get the first result too. */
export const tokensRunFirstResultStrict: Guarantee = {
  id: "tokens/run-first-result-strict",
  sentence: RUN,
  judge: (history) =>
    firstOf(issuedOf(history), ({ rightRuns }) => {
      const told = rightRuns.filter((call) => returnedBy<"tokens.run">(call) !== undefined);
      return firstOf(told, (call) => twoResults(told[0], call));
    }),
};

function twoResults(first: RunCall | undefined, call: RunCall): string | undefined {
  if (first === undefined) return undefined;
  if (equal(returnedBy<"tokens.run">(first), returnedBy<"tokens.run">(call))) return undefined;
  return `holders of one token got two results: ${named(first)} was told ${told(first)}, ${named(call)} ${told(call)}`;
}

/**
 * The handler of a token runs once at a time, and not again once a caller that did not run it
 * itself was told its result: then it is recorded.
 */
export const tokensRunOnce: Guarantee = {
  id: "tokens/run-once",
  sentence: RUN,
  judge(history) {
    const byToken = runsByToken(history);
    const ran = ranFor(history);
    return firstOf(issuedOf(history), ({ token, subject, rightRuns }) => {
      const runs = byToken.get(token) ?? [];
      const atOnce = overlap(runs, `the token of ${subject}`);
      if (atOnce !== undefined) return atOnce;
      const known = rightRuns
        .filter((call) => returnedBy<"tokens.run">(call) !== undefined && !ran.has(call.id))
        .sort((a, b) => (a.endedUs ?? 0) - (b.endedUs ?? 0))[0];
      const again = runs.find((run) => known?.endedUs !== undefined && known.endedUs < run.fromUs);
      if (known === undefined || again === undefined) return undefined;
      return `the handler ran again for the token of ${subject} (${namedRun(again)}) after ${named(known)} was told ${told(known)}`;
    });
  },
};

/** What a caller of `run` gets was made by a run for that token. */
export const tokensRunValues: Guarantee = {
  id: "tokens/run-values",
  sentence: RUN,
  judge(history) {
    const byToken = runsByToken(history);
    return firstOf(operationsOf(history, "tokens.run"), (call) => {
      const value = returnedBy<"tokens.run">(call);
      if (value === undefined) return undefined;
      const endedUs = call.endedUs ?? call.beganUs;
      const made = byToken.get(call.input.token)?.some(({ run, fromUs }) => {
        return run === value.run && fromUs <= endedUs;
      });
      if (made === true) return undefined;
      return `${named(call)} was told ${told(call)}, which no handler of its token returned`;
    });
  },
};

/** @param options.mayPark whether a run may be left to a person: under `onCrash: "park"` */
export function tokensSettle({ mayPark }: { readonly mayPark?: boolean } = {}): Guarantee {
  const isOver = (call: RunCall): boolean => {
    const { answer } = call;
    if (answer === undefined) return false;
    if ("returned" in answer) return true;
    const code = codeOf(call);
    if (code === "indeterminate") return mayPark === true;
    return code !== "unavailable" && code !== "inProgress";
  };
  return {
    id: "tokens/settle",
    sentence: CONSUMED,
    judge(history) {
      if (history.healedUs === undefined) return undefined;
      const consumes = lastAsked(operationsOf(history, "tokens.consume"), ({ input }) => {
        return `${input.token}\n${input.subject}\n${input.requestId}`;
      });
      const runs = lastAsked(operationsOf(history, "tokens.run"), ({ input }) => {
        return `${input.token}\n${input.subject}`;
      });
      const open =
        consumes.find((call) => isOpen(call) || didNothing(call)) ??
        runs.find((call) => !isOver(call));
      if (open === undefined) return undefined;
      return `${named(open)} was told ${told(open)}, though faults ended at ${ms(history.healedUs)}`;
    },
  };
}
