// Judges single-use tokens by what each request was told.
import type { Call } from "../log/call.js";
import type { ConsumeAsk } from "../workloads/tokens.js";
import { groupBy, outcomeOf, type Verdict, type Violation } from "./violation.js";

const ONE =
  "Tokens: until the token expires, at most one request is ever told consumed, and it is told so again when it asks again; others get used.";
const WRONG = "Tokens: a wrong subject is told invalid, and burns nothing.";
const VALID = "Tokens: a token that was issued is valid for its subject until it expires.";

/** Well within the 5 minutes that a token is valid. */
const SURELY_VALID_MS = 200_000;

/** @param clockJumps - whether the store's clock was moved, so that a token may end early. */
export function judgeTokens(calls: readonly Call[], clockJumps: boolean): Verdict {
  const violations: Violation[] = [];
  const asked = calls.filter(({ to, ended }) => to === "consume" && ended === "told");
  const issuedAt = new Map(
    calls.filter(({ to }) => to === "issue").map((call) => [call.answer, call.askedAt]),
  );
  const byToken = groupBy(asked, ({ ask }) => (ask as ConsumeAsk).token);
  let consumed = 0;
  for (const [token, group] of byToken) {
    const short = `${token.slice(0, 12)}…`;
    const winners = new Map<string, number>();
    for (const { ask, answer, by, endedAt = 0, askedAt } of group) {
      const { requestId, wrong } = ask as ConsumeAsk;
      const outcome = outcomeOf(answer);
      if (wrong && (outcome === "consumed" || outcome === "used" || outcome === "expired")) {
        violations.push({ guarantee: WRONG, detail: `${by} was told ${outcome} for ${short}` });
      }
      if (wrong) continue;
      if (outcome === "consumed") winners.set(requestId, winners.get(requestId) ?? endedAt);
      const fresh = askedAt - (issuedAt.get(token) ?? 0) < SURELY_VALID_MS * 1e6;
      if ((outcome === "invalid" || outcome === "expired") && fresh && !clockJumps) {
        violations.push({ guarantee: VALID, detail: `${by} was told ${outcome} of ${short}` });
      }
    }
    consumed += winners.size > 0 ? 1 : 0;
    if (winners.size > 1) {
      const detail = `${short} was consumed by ${[...winners.keys()].join(" and ")}`;
      violations.push({ guarantee: ONE, detail });
    }
    for (const { ask, answer, askedAt } of group) {
      const { requestId } = ask as ConsumeAsk;
      const won = winners.get(requestId);
      if (won !== undefined && askedAt > won && outcomeOf(answer) === "used") {
        const detail = `${requestId} was told consumed, and then used, of ${short}`;
        violations.push({ guarantee: ONE, detail });
      }
    }
  }
  return {
    violations,
    tallies: {
      tokensIssued: issuedAt.size,
      tokensConsumed: consumed,
      consumptionsAsked: asked.length,
      tokensContended: [...byToken.values()].filter(
        (group) => new Set(group.map(({ ask }) => (ask as ConsumeAsk).requestId)).size > 1,
      ).length,
    },
  };
}
