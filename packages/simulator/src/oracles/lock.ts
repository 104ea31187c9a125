// What locks promise: tokens that order holders, and sinks that no older holder reaches after a
// newer one. Leases are judged in lock-leases.ts.

import { acceptedBy, operationsOf, returnedBy, spansOf } from "../scenarios/recorded.js";
import type { Guarantee } from "../scenarios/scenario.js";
import type { Effect, History } from "../world/history.js";
import { firstOf, groupBy, lastAsked, lastSeen, ms, named, precedes, told } from "./judge.js";
import { type Holding, holdings } from "./lock-holdings.js";

export { lockLeaseRespected, lockLostStaysLost, lockViewWithinLease } from "./lock-leases.js";
export { lockReleaseIsHonest } from "./lock-release.js";

const FENCED_SINK =
  "A sink that checks the token in the same atomic step as its effect never accepts an older holder after a newer one.";
const TOKENS = "Tokens strictly increase from holder to holder and stay the same through renewals.";
const EXCLUSION =
  "Mutual exclusion towards a sink that checks nothing holds only while pauses and clock drift stay inside the margin, the store's clock does not jump ahead by more, what the holder has sent reaches the sink within it, and no machine is suspended while its wall clock is set back.";

/** The first of two calls that was answered before the other was asked, and what they clash in. */
function disorder(
  held: readonly Holding[],
  inOrder: (older: Holding, newer: Holding) => boolean,
): readonly [Holding, Holding] | undefined {
  const byEnd = [...held].sort((a, b) => (a.call.endedUs ?? 0) - (b.call.endedUs ?? 0));
  const byStart = [...held].sort((a, b) => a.call.beganUs - b.call.beganUs);
  let next = 0;
  let highest: Holding | undefined;
  for (const newer of byStart) {
    for (
      let older = byEnd[next];
      older && precedes(older.call, newer.call);
      older = byEnd[++next]
    ) {
      if (highest === undefined || older.token > highest.token) highest = older;
    }
    if (highest !== undefined && !inOrder(highest, newer)) return [highest, newer];
  }
  return undefined;
}

/** Who acquires after another was told its token has a higher one; no two share one. */
export const lockTokensIncrease: Guarantee = {
  id: "lock/tokens-increase",
  sentence: TOKENS,
  judge: (history) =>
    firstOf(holdings(history), ([key, held]) => {
      const pair = disorder(held, (older, newer) => older.token < newer.token) ?? shared(held);
      if (pair === undefined) return undefined;
      const [older, newer] = pair.map(({ call, token }) => `${named(call)} has ${token}`);
      return `fencing tokens of "${key}" do not increase: ${older}, ${newer}`;
    }),
};

function shared(held: readonly Holding[]): readonly [Holding, Holding] | undefined {
  const first = new Map<number, Holding>();
  for (const each of held) {
    const other = first.get(each.token);
    if (other !== undefined) return [other, each];
    first.set(each.token, each);
  }
  return undefined;
}

/** The tokens that the holders use are those that they were told when they acquired. */
export const lockTokenConstant: Guarantee = {
  id: "lock/token-constant",
  sentence: TOKENS,
  judge(history) {
    const known = new Map<string, number>();
    for (const held of holdings(history).values()) {
      for (const { key, token, call } of held) {
        known.set(`${key}\n${token}\n${call.by}`, call.beganUs);
      }
    }
    const isTold = (key: string, token: number, by: string, atUs: number): boolean =>
      (known.get(`${key}\n${token}\n${by}`) ?? Number.POSITIVE_INFINITY) <= atUs;
    for (const method of ["lock.extend", "lock.release"] as const) {
      for (const call of operationsOf(history, method)) {
        if (isTold(call.key, call.input.token, call.by, call.beganUs)) continue;
        return `${named(call)} has the token ${call.input.token}, which no acquisition gave to ${call.by}`;
      }
    }
    return firstOf(history.effects, ({ sink, key, by, atUs, fencingToken }) => {
      if ((sink !== "disk" && sink !== "printer") || fencingToken === undefined) return undefined;
      if (isTold(key, fencingToken, by, atUs)) return undefined;
      return `${by} wrote to the ${sink} "${key}" at ${ms(atUs)} with the token ${fencingToken}, which no acquisition gave to it`;
    });
  },
};

function writesTo(history: History, sink: string): Map<string, Effect[]> {
  const writes = [...acceptedBy(history, sink)].sort((a, b) => a.atUs - b.atUs || a.id - b.id);
  return groupBy(writes, ({ key }) => key);
}

