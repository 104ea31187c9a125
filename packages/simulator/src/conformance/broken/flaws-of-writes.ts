// The flaws in what writes and reads mean that need more than a line: each makes the wrapper of one
// broken store.

import type {
  Applied,
  Entry,
  Observation,
  Refused,
  Write,
  WriteResult,
} from "@onceproof/core/advanced";
import { admits, answers, type Break, force, members, refusal } from "./breakage.js";

/** Answers replays (all, or removals only) as if the opId had never been seen. */
export function forgetsOpIds(onlyRemovals: boolean): Break {
  return answers(async (result, write, store) => {
    const replayed = result.outcome === "applied" && result.replayed;
    const forgotten = replayed && (!onlyRemovals || write.next === "removed");
    return forgotten ? refusal(await store.read(write.key)) : result;
  });
}

/** Revisions of each life of a key start again near 1. */
export function restartsRevisions(): Break {
  const offsets = new Map<string, number>();
  const removed = new Set<string>();
  return members((store) => {
    const told = (key: string, revision: number): number => revision - (offsets.get(key) ?? 0);
    const tell = <R extends Observation | WriteResult>(key: string, reply: R): R => {
      const copy = { ...reply } as R & { revision?: number; entry?: Entry };
      if (copy.revision !== undefined) {
        copy.revision = told(key, copy.revision);
      }
      if (copy.entry !== undefined) {
        const { stamp } = copy.entry;
        const revision = told(key, stamp.revision);
        copy.entry = { ...copy.entry, stamp: { ...stamp, revision } };
      }
      return copy;
    };
    return {
      read: async (key: string) => tell(key, await store.read(key)),
      write: async (write: Write) => {
        const { key, expect } = write;
        const offset = offsets.get(key) ?? 0;
        const sent =
          typeof expect === "object" && "revision" in expect
            ? { ...write, expect: { ...expect, revision: expect.revision + offset } }
            : write;
        const result = await store.write(sent as typeof write);
        if (result.outcome === "applied" && !result.replayed) {
          if (removed.delete(key)) {
            offsets.set(key, result.revision - 1);
          }
          if (write.next === "removed") {
            removed.add(key);
          }
        }
        return tell(key, result);
      },
    };
  });
}

/** A client's read shows, once, what it had read before another client's write. */
export function readsStale(): Break {
  return members((store) => {
    const before = new Map<string, Observation>();
    return {
      read: async (key: string) => {
        const observation = await store.read(key);
        const earlier = before.get(key) ?? observation;
        before.set(key, observation);
        return earlier.revision === observation.revision ? observation : earlier;
      },
      write: (write: Write) => {
        before.delete(write.key);
        return store.write(write);
      },
    };
  });
}

/** Each refusal carries what was there when the key refused first. */
export function refusesStale(): Break {
  const first = new Map<string, WriteResult>();
  return answers((result, { key }) => {
    if (result.outcome !== "refused") {
      return result;
    }
    const stale = first.get(key) ?? result;
    first.set(key, stale);
    return stale;
  });
}

/** A stamp is judged by its revision. */
export function comparesRevisionsOnly(): Break {
  return answers((result, write, store) => {
    const { expect } = write;
    const stamped = expect !== "absent" && "revision" in expect;
    const revision = result.outcome === "refused" ? result.entry?.stamp.revision : undefined;
    return stamped && revision === expect.revision ? force(store, write) : result;
  });
}

/** A stamp's opId is compared as a collation does that ignores case. */
export function foldsOpIdsOfStamps(): Break {
  return answers((result, write, store) => {
    const { expect } = write;
    const stamp = result.outcome === "refused" ? result.entry?.stamp : undefined;
    const fits =
      expect !== "absent" &&
      "opId" in expect &&
      stamp?.revision === expect.revision &&
      stamp.opId.toLowerCase() === expect.opId.toLowerCase();
    return fits ? force(store, write) : result;
  });
}

/** So is the opId of a write, with that of the key's latest. */
export function foldsOpIdsOfReplays(): Break {
  return answers((result, { opId }) => {
    if (result.outcome !== "refused" || result.entry === undefined) {
      return result;
    }
    const { stamp, writtenAt, expiresAt } = result.entry;
    const { now } = result;
    return stamp.opId.toLowerCase() === opId.toLowerCase()
      ? {
          outcome: "applied",
          revision: stamp.revision,
          writtenAt,
          ...(expiresAt === undefined ? undefined : { expiresAt }),
          now,
          replayed: true,
        }
      : result;
  });
}

