// Judges locks by their tokens: from holder to holder they increase, in the order of real time, and
// a sink that checks them has seen no older one after a newer one.
import type { Call, SinkLine } from "../log/call.js";
import type { LockAsk } from "../workloads/locks.js";
import { groupBy, type Verdict, type Violation } from "./violation.js";

const FENCED =
  "Lock: a sink that checks the token in the same atomic step as its effect never accepts an older holder after a newer one.";
const INCREASE = "Lock: tokens strictly increase from holder to holder.";

interface Holding {
  readonly by: string;
  readonly token: number;
  readonly askedAt: number;
  readonly toldAt: number;
}

export function judgeLocks(calls: readonly Call[], sink: readonly SinkLine[]): Verdict {
  const violations: Violation[] = [];
  const uses = sink.filter((line) => line.e === "fenced");
  for (const [resource, group] of groupBy(uses, (line) => line.resource)) {
    let newest = 0;
    for (const { token, by, accepted } of group) {
      if (accepted && token < newest) {
        const detail = `${resource}: token ${token} of ${by} after ${newest}`;
        violations.push({ guarantee: FENCED, detail });
      }
      newest = Math.max(newest, token);
    }
  }
  const asked = calls.filter(({ to }) => to === "lock");
  let acquired = 0;
  for (const [resource, group] of groupBy(asked, ({ ask }) => (ask as LockAsk).resource)) {
    const holdings = group.flatMap(holdingOf);
    acquired += holdings.length;
    violations.push(...judgeOrder(resource, holdings));
  }
  return {
    violations,
    tallies: {
      locksAcquired: acquired,
      fencedUses: uses.length,
      staleUsesRefused: uses.filter(({ accepted }) => !accepted).length,
    },
  };
}

function holdingOf({ by, answer, askedAt, endedAt }: Call): Holding[] {
  const { outcome, token } = (answer ?? {}) as {
    readonly outcome?: string;
    readonly token?: number;
  };
  return outcome === "acquired" && token !== undefined && endedAt !== undefined
    ? [{ by, token, askedAt, toldAt: endedAt }]
    : [];
}

/** Whoever asked after another was told holds the greater token; no two hold the same. */
function judgeOrder(resource: string, holdings: readonly Holding[]): Violation[] {
  const violations: Violation[] = [];
  const fail = (one: Holding, other: Holding): void => {
    const detail = `${resource}: ${one.by} holds ${one.token}, then ${other.by} ${other.token}`;
    violations.push({ guarantee: INCREASE, detail });
  };
  const byToken = new Map<number, Holding>();
  for (const holding of holdings) {
    const same = byToken.get(holding.token);
    if (same !== undefined) fail(same, holding);
    byToken.set(holding.token, holding);
  }
  const byTold = [...holdings].sort((a, b) => a.toldAt - b.toldAt);
  const byAsked = [...holdings].sort((a, b) => a.askedAt - b.askedAt);
  let greatest: Holding | undefined;
  let next = 0;
  for (const holding of byAsked) {
    for (; next < byTold.length; next += 1) {
      const told = byTold[next] as Holding;
      if (told.toldAt >= holding.askedAt) break;
      if (greatest === undefined || told.token > greatest.token) greatest = told;
    }
    if (greatest !== undefined && greatest.token > holding.token) fail(greatest, holding);
  }
  return violations;
}
