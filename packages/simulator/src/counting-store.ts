// Counts the calls that reach a store: what an operation costs is a number, and tests assert it.

import type {
  AtomicStore,
  MultiKeyStore,
  SweepableStore,
  TransactionalStore,
  WatchableStore,
} from "@onceproof/core/advanced";

/** Calls since the last reset. Calls through a bound transaction count like any other. */
export interface CallCounts {
  readonly read: number;
  readonly write: number;
  readonly writeAll: number;
  readonly watch: number;
  readonly transaction: number;
  readonly sweep: number;
  /** What is called the cost of an operation: reads, writes and multi-key writes. */
  readonly total: number;
}

/** A counted store and its counts. */
export interface CallCounter<S extends AtomicStore> {
  /** The same store, with the same optional capabilities and no others. */
  readonly store: S;
  /** A snapshot. */
  counts(): CallCounts;
  /** Starts again from zero. */
  reset(): void;
  /** Runs `operation` and tells what it alone has called, if nothing else runs meanwhile. */
  during<T>(operation: () => Promise<T>): Promise<{ result: T; calls: CallCounts }>;
}

type Counted = Exclude<keyof CallCounts, "total">;
type EveryStore = MultiKeyStore & TransactionalStore<unknown> & WatchableStore & SweepableStore;

const COUNTED: ReadonlySet<PropertyKey> = new Set<Counted>([
  "read",
  "write",
  "writeAll",
  "watch",
  "transaction",
  "sweep",
]);
const NOTHING = { read: 0, write: 0, writeAll: 0, watch: 0, transaction: 0, sweep: 0 };

/** Wraps a store so that its calls are counted; what it does stays the same. */
export function countCalls<S extends AtomicStore>(store: S): CallCounter<S> {
  let tally: Record<Counted, number> = { ...NOTHING };

  const counts = (): CallCounts => ({
    ...tally,
    total: tally.read + tally.write + tally.writeAll,
  });

  // A proxy, since whatever else the store offers has to stay as it is.
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(inner, property) {
        const member: unknown = Reflect.get(inner, property, inner);
        if (typeof member !== "function") {
          return member;
        }
        return (...args: unknown[]): unknown => {
          if (COUNTED.has(property)) {
            tally[property as Counted] += 1;
          }
          const returned: unknown = Reflect.apply(member, inner, args);
          const isStore = property === "bind" || property === "peer";
          return isStore ? wrap(returned as Partial<EveryStore>) : returned;
        };
      },
    });

  return {
    store: wrap(store),
    counts,
    reset() {
      tally = { ...NOTHING };
    },
    async during(operation) {
      const before = counts();
      const result = await operation();
      const after = counts();
      const calls = Object.fromEntries(
        Object.entries(after).map(([name, count]) => [name, count - before[name as Counted]]),
      ) as unknown as CallCounts;
      return { result, calls };
    },
  };
}
