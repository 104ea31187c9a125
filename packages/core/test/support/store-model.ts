// The contract's clauses S0 to S5, written down once more and as naively as they read, to compare
// the memory store with. It keeps everything; where the clauses leave a choice (a key that was
// forgotten before the clock stepped back) it names both answers.

import type {
  Observation,
  Write,
  WriteAll,
  WriteAllResult,
  WriteResult,
} from "@onceproof/core/advanced";

interface Latest {
  readonly value: string | undefined;
  readonly revision: number;
  readonly opId: string;
  readonly writtenAt: number;
  readonly expiresAt: number | undefined;
  /** Whether the clock has passed the time until which it must be kept. */
  mayBeForgotten: boolean;
}

type State = ReadonlyMap<string, Latest>;

/** What a call sees, and what is left for later if it changes nothing. */
interface Sight {
  readonly seen: State;
  readonly left: State;
}

/** One answer that the clauses allow, and the state after it. */
export interface Possibility<R> {
  readonly answer: R;
  readonly state: State;
}

export class StoreModel {
  readonly #tombstoneUs: number;
  #state: State = new Map();

  constructor(tombstoneMs: number) {
    this.#tombstoneUs = tombstoneMs * 1000;
  }

  /** Every answer to a read that the clauses allow at this time. */
  read(key: string, now: number): Possibility<Observation>[] {
    return this.#sights([key], now).map(({ seen, left }) => {
      return { answer: observation(seen.get(key), now), state: left };
    });
  }

  /** Every answer to a write that the clauses allow at this time. */
  write(write: Write, now: number): Possibility<WriteResult>[] {
    return this.#sights([write.key], now).map(({ seen, left }) => {
      const latest = seen.get(write.key);
      if (latest?.opId === write.opId) {
        return { answer: applied(latest, now, true), state: left };
      }
      if (!applies(latest, write.expect, now)) {
        return { answer: { outcome: "refused", ...observation(latest, now) }, state: left };
      }
      const next = this.#next(latest, write, now);
      return { answer: applied(next, now, false), state: new Map(left).set(write.key, next) };
    });
  }

  /** Every answer to a writeAll that the clauses allow at this time. */
  writeAll({ opId, writes }: WriteAll, now: number): Possibility<WriteAllResult>[] {
    const keys = writes.map(({ key }) => key);
    return this.#sights(keys, now).map(({ seen, left }) => {
      const latest = keys.map((key) => seen.get(key));
      if (latest.some((one) => one?.opId === opId)) {
        const revisions = latest.map((one) => (one?.opId === opId ? one.revision : 0));
        return { answer: { outcome: "applied", revisions, now, replayed: true }, state: left };
      }
      const index = writes.findIndex(({ expect }, at) => !applies(latest[at], expect, now));
      if (index >= 0) {
        const answer = { outcome: "refused", ...observation(latest[index], now), index } as const;
        return { answer, state: left };
      }
      const after = new Map(left);
      const revisions = writes.map((write, at) => {
        const next = this.#next(latest[at], { ...write, opId } as Write, now);
        after.set(write.key, next);
        return next.revision;
      });
      return { answer: { outcome: "applied", revisions, now, replayed: false }, state: after };
    });
  }

  /** Goes on from the possibility that was observed. */
  goOn(state: State, now: number): void {
    this.#state = state;
    this.tick(now);
  }

  /** Notes that the store may have looked at its clock and forgotten what is due. */
  tick(now: number): void {
    for (const latest of this.#state.values()) {
      if (now > this.#keptUntil(latest)) {
        latest.mayBeForgotten = true;
      }
    }
  }

  /** S3: kept until the clock passes max(expiresAt, max(writtenAt, revision) + tombstone). */
  #keptUntil({ value, writtenAt, revision, expiresAt }: Latest): number {
    if (value !== undefined && expiresAt === undefined) {
      return Number.POSITIVE_INFINITY;
    }
    return Math.max(expiresAt ?? 0, Math.max(writtenAt, revision) + this.#tombstoneUs);
  }

  /** What a call to these keys may see. */
  #sights(keys: readonly string[], now: number): Sight[] {
    let sights: Sight[] = [{ seen: this.#state, left: this.#state }];
    for (const key of keys) {
      const latest = this.#state.get(key);
      if (latest !== undefined && now > this.#keptUntil(latest)) {
        // Forgotten now; if the clock steps back before it was swept, it is there again.
        sights = sights.map(({ seen, left }) => ({ seen: without(seen, key), left }));
      } else if (latest?.mayBeForgotten) {
        sights = sights.flatMap((sight) => [
          sight,
          { seen: without(sight.seen, key), left: without(sight.left, key) },
        ]);
      }
    }
    return sights;
  }

  #next(latest: Latest | undefined, { opId, next }: Write, now: number): Latest {
    const revision = Math.max((latest?.revision ?? 0) + 1, now);
    const base = { revision, opId, writtenAt: now, mayBeForgotten: false };
    if (next === "removed") {
      return { ...base, value: undefined, expiresAt: undefined };
    }
    const value = "touch" in next ? latest?.value : next.value;
    const { ttlMs } = next;
    if (ttlMs === "keep") {
      return { ...base, value, expiresAt: latest?.expiresAt };
    }
    const expiresAt = ttlMs === "never" ? undefined : now + Math.ceil(ttlMs * 1000);
    return { ...base, value, expiresAt };
  }
}

function without(state: State, key: string): State {
  return new Map([...state].filter(([other]) => other !== key));
}

function isLive(latest: Latest | undefined, now: number): latest is Latest & { value: string } {
  return latest?.value !== undefined && (latest.expiresAt === undefined || now < latest.expiresAt);
}

/** S0. */
function applies(latest: Latest | undefined, expected: Write["expect"], now: number): boolean {
  if (expected === "absent") {
    return !isLive(latest, now);
  }
  if ("absentSince" in expected) {
    return !isLive(latest, now) && (latest?.revision ?? 0) <= expected.absentSince;
  }
  const { revision, opId } = expected;
  return isLive(latest, now) && latest.revision === revision && latest.opId === opId;
}

function observation(latest: Latest | undefined, now: number): Observation {
  if (latest === undefined) {
    return { now };
  }
  const { revision, opId, writtenAt, expiresAt } = latest;
  if (!isLive(latest, now)) {
    return { revision, now };
  }
  const entry = { value: latest.value, stamp: { revision, opId }, writtenAt };
  return {
    entry: expiresAt === undefined ? entry : { ...entry, expiresAt },
    revision,
    now,
  };
}

function applied(latest: Latest, now: number, replayed: boolean): WriteResult {
  const { revision, writtenAt, expiresAt } = latest;
  const answer = { outcome: "applied", revision, writtenAt, now, replayed } as const;
  return expiresAt === undefined ? answer : { ...answer, expiresAt };
}
