// Transactions on Postgres: pg's on a connection of its own, those of postgres.js and PGlite as
// these drivers run them; and stores bound to any of them, or to a bridged one.

import { ArgumentError, type MultiKeyStore } from "@onceproof/core/advanced";
import { type BridgedTransaction, bridgedRows, isBridged } from "../bridges/bridged.js";
import { type PgClient, type PgNaming, pgSession } from "../drivers/pg.js";
import type { PgliteDatabase } from "../drivers/pglite.js";
import { isPglite, isPostgresJs } from "../drivers/postgres.js";
import {
  type Naming,
  namingOn,
  type PostgresJs,
  type PostgresJsSession,
  sendOn,
} from "../drivers/postgres-js.js";
import { type LentTransactions, lentTransaction } from "../shared/lent-transaction.js";
import type { Columns } from "../shared/row.js";
import type { Session } from "../shared/session.js";
import { watchOver } from "../shared/transaction-watch.js";
import type { DialectTransactions } from "../shared/with-transactions.js";
import { type Binding, bindingOf, bindPostgres, type Carrier } from "./bound.js";
import type { ResolvedOptions, ServerLimits } from "./options.js";
import { isContention, meaning } from "./sqlstate.js";
import { type CallbackTransactions, callbackTransaction } from "./transaction-callback.js";

function limitsText({ lockTimeoutMs, idleTransactionMs }: ServerLimits): string {
  return `SET LOCAL lock_timeout = ${lockTimeoutMs}; SET LOCAL idle_in_transaction_session_timeout = ${idleTransactionMs}`;
}

const BEGIN = "BEGIN READ WRITE";
/** A store over another driver cannot know what stands before the server. */
const NEVER: Naming = { prepare: () => false, giveUp: () => {} };

/** Builds the transactions of a store. Cost: BEGIN with its limits 1, COMMIT or ROLLBACK 1. */
export function postgresTransactions(options: ResolvedOptions): DialectTransactions {
  const { client, prepare } = options;
  const binding = bindingOf(options);
  // Of the pg connections on which the user began.
  const pgNaming = { prepare };
  const naming = isPostgresJs(client) ? namingOn(client, prepare) : NEVER;
  return {
    transaction: transactionOn(options),
    bind: (tx) => bind(binding, { postgresJs: naming, pg: pgNaming }, tx),
  };
}

function transactionOn(options: ResolvedOptions): DialectTransactions["transaction"] {
  const { client, sessions } = options;
  const limits = limitsText(options.limits);
  if (isPostgresJs(client)) {
    const driver = postgresJsTransactions(client, limits);
    return (fn) => callbackTransaction(options, driver, fn as never);
  }
  if (isPglite(client)) {
    const driver = pgliteTransactions(client);
    return (fn) => callbackTransaction(options, driver, fn as never);
  }
  const { runtime, capabilities } = options;
  const begin = { name: "onceproof_begin", text: `${BEGIN}; ${limits}` };
  const parts: LentTransactions = {
    runtime,
    capabilities,
    sessions,
    meaning,
    isContention,
    methods: ["query"],
    begin: (session) => session.send(begin, []),
    async commit(_, handle) {
      const commit = { text: "COMMIT", values: [] };
      const { command } = (await (handle as PgClient).query(commit)) as { command?: unknown };
      // Of an aborted transaction the server says ROLLBACK, and no error.
      return command !== "ROLLBACK";
    },
  };
  return (fn) => lentTransaction(parts, fn);
}

/** A transaction of postgres.js. */
export interface PostgresJsTransaction extends PostgresJsSession {
  savepoint<T>(body: (tx: never) => Promise<T>): Promise<unknown>;
}

function send(tx: PostgresJsSession, text: string): Promise<unknown> {
  return Promise.resolve(tx.unsafe(text, [] as never, { prepare: false }));
}

type Begin = (
  options: string,
  body: (tx: PostgresJsTransaction) => Promise<void>,
) => Promise<unknown>;

function postgresJsTransactions(
  sql: PostgresJs,
  limits: string,
): CallbackTransactions<PostgresJsTransaction> {
  return {
    begin: (body) => (sql as PostgresJs & { begin: Begin }).begin("read write", body),
    // It sends one statement after another without waiting for answers.
    prepare: (tx) => send(tx, limits),
    reveal: (tx) => send(tx, "SELECT 1"),
  };
}

function postgresJsCarrier(tx: PostgresJsTransaction, naming: Naming): Carrier {
  return {
    query: async (sent, values) => (await sendOn(tx, naming, sent, values).reply).rows,
    savepoint: async (work) => {
      let result: unknown;
      // It holds every failed statement against a transaction, but those of its own savepoints.
      await tx.savepoint(async (inner) => {
        result = await work(postgresJsCarrier(inner, naming));
      });
      return result as never;
    },
  };
}

/** A transaction of PGlite. */
export interface PgliteTransaction {
  query(text: string, values?: never): Promise<{ readonly rows: unknown[] }>;
  exec(text: string): Promise<unknown>;
}

type Run = (body: (tx: PgliteTransaction) => Promise<void>) => Promise<unknown>;

function pgliteTransactions(database: PgliteDatabase): CallbackTransactions<PgliteTransaction> {
  return {
    begin: (body) => (database as PgliteDatabase & { transaction: Run }).transaction(body),
    prepare: async () => {},
    // Not every version tells of a COMMIT that rolled back.
    probe: (tx) => tx.exec("SELECT 1"),
  };
}

/** Whether each driver's statements are prepared. */
interface Namings {
  readonly postgresJs: Naming;
  readonly pg: PgNaming;
}

function bind(binding: Binding, namings: Namings, tx: unknown): MultiKeyStore {
  const watch = watchOver(tx);
  return bindPostgres(binding, carrierOf(tx, watch?.session, namings), watch);
}

function sessionCarrier(session: Session): Carrier {
  return { query: async (sent, values) => (await session.send(sent, values)).rows };
}

function carrierOf(tx: unknown, session: Session | undefined, namings: Namings): Carrier {
  if (session !== undefined) {
    return sessionCarrier(session);
  }
  if (isBridged(tx)) {
    return { query: ({ text }, values) => bridgedRows(tx as BridgedTransaction, text, values) };
  }
  const { unsafe: send, savepoint, query, exec } = Object(tx) as Record<string, unknown>;
  if (typeof send === "function" && typeof savepoint === "function") {
    return postgresJsCarrier(tx as PostgresJsTransaction, namings.postgresJs);
  }
  if (typeof query === "function") {
    return typeof exec === "function"
      ? {
          query: async ({ text }, values) =>
            (await (tx as PgliteTransaction).query(text, values as never)).rows as Columns[],
        }
      : sessionCarrier(pgSession(tx as PgClient, namings.pg));
  }
  throw new ArgumentError(
    "optionInvalid",
    "tx must be a transaction of your driver (the client on which BEGIN was sent), or a bridge to one: { rows(text, values) }",
  );
}
