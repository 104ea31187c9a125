// The store on Postgres: each read, each write and each step over several keys is one statement in a
// transaction of its own.

import { checkStoreKey, type WatchableStore } from "@onceproof/core/advanced";
import type { PostgresClient } from "../drivers/postgres.js";
import type { PostgresTransactionOf } from "../drivers/transaction-of.js";
import type { Attempt } from "../shared/exchange.js";
import { keyBytes } from "../shared/key-bytes.js";
import type { Columns } from "../shared/row.js";
import { type ServerStore, serverStore } from "../shared/server-store.js";
import type { Reply } from "../shared/session.js";
import { type SqlTransactions, withTransactions } from "../shared/with-transactions.js";
import { noRow, readAnswer } from "./answer.js";
import { type PostgresStoreOptions, resolveOptions } from "./options.js";
import { ASKED, limitLocks } from "./statements.js";
import { sweepStatement, sweepStretch } from "./sweep.js";
import { postgresTransactions } from "./transaction.js";
import { watchesOn } from "./watch.js";
import { lockTimeout, type SendStep, writeRound } from "./write.js";
import { writeAllAnswer, writeAllParameters, writeAllStatement } from "./write-all.js";

/** A store on Postgres. */
export interface PostgresStore<Tx = unknown> extends ServerStore, SqlTransactions<Tx> {}

/** The attempt, unless its answer says that it is another's: one without rows says nothing. */
function echoing(attempt: Attempt<Reply>, asked: (echo: unknown) => boolean): Attempt<Reply> {
  const [row] = attempt.kind === "answer" ? attempt.value.rows : [];
  return row === undefined || asked(row.asked)
    ? attempt
    : { kind: "noAnswer", cause: new Error("the driver gave another query's answer") };
}

/** The attempt with its rows read as an answer. */
function read<T>(
  attempt: Attempt<Reply>,
  answer: (first: Columns, rows: readonly Columns[]) => T,
): Attempt<T> {
  if (attempt.kind !== "answer") {
    return attempt;
  }
  const { rows } = attempt.value;
  const [first] = rows;
  return first === undefined
    ? { kind: "noAnswer", cause: noRow() }
    : { kind: "answer", value: answer(first, rows) };
}

/**
 * Builds a store over your own pg, postgres.js or PGlite client; `migrate` makes its table.
 *
 * Guarantee: clauses S0 to S11, on the server's clock, under any default isolation level; several
 * keys in one step; one transaction for entries and your own rows; with `notify`, wake-ups of
 * waiters.
 * Cost: 1 statement per read, writeAll, and write that goes as the last ones of its kind by the same
 * `name` did, else 2; one more each time another write to the same key commits in between, or the
 * server reports a deadlock or serialization failure. Watching takes one connection, of a pool or of
 * its own.
 * Fails: a write without an answer is `unknown`; StoreError `unavailable` for what certainly did
 * nothing and for a read without an answer, `closed` after `close`.
 */
export function createPostgresStore<Client extends PostgresClient>(
  options: PostgresStoreOptions<Client> & { readonly notify: true },
): PostgresStore<PostgresTransactionOf<Client>> & WatchableStore;
export function createPostgresStore<Client extends PostgresClient>(
  options: PostgresStoreOptions<Client>,
): PostgresStore<PostgresTransactionOf<Client>>;
export function createPostgresStore(
  options: PostgresStoreOptions,
): PostgresStore & Partial<WatchableStore> {
  const resolved = resolveOptions(options);
  const { exchange, statements, guesses, notifications, table, runtime, capabilities } = resolved;
  const { echoes } = resolved;
  const { tombstoneUs } = statements;
  const channel = notifications?.channel;
  const watches = notifications && watchesOn(notifications.listen, notifications.channel);
  const sweeping = {
    sweep: sweepStatement(table),
    tombstoneUs,
  };

  const own = serverStore<number>(
    runtime,
    capabilities,
    {
      async read(key, deadline) {
        const bytes = keyBytes(key);
        const sent = await exchange.statement(statements.read, [bytes], deadline);
        const seen = echoes
          ? echoing(sent, (echo) => echo instanceof Uint8Array && bytes.equals(echo))
          : sent;
        return read(seen, (row) => readAnswer(key, row, tombstoneUs));
      },

      write(write, deadline) {
        const send: SendStep = async (statement, values) => {
          const answered = await exchange.statement(statement, values, deadline);
          const sent = echoes ? echoing(answered, (echo) => echo === write.opId) : answered;
          return sent.kind === "answer" ? { kind: "answer", value: sent.value.rows } : sent;
        };
        return writeRound(send, write, deadline, statements, guesses);
      },

      async writeAll(all, deadline) {
        const statement = writeAllStatement(
          ...([table, tombstoneUs, all.writes.length, channel, limitLocks] as const),
          echoes ? ASKED.writeAll : "",
        );
        const parameters = writeAllParameters(all, lockTimeout(deadline));
        const answered = await exchange.statement(statement, parameters, deadline);
        const sent = echoes ? echoing(answered, (echo) => echo === all.opId) : answered;
        return read(racedInsert(sent), (_first, rows) => writeAllAnswer(rows, all, tombstoneUs));
      },

      sweepStretch: (from, limit, deadline) =>
        sweepStretch(from, limit, deadline, sweeping, exchange),
    },
    () => watches?.close(),
  );
  const store: PostgresStore = withTransactions(own, postgresTransactions(resolved));
  if (watches === undefined) {
    return store;
  }
  return {
    ...store,
    async watch(key, signal) {
      checkStoreKey(key);
      await watches.watch(key, signal);
    },
  };
}

const DUPLICATE_KEY = "23505";

/** A racer's insert came first: the next round finds its row. */
function racedInsert<T>(attempt: Attempt<T>): Attempt<T> {
  const { code } = Object(attempt.kind === "nothing" && attempt.cause) as { code?: unknown };
  return code === DUPLICATE_KEY ? { kind: "nothing", cause: attempt, again: true } : attempt;
}
