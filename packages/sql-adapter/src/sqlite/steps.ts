// How one step meets the file: without a lock for what only looks, and for a write under the
// file's write lock. Both are synchronous, so nothing of this process comes between.

import { driverError, type Runtime, type Slot, type Unknown } from "@onceproof/core/advanced";
import { checkOpen, inTransaction, isBusy } from "../drivers/sqlite.js";
import { type Sight, sightOf } from "../shared/judge.js";
import { unavailable } from "../shared/rounds.js";
import type { ResolvedOptions } from "./options.js";
import { type Rows, rowsAt } from "./rows.js";

/** The steps of one store; each answers undefined if another connection was in the way. */
export interface Steps {
  /** The host's clock in microseconds. */
  now(): number;
  /** The row without a lock. Cost: 1 statement. */
  look(key: string): Sight | undefined;
  /** Runs what only reads. */
  reading<T>(step: () => T): T | undefined;
  /**
   * Runs the step under the write lock and commits if it put or freed anything.
   *
   * Cost: 2 statements beside the step's own, BEGIN IMMEDIATE and COMMIT or ROLLBACK, and 2 PRAGMAs
   * if the connection has a busy timeout.
   */
  writing<T>(step: (rows: Rows) => T): T | Unknown | undefined;
}

const LOOKS = 3;

/** Builds the steps over a store's connection. */
export function stepsOn(
  { database, transactions, statements }: ResolvedOptions,
  runtime: Runtime,
): Steps {
  const now = (): number => Math.round(runtime.wallNow() * 1000);

  function reading<T>(step: () => T): T | undefined {
    // The user's own transaction on this connection: what it wrote is not committed yet.
    if (inTransaction(database)) {
      return undefined;
    }
    try {
      checkOpen(database);
      return step();
    } catch (error) {
      if (isBusy(error)) {
        return undefined;
      }
      throw unavailable(driverError(error));
    }
  }

  return {
    now,
    reading,

    look(key) {
      return reading(() => {
        // The clock is read first: a row that another process renews in between must not count as
        // expired. If that process wrote later than our clock said, we look again; if it is still
        // so, the clock has stepped back.
        for (let looks = 1; ; looks += 1) {
          const instant = now();
          const slot: Slot | undefined = statements.read(key);
          if (slot === undefined || slot.writtenAt <= instant || looks === LOOKS) {
            return sightOf(key, slot, instant);
          }
        }
      });
    },

    writing(step) {
      let committing = false;
      const attempt = () => {
        transactions.begin();
        try {
          // Not before: what is judged under the lock is judged by the time at which it is held.
          const rows = rowsAt(now(), statements);
          const result = step(rows);
          committing = rows.touched();
          if (committing) {
            transactions.commit();
          } else {
            transactions.rollBack();
          }
          return result;
        } catch (error) {
          transactions.rollBack();
          if (committing && !isBusy(error)) {
            return { outcome: "unknown", cause: driverError(error) } as const;
          }
          throw error;
        }
      };
      return reading(() => transactions.atOnce(attempt));
    },
  };
}
