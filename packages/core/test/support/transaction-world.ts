// A dedup in the store's transaction under test: virtual time, a memory store whose commits end as
// the test lists them, effects that commit with the transaction, and a count of calls.

import {
  ContendedError,
  createDedup,
  createMemoryStore,
  createTransactionalDedup,
  type Dedup,
  IndeterminateError,
  type MemoryTransaction,
  StoreError,
  type TransactionalDedup,
  type TransactionalDedupOptions,
} from "@onceproof/core";
import type { AtomicStore, TransactionalStore } from "@onceproof/core/advanced";
import {
  type CallCounter,
  countCalls,
  createVirtualRuntime,
  type VirtualRuntime,
} from "@onceproof/simulator";

export type Options = Partial<TransactionalDedupOptions<MemoryTransaction>>;

/** What becomes of a commit: `late` is told as lost at once, and arrives after `lateMs`. */
export type Commit =
  | "commits"
  | "lostRequest"
  | "lostReply"
  | { readonly lateMs: number }
  | "contended"
  | "unavailable";

const ROLLED_BACK = new Error("rolled back by the test");

function failure(commit: Commit): Error {
  switch (commit) {
    case "contended":
      return new ContendedError("contended", "others won");
    case "unavailable":
      return new StoreError("unavailable", "the connection was lost before the commit was sent");
    default:
      return new IndeterminateError("indeterminate", "the commit got no answer");
  }
}

/** A memory store whose next commits end as listed. */
function withCommits(
  memory: TransactionalStore<MemoryTransaction>,
  runtime: VirtualRuntime,
  commits: Commit[],
): TransactionalStore<MemoryTransaction> {
  return {
    capabilities: memory.capabilities,
    read: (key) => memory.read(key),
    write: (write) => memory.write(write),
    close: () => memory.close(),
    bind: (tx) => memory.bind(tx),
    transaction: (fn) =>
      new Promise((resolve, reject) => {
        let struck: Commit = "commits";
        memory
          .transaction(async (tx) => {
            const returned = await fn(tx);
            struck = commits.shift() ?? "commits";
            if (typeof struck === "object") {
              reject(failure(struck));
              await runtime.sleep(struck.lateMs);
            } else if (struck !== "commits" && struck !== "lostReply") {
              throw ROLLED_BACK;
            }
            return returned;
          })
          .then(
            (result) => (struck === "commits" ? resolve(result) : reject(failure(struck))),
            (error) => reject(error === ROLLED_BACK ? failure(struck) : error),
          );
      }),
  };
}

export interface TransactionWorld {
  readonly runtime: VirtualRuntime;
  /** What took effect, in the order of the commits. */
  readonly effects: string[];
  /** How the next commits end. */
  readonly commits: Commit[];
  readonly counter: CallCounter<TransactionalStore<MemoryTransaction>>;
  /** The same data, without any fault. */
  readonly direct: AtomicStore;
  dedup(more?: Options): TransactionalDedup<MemoryTransaction>;
  /** An ordinary dedup of the same keys. */
  plain(more?: Options): Dedup;
  /** A handler whose effect is in the transaction. */
  charge(value: string): (tx: MemoryTransaction) => string;
  run<T>(promise: Promise<T>): Promise<T>;
}

export function createTransactionWorld(): TransactionWorld {
  const runtime = createVirtualRuntime();
  const memory = createMemoryStore({ runtime, tombstoneMs: 60_000 });
  const commits: Commit[] = [];
  const effects: string[] = [];
  const counter = countCalls(withCommits(memory, runtime, commits));
  const options = (more: Options = {}): TransactionalDedupOptions<MemoryTransaction> => ({
    store: counter.store,
    name: "pay",
    onCrash: "park",
    runtime,
    ...more,
  });
  return {
    runtime,
    effects,
    commits,
    counter,
    direct: memory,
    dedup: (more) => createTransactionalDedup(options(more)),
    plain: (more) => createDedup(options(more)),
    charge: (value) => (tx) => {
      tx.onCommit(() => effects.push(value));
      return value;
    },
    run: (promise) => runtime.run(promise),
  };
}
