// Transactions broken on purpose, as people really break them, to see that the judge notices.
import type { TransactionalStore } from "@onceproof/core/advanced";

/** The effect commits in a transaction of its own, and the record after it. */
export const OUTSIDE = "effect-outside";
/** A commit without an answer is taken for a rollback. */
export const LOST_COMMIT = "lost-commit-rerun";
/** The stock is read, and written back less one, as if nobody came in between. */
export const LOST_UPDATE = "lost-update";

export const brokenTransactions: readonly { readonly name: string; readonly summary: string }[] = [
  {
    name: OUTSIDE,
    summary: "an effect commits before its record, which may then never be written",
  },
  { name: LOST_COMMIT, summary: "a commit without an answer is run again, under another key" },
  {
    name: LOST_UPDATE,
    summary: "stock is read and written back by the handler (not seen on sqlite)",
  },
];

/** Runs again, as if nothing had happened and for nobody in particular, what may have committed. */
export function rerunLostCommits(store: TransactionalStore<unknown>): TransactionalStore<unknown> {
  const again = new Map<unknown, string>();
  let reruns = 0;
  return {
    capabilities: store.capabilities,
    read: (key) => store.read(key),
    write: (write) => store.write(write),
    close: () => store.close(),
    async transaction(fn) {
      try {
        return await store.transaction(fn);
      } catch (error) {
        if ((error as { code?: unknown }).code !== "indeterminate") throw error;
        return await store.transaction(async (tx) => {
          reruns += 1;
          again.set(tx, ` again ${process.pid} ${reruns}`);
          try {
            return await fn(tx);
          } finally {
            again.delete(tx);
          }
        });
      }
    },
    bind(tx) {
      const bound = store.bind(tx);
      const suffix = again.get(tx);
      if (suffix === undefined) return bound;
      return {
        capabilities: bound.capabilities,
        read: (key) => bound.read(key + suffix),
        write: ({ key, ...write }) => bound.write({ ...write, key: key + suffix }),
        close: () => bound.close(),
      };
    },
  };
}
