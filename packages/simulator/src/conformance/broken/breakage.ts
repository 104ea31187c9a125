// How a correct store is broken on purpose: its requests or its replies are rewritten on the way.

import type {
  AtomicStore,
  MultiKeyStore,
  Observation,
  Ttl,
  Write,
  WriteAll,
  WriteAllResult,
  WriteResult,
  WriteWithoutOpId,
} from "@onceproof/core/advanced";
import { overlay } from "../../overlay.js";

/**
 * Breaks one client; optional capabilities stay. The client of another namespace comes with what
 * that namespace's name has beyond the name of the first; one that was made after a restart says so.
 */
export type Break = <S extends AtomicStore>(
  store: S,
  namespaceTail?: string,
  afterRestart?: boolean,
) => S;

type Members = Partial<MultiKeyStore>;

/** Replaces members of each client; they may share state of one data set through the closure. */
export function members(replace: (store: AtomicStore) => object): Break {
  return (store) => overlay(store, replace(store));
}

/** Breaks only the clients that are made after a restart. */
export function afterRestart(breaks: Break): Break {
  return (store, namespaceTail, restarted) =>
    restarted === true ? breaks(store, namespaceTail) : store;
}

/** Rewrites each of several writes on its way to the store; single ones stay as they are. */
export function among(map: <W extends WriteWithoutOpId>(write: W) => W): Break {
  return members((store) => ({
    writeAll: (all: WriteAll) =>
      (store as MultiKeyStore).writeAll({ ...all, writes: all.writes.map(map) }),
  }));
}

/** The write with the time to live that becomes of its own; what has none stays as it is. */
export function withTtl<W extends WriteWithoutOpId>(write: W, map: (ttlMs: number) => Ttl): W {
  const { next } = write;
  // What is no time to live has to reach the store, which refuses it.
  return next !== "removed" && typeof next.ttlMs === "number" && next.ttlMs > 0
    ? ({ ...write, next: { ...next, ttlMs: map(next.ttlMs) } } as W)
    : write;
}

/** The write with the value that becomes of its own; what has none stays as it is. */
export function withValue<W extends WriteWithoutOpId>(write: W, map: (value: string) => string): W {
  const { next } = write;
  return next === "removed" || "touch" in next || typeof next.value !== "string"
    ? write
    : ({ ...write, next: { ...next, value: map(next.value) } } as W);
}

/** Sends other keys than it was given. */
export function withKeys(map: (key: string) => string): Break {
  // What is no string has to reach the store, which refuses it.
  const mapped = (key: string): string => (typeof key === "string" ? map(key) : key);
  return requests((write) => ({ ...write, key: mapped(write.key) }), mapped);
}

/** Sends other values than it was given. */
export function withValues(map: (value: string) => string): Break {
  return requests((write) => withValue(write, map));
}

/** Rewrites each write, alone or among several, on its way to the store. */
export function requests(
  map: <W extends WriteWithoutOpId>(write: W) => W,
  mapKey: (key: string) => string = (key) => key,
): Break {
  return members((store) => ({
    read: (key: string) => store.read(mapKey(key)),
    write: (write: Write) => store.write(map(write)),
    writeAll: ({ opId, writes }: WriteAll) =>
      (store as MultiKeyStore).writeAll({ opId, writes: writes.map(map) }),
  }));
}

/** Rewrites each answer to a write. */
export function answers(
  map: (
    result: WriteResult,
    write: Write,
    store: AtomicStore,
  ) => WriteResult | Promise<WriteResult>,
): Break {
  return members((store) => ({
    write: async (write: Write) => map(await store.write(write), write, store),
  }));
}

/** Rewrites each reply that carries times or an entry, whatever the call. */
export function replies(
  map: <R extends Observation | WriteResult | WriteAllResult>(reply: R) => R,
): Break {
  return members(
    (store): Members => ({
      read: async (key) => map(await store.read(key)),
      write: async (write) => map(await store.write(write)),
      writeAll: async (all) => map(await (store as MultiKeyStore).writeAll(all)),
    }),
  );
}

/** Whether a state would admit a write; what a store without an atomic step asks first. */
export function admits({ entry, revision = 0 }: Observation, { expect }: Write): boolean {
  if (expect === "absent") {
    return entry === undefined;
  }
  if ("absentSince" in expect) {
    return entry === undefined && revision <= expect.absentSince;
  }
  const { stamp } = entry ?? {};
  return stamp?.revision === expect.revision && stamp.opId === expect.opId;
}

/** What an observation says, as a refusal. */
export function refusal({ entry, revision, now }: Observation): WriteResult {
  return {
    outcome: "refused",
    ...(entry === undefined ? undefined : { entry }),
    ...(revision === undefined ? undefined : { revision }),
    now,
  };
}

/** Applies a write whatever is there, as a store with a blind `set` and `delete` does. */
export async function force(store: AtomicStore, write: Write): Promise<WriteResult> {
  for (let forced: Write | undefined = write; ; ) {
    const result: WriteResult = await store.write(forced);
    if (result.outcome !== "refused") {
      return result;
    }
    const { entry } = result;
    const next = entry === undefined ? asCreate(write) : { ...write, expect: entry.stamp };
    if (next === undefined) {
      return result;
    }
    forced = next as Write;
  }
}

function asCreate({ key, opId, next }: Write): Write | undefined {
  if (next === "removed" || "touch" in next || next.ttlMs === "keep") {
    return undefined;
  }
  return { key, opId, expect: "absent", next: { value: next.value, ttlMs: next.ttlMs } };
}