/** Two accepted writes of which the later one has an older token. */
function backwards(writes: readonly Effect[]): readonly [Effect, Effect] | undefined {
  let newest: Effect | undefined;
  for (const write of writes) {
    if (write.fencingToken === undefined) continue;
    const newestToken = newest?.fencingToken ?? Number.NEGATIVE_INFINITY;
    if (newest !== undefined && write.fencingToken < newestToken) return [newest, write];
    if (write.fencingToken > newestToken) newest = write;
  }
  return undefined;
}

/** Two accepted writes of which the later one's holder had been told before the other's asked. */
function outlived(
  writes: readonly Effect[],
  held: readonly Holding[],
): readonly [Effect, Effect] | undefined {
  const holders = new Map(held.map((each) => [`${each.token}\n${each.call.by}`, each.call]));
  const holderOf = ({ fencingToken, by }: Effect): Holding["call"] | undefined =>
    holders.get(`${fencingToken}\n${by}`);
  let newest: Effect | undefined;
  let newestBeganUs = Number.NEGATIVE_INFINITY;
  for (const write of writes) {
    const holder = holderOf(write);
    if (holder === undefined) continue;
    const endedUs = holder.endedUs ?? Number.POSITIVE_INFINITY;
    if (newest !== undefined && endedUs < newestBeganUs) return [newest, write];
    if (holder.beganUs > newestBeganUs) [newest, newestBeganUs] = [write, holder.beganUs];
  }
  return undefined;
}

function writeInWords({ by, atUs, fencingToken }: Effect): string {
  return `${by} at ${ms(atUs)} with token ${fencingToken}`;
}

/** The disk takes no write of an older holder after one of a newer. */
export const lockFencedSink: Guarantee = {
  id: "lock/fenced-sink",
  sentence: FENCED_SINK,
  judge(history) {
    const held = holdings(history);
    return firstOf(writesTo(history, "disk"), ([key, writes]) => {
      const pair = backwards(writes) ?? outlived(writes, held.get(key) ?? []);
      if (pair === undefined) return undefined;
      return `the disk "${key}" accepted an older holder after a newer one: ${writeInWords(pair[0])}, then ${writeInWords(pair[1])}`;
    });
  },
};

/** The printer, which checks nothing, sees one holder after the other. Lost under pauses. */
export const lockNaiveExclusion: Guarantee = {
  id: "lock/naive-exclusion",
  sentence: EXCLUSION,
  judge(history) {
    const held = holdings(history);
    return firstOf(writesTo(history, "printer"), ([key, writes]) => {
      const pair = backwards(writes) ?? outlived(writes, held.get(key) ?? []);
      if (pair === undefined) return undefined;
      return `the printer "${key}" saw an older holder after a newer one: ${writeInWords(pair[0])}, then ${writeInWords(pair[1])}`;
    });
  },
};

/** No two nodes believe at one time to hold one lock. Lost under pauses. */
export const lockMutualExclusion: Guarantee = {
  id: "lock/mutual-exclusion",
  sentence: EXCLUSION,
  judge(history) {
    const seen = lastSeen(history);
    return firstOf(
      groupBy(spansOf(history, "holds"), ({ key }) => key),
      ([key, spans]) => {
        const views = spans
          .map((span) => {
            const alive = Math.max(span.fromUs, seen(span.by, span.life));
            return { endUs: span.untilUs ?? alive, ...span };
          })
          .sort((a, b) => a.fromUs - b.fromUs || a.id - b.id);
        let longest = views[0];
        for (const view of views.slice(1)) {
          if (longest !== undefined && view.fromUs < longest.endUs) {
            return `${longest.by} (token ${longest.fencingToken}, from ${ms(longest.fromUs)} to ${ms(longest.endUs)}) and ${view.by} (token ${view.fencingToken}, from ${ms(view.fromUs)}) both held "${key}"`;
          }
          longest = view;
        }
        return undefined;
      },
    );
  },
};

/** Without faults, the lock can be acquired again. */
export const lockSettles: Guarantee = {
  id: "lock/settles",
  sentence:
    "Relative to that clock an entry is never gone before `expiresAt` and never seen at or after it.",
  judge(history) {
    if (history.healedUs === undefined) return undefined;
    const asked = lastAsked(operationsOf(history, "lock.acquire"), ({ key }) => key);
    const open = asked.find((call) => returnedBy<"lock.acquire">(call)?.outcome !== "acquired");
    if (open === undefined) return undefined;
    return `"${open.key}" cannot be acquired, though faults ended at ${ms(history.healedUs)}: ${named(open)} was told ${told(open)}`;
  },
};
