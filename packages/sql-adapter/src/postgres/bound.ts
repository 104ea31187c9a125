// The store's steps inside a Postgres transaction that is already open, on whatever carries
// statements there. None of them fails where another transaction came first: a duplicate is no
// error (ON CONFLICT), and several keys have a savepoint.

import type { Deadline, MultiKeyStore } from "@onceproof/core/advanced";
import { boundStore, type Doom, untilDoomed } from "../shared/bound-store.js";
import { keyBytes } from "../shared/key-bytes.js";
import { type Columns, integer } from "../shared/row.js";
import type { Statement } from "../shared/session.js";
import { contended, endedInside, isCausedBy, type Watch } from "../shared/transaction-watch.js";
import { onlyRow, readAnswer } from "./answer.js";
import type { ResolvedOptions } from "./options.js";
import { bridgedState, isStepContention } from "./sqlstate.js";
import {
  BEFORE_WRITE,
  CLOCK,
  HELD,
  type Statements,
  statement,
  statementsFor,
} from "./statements.js";
import { lockTimeout, type SendStep, writeRound } from "./write.js";
import { writeAllAnswer, writeAllParameters, writeAllStatement } from "./write-all.js";

/** What carries statements inside a transaction. */
export interface Carrier {
  query(statement: Statement, values: readonly unknown[]): Promise<readonly Columns[]>;
  /** Runs work that can be undone on its own; where the driver has its own way of doing so. */
  savepoint?<T>(work: (carrier: Carrier) => Promise<T>): Promise<T>;
}

/** What the bound stores of one store share. */
export interface Binding {
  readonly options: ResolvedOptions;
  readonly statements: Statements;
  /** Where the transaction may be read only: after `CLOCK_BEFORE`, by what it answered ($2). */
  readonly readSince: Statement;
}

const CLOCK_BEFORE = statement("bound_clock", `SELECT ${CLOCK} AS now`);

function readSinceStatement(table: string): Statement {
  return statement(
    "bound_read_since",
    `SELECT ${HELD} FROM (SELECT $2::bigint AS now) t LEFT JOIN ${table} c ON c.k = $1`,
  );
}

/** The transaction's own limit counts, not that of one of its steps. */
function noLimit(place: string): string {
  return `${place}::text`;
}

/** The transaction's, also within savepoints; none before it has written anything. */
const TRANSACTION_ID = ", txid_current_if_assigned()::text AS xid";

/** The transaction's start is no time to judge by, and the statement's must precede its snapshot. */
function readStatement(table: string): Statement {
  return statement(
    "bound_read",
    // Beside a write, even one that does nothing, the snapshot is taken after the statement's start.
    `WITH none$ AS (DELETE FROM ${table} WHERE false)
SELECT ${HELD}
FROM (SELECT ${BEFORE_WRITE} AS now) t LEFT JOIN ${table} c ON c.k = $1`,
  );
}

/** The statements of a store's bound stores. */
export function bindingOf(options: ResolvedOptions): Binding {
  const { table, notifications } = options;
  const { tombstoneUs } = options.statements;
  const statements = statementsFor(
    table,
    tombstoneUs,
    notifications?.channel,
    noLimit,
    TRANSACTION_ID,
  );
  return {
    options,
    statements: { ...statements, read: readStatement(table) },
    readSince: readSinceStatement(table),
  };
}

const SAVEPOINT = statement("savepoint", "SAVEPOINT onceproof");
const RELEASE = statement("release", "RELEASE SAVEPOINT onceproof");
const BACK = statement("back", "ROLLBACK TO SAVEPOINT onceproof");
const DUPLICATE_KEY = "23505";
/** So often in one call, and no statement of this transaction will see what is there. */
const DUPLICATES = 3;

/** Runs work that is undone if it fails. Cost: 2 statements. */
async function undoable<T>(carrier: Carrier, work: (carrier: Carrier) => Promise<T>): Promise<T> {
  if (carrier.savepoint !== undefined) {
    return carrier.savepoint(work);
  }
  await carrier.query(SAVEPOINT, []);
  try {
    const result = await work(carrier);
    await carrier.query(RELEASE, []);
    return result;
  } catch (error) {
    await carrier.query(BACK, []);
    await carrier.query(RELEASE, []);
    throw error;
  }
}

function carrierUntil(doom: Doom, { query, savepoint }: Carrier): Carrier {
  return {
    query: untilDoomed(doom, query),
    ...(savepoint && {
      savepoint: (work) => savepoint((inner) => work(carrierUntil(doom, inner))),
    }),
  };
}

/**
 * Builds a store that is bound to a transaction.
 *
 * Cost: 1 statement a step, 2 for a write that goes otherwise than the last ones did; `writeAll` 3;
 * `read` 2 in a transaction that no store has begun, as it may be read only.
 */
export function bindPostgres(
  { options, statements, readSince }: Binding,
  given: Carrier,
  watch: Watch | undefined,
): MultiKeyStore {
  const doom: Doom = { reason: undefined };
  const carrier = carrierUntil(doom, given);
  const { tombstoneUs } = statements;
  const { table, notifications, runtime, capabilities, guesses } = options;
  const channel = notifications?.channel;
  const duplicates = new WeakMap<Deadline, number>();
  let transactionId: unknown = null;

  /** Who runs in a transaction of ours may have ended it: then this step was in no or another one. */
  function checkSame({ xid }: Columns): void {
    if (watch !== undefined && transactionId !== null && xid !== transactionId) {
      throw endedInside();
    }
    transactionId = xid;
  }

  const sendStep: SendStep = async (step, values) => {
    const rows = await carrier.query(step, values);
    for (const row of rows) {
      checkSame(row);
    }
    return { kind: "answer", value: rows };
  };

  return boundStore({
    runtime,
    capabilities,
    isContention: isStepContention,
    watch,
    doom,
    steps: {
      async read(key) {
        const bytes = keyBytes(key);
        if (watch !== undefined) {
          const row = onlyRow(await carrier.query(statements.read, [bytes]));
          return readAnswer(key, row, tombstoneUs);
        }
        const clock = onlyRow(await carrier.query(CLOCK_BEFORE, []));
        const row = onlyRow(await carrier.query(readSince, [bytes, integer(clock.now)]));
        return readAnswer(key, row, tombstoneUs);
      },
      async write(write, deadline) {
        const done = await writeRound(sendStep, write, deadline, statements, guesses);
        if (done.kind !== "answer") {
          throw done.cause;
        }
        return done.value;
      },
      async writeAll(all, deadline) {
        const { length } = all.writes;
        const step = writeAllStatement(table, tombstoneUs, length, channel, noLimit);
        const parameters = writeAllParameters(all, lockTimeout(deadline));
        try {
          const rows = await undoable(carrier, ({ query }) => query(step, parameters));
          return writeAllAnswer(rows, all, tombstoneUs);
        } catch (error) {
          if (isCausedBy(error, (each) => bridgedState(each) === DUPLICATE_KEY)) {
            // A racer's insert came first: the next round finds its row, unless the transaction's
            // snapshot is older.
            const found = (duplicates.get(deadline) ?? 0) + 1;
            duplicates.set(deadline, found);
            if (found === DUPLICATES) {
              throw contended(error);
            }
            return undefined;
          }
          throw error;
        }
      },
    },
  });
}
