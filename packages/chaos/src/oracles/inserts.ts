// Judges unique inserts by what each request was told, the last time without faults.
import type { Call } from "../log/call.js";
import type { InsertAsk } from "../workloads/inserts.js";
import { groupBy, outcomeOf, type Verdict, type Violation } from "./violation.js";

const ONE = "Unique insert: one value per key, all keys or none.";
const CREATOR = "Unique insert: the creator is always recognised.";

export function judgeInserts(calls: readonly Call[]): Verdict {
  const asked = calls.filter(({ to }) => to === "insert");
  const violations: Violation[] = [];
  const owners = new Map<string, string>();
  let created = 0;
  const byRequest = groupBy(asked, ({ ask }) => (ask as InsertAsk).requestId);
  for (const [requestId, group] of byRequest) {
    const told = group.map(({ answer }) => outcomeOf(answer));
    const news = told.filter((outcome) => outcome === "created").length;
    const own = told.some((outcome) => outcome === "created" || outcome === "replayed");
    // Nothing is ever removed, so a conflict is for good.
    const other = told.some(isOthers);
    if (news > 1 || (own && other)) {
      violations.push({ guarantee: CREATOR, detail: `${requestId} was told ${told.join(", ")}` });
    }
    if (!own) continue;
    created += 1;
    const { email, number } = (group[0] as Call & { ask: InsertAsk }).ask.keys;
    for (const key of [`email ${email}`, `number ${number}`]) {
      const owner = owners.get(key);
      if (owner !== undefined) {
        violations.push({ guarantee: ONE, detail: `${key} is of ${owner} and of ${requestId}` });
      }
      owners.set(key, requestId);
    }
  }
  return { violations, tallies: { insertsAsked: asked.length, inserted: created } };
}

const isOthers = (outcome: string | undefined): boolean =>
  outcome === "exists" || outcome === "conflict";
