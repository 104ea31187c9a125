// What a world's store runs on where it offers transactions: a database that is served message by
// message. Any TransactionalStore can be plugged in, so that the code which ships is what is tried.

import { ContendedError } from "@onceproof/core";
import type {
  AtomicStore,
  MultiKeyStore,
  Observation,
  Runtime,
  TransactionalStore,
  Write,
  WriteResult,
} from "@onceproof/core/advanced";
import type { StandingRows } from "./standing-rows.js";
import type { StoreServer } from "./store-server.js";

/** A row that a transaction adds to a table of the user's own. */
export interface Row {
  readonly table: string;
  readonly key: string;
  readonly value: unknown;
  /** The operation on whose behalf it comes, for the history. */
  readonly operation?: number;
  /** Another row that is changed along with it, and so locked; none if absent. */
  readonly locks?: string;
}

/** What `transaction(fn)` hands to `fn`: `bind` makes a store of it. */
export interface WorldTransaction {
  /** Adds a row to a table of the user's own: an effect, once it is committed. */
  insert(row: Row): Promise<void>;
}

/** A node's transactions. */
export type Transactions = Pick<TransactionalStore<WorldTransaction>, "transaction" | "bind">;

/** One transaction as its session uses it. What rejects has ended it, with nothing changed. */
export interface ServedTransaction {
  read(key: string): Promise<Observation>;
  write(write: Write): Promise<WriteResult>;
  insert(row: Row): Promise<void>;
  commit(): Promise<void>;
  /** Also ends what waits; never rejects. */
  rollback(): Promise<void>;
}

/** A database behind the sessions of a world. Promises settle when locks are free. */
export interface ServedDatabase
  extends Pick<AtomicStore, "read" | "write">,
    Partial<Pick<MultiKeyStore, "writeAll">> {
  begin(): Promise<ServedTransaction>;
  /**
   * The user's own tables as they stand, asked when the run is over: what `insert` added to them is
   * judged by what is there. Without it, by what was answered to commits.
   */
  rows?(): StandingRows;
}

/** What a world gives to whoever makes its database. */
export interface DatabaseHost {
  /** The store's own clock, timers and randomness: a database must use no others. */
  readonly runtime: Runtime;
  readonly server: StoreServer;
  readonly tombstoneMs: number;
  /** How long a statement waits for a lock before it fails. */
  readonly lockWaitMs: number;
}

/** Makes the database of a world. */
export type MakeDatabase = (host: DatabaseHost) => ServedDatabase;

/** Statements of one transaction, from its begin to its end. */
interface Open<Tx> {
  readonly tx: Tx;
  end(how: "commit" | "rollback"): void;
}

const ROLLED_BACK = new Error("rolled back by its session");

/**
 * Serves any store with transactions message by message: the function of a transaction lasts until
 * its session commits or rolls back.
 *
 * Guarantee: a store that would run the function again rejects as *contended* instead: only the
 * client has the function. `insert` adds the user's row within the transaction; `rows` tells at the
 * end which rows stand.
 */
export function serveStore<Tx>(
  store: TransactionalStore<Tx> & Partial<Pick<MultiKeyStore, "writeAll">>,
  insert: (tx: Tx, row: Row) => void | Promise<void>,
  rows?: () => StandingRows,
): ServedDatabase {
  const { writeAll } = store;
  return {
    ...(writeAll && { writeAll: (all) => writeAll.call(store, all) }),
    ...(rows && { rows }),
    read: (key) => store.read(key),
    write: (write) => store.write(write),
    begin: () => {
      let outcome: Promise<void> = Promise.resolve();
      const opened = new Promise<Open<Tx>>((resolve, reject) => {
        let begun = false;
        outcome = store.transaction((tx) => {
          if (begun) {
            const what = "what the transaction saw has changed";
            return Promise.reject(new ContendedError("contended", what));
          }
          begun = true;
          return new Promise<void>((commit, rollBack) => {
            const end = (how: "commit" | "rollback"): void =>
              how === "commit" ? commit() : rollBack(ROLLED_BACK);
            resolve({ tx, end });
          });
        });
        outcome.catch(reject);
      });
      return opened.then(({ tx, end }): ServedTransaction => {
        const bound = store.bind(tx);
        return {
          read: (key) => bound.read(key),
          write: (write) => bound.write(write),
          insert: async (row) => insert(tx, row),
          commit() {
            end("commit");
            return outcome;
          },
          rollback() {
            end("rollback");
            return outcome.catch(() => {});
          },
        };
      });
    },
  };
}
