// Transactions on SQLite, whose calls are synchronous while the user's function is not: while it
// waits, the transaction stays open on the connection, so everybody else has to wait for its end.

import { type Deadline, pause, TIMED_OUT } from "@onceproof/core/advanced";
import { checkOpen, fileOf, inTransaction, isBusy, isConstraint } from "../drivers/sqlite.js";
import { commitUnknown } from "../shared/lent-transaction.js";
import { unavailable, withDeadline } from "../shared/rounds.js";
import { doomOf, endedInside, notCommitted, startWatch } from "../shared/transaction-watch.js";
import type { DialectTransactions } from "../shared/with-transactions.js";
import { bindSqlite } from "./bound.js";
import type { ResolvedOptions } from "./options.js";
import { nested, turnOn, type Within, waited, within } from "./transaction-turns.js";

/** Builds the transactions of a store. Cost: BEGIN IMMEDIATE and COMMIT or ROLLBACK, each between two PRAGMAs if there is a busy timeout. */
export function sqliteTransactions(options: ResolvedOptions): DialectTransactions {
  const { database, transactions, runtime, capabilities } = options;
  const { operationTimeoutMs } = capabilities;
  const file = fileOf(database) || database;

  /** Again and again until nobody is in the way, or false. */
  async function patiently(step: () => void, deadline: Deadline): Promise<boolean> {
    for (let done = 0; deadline.remainingMs() > 0; done += 1) {
      try {
        step();
        return true;
      } catch (error) {
        if (!isBusy(error)) {
          throw error;
        }
      }
      if ((await deadline.race(pause(runtime, Math.min(done, 20)))) === TIMED_OUT) {
        break;
      }
    }
    return false;
  }

  async function begin(deadline: Deadline): Promise<void> {
    let began: boolean;
    try {
      began = await patiently(() => transactions.begin(), deadline);
    } catch (error) {
      throw unavailable(error);
    }
    if (!began) {
      throw waited("for another writer of the file");
    }
  }

  async function commit(): Promise<void> {
    if (!inTransaction(database)) {
      throw endedInside();
    }
    let committed: boolean;
    try {
      committed = await withDeadline(runtime, operationTimeoutMs, (deadline) =>
        patiently(() => transactions.commit(), deadline),
      );
    } catch (error) {
      transactions.rollBack();
      throw isConstraint(error) ? notCommitted(error) : commitUnknown(error);
    }
    if (!committed) {
      transactions.rollBack();
      throw waited("for readers of the file");
    }
  }

  async function run<T>(fn: (tx: never) => Promise<T>): Promise<T> {
    const watch = startWatch(database);
    const outer = within.getStore();
    let running = true;
    // What the function has left behind, a timer or a listener, is within nothing once it is over.
    const around: Within = {
      has: (one) => (running && (one === database || one === file)) || outer?.has(one) === true,
    };
    let value: T;
    try {
      value = await within
        .run(around, async () => fn(database as never))
        .finally(() => {
          running = false;
        });
    } catch (error) {
      const told = doomOf(watch, error, isBusy) ?? error;
      watch.end();
      transactions.rollBack();
      throw told;
    }
    const doom = watch.doom();
    watch.end();
    if (doom !== undefined) {
      transactions.rollBack();
      throw doom;
    }
    await commit();
    return value;
  }

  return {
    async transaction(fn) {
      if (within.getStore()?.has(file)) {
        throw nested();
      }
      try {
        checkOpen(database);
      } catch (error) {
        throw unavailable(error);
      }
      const end = await withDeadline(runtime, operationTimeoutMs, async (deadline) => {
        const turn = await turnOn(file, deadline);
        await begin(deadline).catch((error: unknown) => {
          turn();
          throw error;
        });
        return turn;
      });
      try {
        return await run(fn);
      } finally {
        end();
      }
    },
    bind: (tx) => bindSqlite(options, tx),
  };
}
