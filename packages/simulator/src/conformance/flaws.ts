// The flaws that need more than a line: each makes the wrapper of one broken store.

import type {
  AtomicStore,
  Entry,
  MultiKeyStore,
  Observation,
  WriteAll,
  WriteResult,
} from "@onceproof/core/advanced";
import { admits, answers, type Break, force, members, replies, requests } from "./breakage.js";

function refusal({ entry, revision, now }: Observation): WriteResult {
  return {
    outcome: "refused",
    ...(entry === undefined ? undefined : { entry }),
    ...(revision === undefined ? undefined : { revision }),
    now,
  };
}

function shifted(entry: Entry, byUs: number): Entry {
  return entry.expiresAt === undefined ? entry : { ...entry, expiresAt: entry.expiresAt + byUs };
}

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
      write: async (write: Parameters<AtomicStore["write"]>[0]) => {
        const { key, expect } = write;
        const offset = offsets.get(key) ?? 0;
        const sent =
          typeof expect === "object" && "revision" in expect
            ? { ...write, expect: { ...expect, revision: expect.revision + offset } }
            : write;
        const result = await store.write(sent as typeof write);
        const reply = tell(key, result);
        if (result.outcome === "applied" && write.next === "removed") {
          offsets.set(key, result.revision - 1);
        }
        return reply;
      },
    };
  });
}

/** Reads lag one write behind, as from a replica. */
export function readsStale(): Break {
  const before = new Map<string, Observation>();
  return members((store) => ({
    read: async (key: string) => before.get(key) ?? store.read(key),
    write: async (write: Parameters<AtomicStore["write"]>[0]) => {
      before.set(write.key, await store.read(write.key));
      return store.write(write);
    },
  }));
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

/** Several writes one after the other, until one is refused. */
export async function oneByOne(store: AtomicStore, { opId, writes }: WriteAll): Promise<unknown> {
  const revisions: number[] = [];
  let now = 0;
  for (const [index, write] of writes.entries()) {
    const result = await store.write({ ...write, opId } as Parameters<AtomicStore["write"]>[0]);
    if (result.outcome !== "applied") {
      return { ...result, index };
    }
    revisions.push(result.revision);
    now = result.now;
  }
  return { outcome: "applied", revisions, now, replayed: false };
}

/** A sweep that takes whatever it finds. */
export function sweepsLive(): Break {
  const keys = new Set<string>();
  return members((store) => ({
    write: (write: Parameters<AtomicStore["write"]>[0]) => {
      keys.add(write.key);
      return store.write(write);
    },
    sweep: async ({ limit }: { readonly limit: number }) => {
      let freed = 0;
      for (const key of [...keys].slice(0, limit)) {
        const { entry } = await store.read(key);
        if (entry !== undefined) {
          const opId = `swept${String(freed).padStart(16, "0")}A`;
          await store.write({ key, opId, expect: entry.stamp, next: "removed" });
          freed += 1;
        }
      }
      return freed;
    },
  }));
}

/** A stamp is judged by its revision. */
export function comparesRevisionsOnly(): Break {
  return members((store) => ({
    write: async (write: Parameters<AtomicStore["write"]>[0]) => {
      const { expect } = write;
      if (typeof expect !== "object" || !("revision" in expect)) {
        return store.write(write);
      }
      const { stamp } = (await store.read(write.key)).entry ?? {};
      return store.write(stamp?.revision === expect.revision ? { ...write, expect: stamp } : write);
    },
  }));
}

/** Entries live a second longer than they are told to. */
export function showsExpired(): Break {
  return (store) =>
    replies((reply) => {
      const copy = { ...reply } as typeof reply & { entry?: Entry; expiresAt?: number };
      if (copy.entry !== undefined) {
        copy.entry = shifted(copy.entry, -1_000_000);
      }
      if (copy.expiresAt !== undefined) {
        copy.expiresAt -= 1_000_000;
      }
      return copy;
    })(
      requests((write) => {
        const { next } = write;
        return next !== "removed" && typeof next.ttlMs === "number"
          ? ({ ...write, next: { ...next, ttlMs: next.ttlMs + 1_000 } } as typeof write)
          : write;
      })(store),
    );
}

/** A writeAll is a replay only if its first key bears the opId. */
export function recognisesFirstKeyOnly(): Break {
  return members((store) => ({
    writeAll: async (all: WriteAll) => {
      const result = await (store as MultiKeyStore).writeAll(all);
      const first = result.outcome === "applied" && result.replayed && result.revisions[0];
      return first === 0
        ? { ...refusal(await store.read(all.writes[0]?.key ?? "")), index: 0 }
        : result;
    },
  }));
}

/** Times to live above a second lose their fraction. */
export function roundsDownToSeconds(): Break {
  return requests((write) => {
    const { next } = write;
    if (next === "removed" || typeof next.ttlMs !== "number" || !(next.ttlMs > 1_000)) {
      return write;
    }
    const ttlMs = Math.floor(next.ttlMs / 1_000) * 1_000;
    return { ...write, next: { ...next, ttlMs } } as typeof write;
  });
}

/** Judges a read, and then writes whatever is there by now. */
export function readsThenWrites(): Break {
  return members((store) => ({
    write: async (write: Parameters<AtomicStore["write"]>[0]) => {
      const observation = await store.read(write.key);
      return admits(observation, write) ? force(store, write) : store.write(write);
    },
  }));
}