/** Nothing changes where the value is the same, and what changed nothing counts as refused. */
export function refusesEqualValues(): Break {
  const values = new Map<string, string>();
  return members((store) => ({
    write: async (write: Write) => {
      const { key, expect, next } = write;
      const value = next !== "removed" && "value" in next ? next.value : undefined;
      if (
        expect !== "absent" &&
        "opId" in expect &&
        value === values.get(key) &&
        value !== undefined
      ) {
        const observation = await store.read(key);
        if (admits(observation, write)) {
          return refusal(observation);
        }
      }
      const result = await store.write(write);
      if (result.outcome === "applied" && value !== undefined) {
        values.set(key, value);
      }
      return result;
    },
  }));
}

/** A tombstone ends when the entry that it replaced would have. */
export function keepsOldEnds(): Break {
  const lives = new Map<string, number | undefined>();
  const ends = new Map<string, number | undefined>();
  return members((store) => ({
    read: async (key: string) => {
      const { revision, ...rest } = await store.read(key);
      const forgotten = rest.entry === undefined && rest.now >= (ends.get(key) ?? Infinity);
      return forgotten || revision === undefined ? rest : { ...rest, revision };
    },
    write: async (write: Write) => {
      const result = await store.write(write);
      const { key, next } = write;
      if (result.outcome === "applied" && !result.replayed) {
        ends.set(key, next === "removed" ? lives.get(key) : undefined);
        lives.set(key, result.expiresAt);
      }
      return result;
    },
  }));
}

/** Reads show an entry for a second longer than it lives, as by a clock that is behind. */
export function showsExpired(): Break {
  const latest = new Map<string, Entry>();
  return members((store) => ({
    read: async (key: string) => {
      const observation = await store.read(key);
      const { entry, now } = observation;
      const { expiresAt = 0 } = latest.get(key) ?? {};
      const over = entry === undefined && expiresAt <= now && now < expiresAt + 1_000_000;
      return over ? { ...observation, entry: latest.get(key) } : observation;
    },
    write: async (write: Write) => {
      const result = await store.write(write);
      if (result.outcome === "applied") {
        const { key, opId, next } = write;
        const { revision, writtenAt, expiresAt } = result;
        latest.delete(key);
        if (next !== "removed" && "value" in next && expiresAt !== undefined) {
          const stamp = { revision, opId };
          latest.set(key, { value: next.value, stamp, writtenAt, expiresAt });
        }
      }
      return result;
    },
  }));
}

/** Judges what was there when the call began, and then writes whatever is there by now. */
export function readsThenWrites(): Break {
  // Undefined for what may end by itself: of that, nothing is concluded.
  const latest = new Map<string, Observation | undefined>();
  return members((store) => ({
    write: async (write: Write) => {
      const { key } = write;
      const read = latest.has(key) ? latest.get(key) : { now: 0 };
      let result = await store.write(write);
      if (result.outcome === "refused" && read !== undefined && admits(read, write)) {
        result = await force(store, write);
      }
      if (result.outcome !== "unknown") {
        latest.set(key, seenIn(result, write));
      }
      return result;
    },
  }));
}

function seenIn(result: Applied | Refused, { opId, next }: Write): Observation | undefined {
  if (result.outcome === "refused") {
    return result.entry?.expiresAt === undefined ? result : undefined;
  }
  const { revision, writtenAt, expiresAt, now } = result;
  if (next === "removed") {
    return { revision, now };
  }
  const entry = { value: "", stamp: { revision, opId }, writtenAt };
  return expiresAt === undefined ? { entry, revision, now } : undefined;
}

/** The client's clock is ahead of the store's, and it judges by its own what has expired. */
export function judgesExpiryItself(aheadUs: number): Break {
  const expired = ({ entry, now }: Observation): boolean =>
    entry?.expiresAt !== undefined && now + aheadUs >= entry.expiresAt;
  return members((store) => ({
    read: async (key: string) => {
      const observation = await store.read(key);
      const { entry: _, ...rest } = observation;
      return expired(observation) ? rest : observation;
    },
    write: async (write: Write) => {
      const result = await store.write(write);
      const over = result.outcome === "refused" && expired(result);
      const create = write.expect === "absent" || "absentSince" in write.expect;
      return over && create ? force(store, write) : result;
    },
  }));
}

/** A refusal carries what a second statement reads, whatever that shows. */
export function refusesThenReads(): Break {
  return answers(async (result, { key }, store) =>
    result.outcome === "refused" ? refusal(await store.read(key)) : result,
  );
}
