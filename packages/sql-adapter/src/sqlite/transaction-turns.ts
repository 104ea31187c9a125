// Whose turn it is on a SQLite file: the transactions of one process go one after another, and what
// is called within one must not wait for its end.

import { AsyncLocalStorage } from "node:async_hooks";
import type { ContendedError } from "@onceproof/core";
import {
  type Deadline,
  type MultiKeyStore,
  StoreError,
  type SweepableStore,
  TIMED_OUT,
} from "@onceproof/core/advanced";
import type { SqliteDatabase } from "../drivers/sqlite.js";
import { contended } from "../shared/transaction-watch.js";

/** Of each file (or connection, in memory) of this process: the last of those who wait. */
const queues = new Map<string, Promise<unknown>>();
const queuesInMemory = new WeakMap<SqliteDatabase, Promise<unknown>>();

/** The connections, and their files, within whose transaction a function runs. */
export type Within = Pick<ReadonlySet<unknown>, "has">;

export const within: AsyncLocalStorage<Within> = new AsyncLocalStorage();

/** The error for a call that would wait for its own end. */
export function nested(): StoreError {
  return new StoreError(
    "unavailable",
    "the store was called within its own transaction, which would wait for itself: use store.bind(tx)",
  );
}

/**
 * Waits for its turn among the transactions of this process on a file, or on a connection to what is in
 * memory; resolves with what ends the turn.
 */
export async function turnOn(
  file: string | SqliteDatabase,
  deadline: Deadline,
): Promise<() => void> {
  const last = typeof file === "string" ? queues.get(file) : queuesInMemory.get(file);
  const before = last ?? Promise.resolve();
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const next = before.then(() => ended);
  if (typeof file !== "string") {
    queuesInMemory.set(file, next);
  } else {
    queues.set(file, next);
    next.then(() => {
      if (queues.get(file) === next) {
        queues.delete(file);
      }
    });
  }
  if ((await deadline.race(before)) === TIMED_OUT) {
    end();
    throw waited("for another transaction of this process");
  }
  return end;
}

/** The error for a wait that took too long. */
export function waited(what: string): ContendedError {
  return contended(new Error(`waited ${what} for the whole operation timeout`));
}

/** The store whose calls within a transaction on its own connection are refused at once. */
export function refusingNested<Store extends MultiKeyStore & SweepableStore>(
  store: Store,
  database: SqliteDatabase,
): Store {
  const check = (): void => {
    if (within.getStore()?.has(database)) {
      throw nested();
    }
  };
  return {
    ...store,
    async read(key) {
      check();
      return store.read(key);
    },
    async write(write) {
      check();
      return store.write(write);
    },
    async writeAll(all) {
      check();
      return store.writeAll(all);
    },
    async sweep(options) {
      check();
      return store.sweep(options);
    },
  };
}
