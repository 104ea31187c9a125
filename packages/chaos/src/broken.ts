// Adapters and sinks broken on purpose, each as people really break them, to see that the judge
// notices. Not one of them is used by anything else.
import { randomBytes } from "node:crypto";
import type { AtomicStore, Observation } from "@onceproof/core/advanced";
import { brokenTransactions } from "./broken-transactions.js";

type Wrapper = (store: AtomicStore) => AtomicStore;

interface Broken {
  readonly name: string;
  readonly summary: string;
  readonly wrap: Wrapper;
}

const HANG_EVERY = 40;

function withWrite(store: AtomicStore, write: AtomicStore["write"]): AtomicStore {
  return {
    capabilities: store.capabilities,
    read: (key) => store.read(key),
    write,
    close: () => store.close(),
  };
}

const unknownAsRefused: Wrapper = (store) =>
  withWrite(store, async (write) => {
    const result = await store.write(write);
    if (result.outcome !== "unknown") return result;
    return { outcome: "refused", ...(await store.read(write.key)) };
  });

const newOpIdOnRetry: Wrapper = (store) =>
  withWrite(store, async (write) => {
    const result = await store.write(write);
    if (result.outcome !== "unknown") return result;
    return store.write({ ...write, opId: randomBytes(16).toString("base64url") });
  });

const unknownAsApplied: Wrapper = (store) =>
  withWrite(store, async (write) => {
    const result = await store.write(write);
    if (result.outcome !== "unknown") return result;
    const now = Date.now() * 1000;
    return { outcome: "applied", revision: now, writtenAt: now, now, replayed: false };
  });

const staleReads: Wrapper = (store) => {
  const cache = new Map<string, Observation>();
  return {
    capabilities: store.capabilities,
    async read(key) {
      const seen = cache.get(key) ?? (await store.read(key));
      cache.set(key, seen);
      if (cache.size > 20) cache.clear();
      return seen;
    },
    write: (write) => store.write(write),
    close: () => store.close(),
  };
};

const readThenWrite: Wrapper = (store) =>
  withWrite(store, async (write) => {
    const { entry } = await store.read(write.key);
    if (write.expect === "absent" || "absentSince" in write.expect || entry === undefined) {
      return store.write(write);
    }
    if (entry.stamp.opId !== write.expect.opId) return store.write(write);
    // Whoever wrote between the two is overwritten.
    await new Promise((resolve) => setTimeout(resolve, 2));
    const latest = (await store.read(write.key)).entry?.stamp ?? write.expect;
    return store.write({ ...write, expect: latest });
  });

const hangs: Wrapper = (store) => {
  let calls = 0;
  return withWrite(store, (write) => {
    calls += 1;
    return calls % HANG_EVERY === 0 ? new Promise(() => {}) : store.write(write);
  });
};

/** The broken adapters. */
export const brokenAdapters: readonly Broken[] = [
  {
    name: "unknown-as-refused",
    summary: "a write without an answer is told as refused",
    wrap: unknownAsRefused,
  },
  {
    name: "new-op-id",
    summary: "a write without an answer is sent again under another opId",
    wrap: newOpIdOnRetry,
  },
  {
    name: "unknown-as-applied",
    summary: "a write without an answer is told as applied",
    wrap: unknownAsApplied,
  },
  { name: "stale-reads", summary: "reads are answered from a cache", wrap: staleReads },
  {
    name: "read-then-write",
    summary: "a compare-and-set compares before it sets, in two steps",
    wrap: readThenWrite,
  },
  { name: "hangs", summary: "now and then a write never settles", wrap: hangs },
];

/** A sink that checks no token; the adapter is whole. */
export const UNFENCED = "unfenced-sink";

export const brokenNames: readonly string[] = [
  ...brokenAdapters.map(({ name }) => name),
  UNFENCED,
  ...brokenTransactions.map(({ name }) => name),
];

/** The adapter as this name breaks it; as it is without one. */
export function breakAdapter(name: string | undefined, store: AtomicStore): AtomicStore {
  return brokenAdapters.find((broken) => broken.name === name)?.wrap(store) ?? store;
}
