// Steps on SQLite, without a wait between the statements: the connection is shared with whatever
// else this process does, and must not show it half a transaction.

import { driverError } from "@onceproof/core/advanced";
import {
  inTransaction,
  isBusy,
  isConstraint,
  type SqliteDatabase,
  transactionsOn,
} from "../drivers/sqlite.js";
import { roundsUntil, unavailable, withDeadline } from "../shared/rounds.js";
import type { Columns } from "../shared/row.js";
import type { Reply } from "../shared/session.js";
import type { Database, Indeterminate, Steps } from "./database.js";
import type { Shared } from "./server-database.js";
import type { Query } from "./sql.js";

type Ended<T> = { readonly result: T } | { readonly thrown: unknown };

function sendTo(database: SqliteDatabase, { statement, values }: Query): Reply {
  const prepared = database.prepare(statement.text);
  // libsql takes a lone Buffer for named parameters; node:sqlite takes no array.
  const given = "inTransaction" in database ? [values] : values;
  const rows = prepared.all(...(given as never[])) as Columns[];
  return { rows, insertId: 0 };
}

/** Runs steps to their end. A failure of the database is thrown, one of the steps' own is told. */
function drive<T>(database: SqliteDatabase, steps: Steps<T>): Ended<T> {
  let failed: unknown;
  try {
    let step = steps.next();
    while (step.done !== true) {
      let reply: Reply;
      try {
        reply = sendTo(database, step.value);
      } catch (error) {
        failed = error;
        step = steps.throw(error);
        continue;
      }
      step = steps.next(reply);
    }
    return { result: step.value };
  } catch (error) {
    if (error === failed) {
      throw error;
    }
    return { thrown: error };
  }
}

function resultOf<T>(ended: Ended<T>): T {
  if ("thrown" in ended) {
    throw ended.thrown;
  }
  return ended.result;
}

/** Steps in transactions of their own, each under the file's write lock. */
export function sqliteDatabase(database: SqliteDatabase, shared: Shared): Database {
  const { runtime, timeoutMs } = shared;

  function once<T>(steps: Steps<T | undefined>): Ended<T | undefined> | Indeterminate | undefined {
    const transactions = transactionsOn(database);
    let committing = false;
    try {
      return transactions.atOnce(() => {
        transactions.begin();
        const ended = drive(database, steps);
        committing = "result" in ended && ended.result !== undefined;
        if (committing) {
          transactions.commit();
        } else {
          transactions.rollBack();
        }
        return ended;
      });
    } catch (error) {
      if (inTransaction(database)) {
        transactions.rollBack();
      }
      if (isBusy(error)) {
        return undefined;
      }
      if (committing && !isConstraint(error)) {
        return { outcome: "indeterminate", cause: driverError(error) };
      }
      throw unavailable(driverError(error));
    }
  }

  return {
    ...shared,
    bound: false,
    lockMs: 0,
    run: (_extent, steps) =>
      withDeadline(runtime, timeoutMs, (deadline) =>
        roundsUntil(runtime, deadline, async () => {
          // The user's own transaction on this connection will end.
          const done = inTransaction(database) ? undefined : once(steps());
          return done === undefined || "outcome" in done ? done : resultOf(done);
        }),
      ),
  };
}

/** Steps in the user's transaction. */
export function boundSqliteDatabase(database: SqliteDatabase, shared: Shared): Database {
  const { runtime, timeoutMs } = shared;
  return {
    ...shared,
    bound: true,
    lockMs: 0,
    run: (_extent, steps) =>
      withDeadline(runtime, timeoutMs, (deadline) =>
        roundsUntil(runtime, deadline, async () => resultOf(drive(database, steps()))),
      ),
  };
}
