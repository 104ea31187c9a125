// Transactions on MySQL and MariaDB, on a connection of the user's own pool, and stores bound to
// them, to a connection on which the user began one, or to a bridged one.

import { ArgumentError, type MultiKeyStore } from "@onceproof/core/advanced";
import { bridgedRows, isBridged } from "../bridges/bridged.js";
import { type MariadbConnection, mariadbSession } from "../drivers/mariadb.js";
import { type Mysql2Callbacks, type Mysql2Connection, mysql2Session } from "../drivers/mysql2.js";
import { type LentTransactions, lentTransaction } from "../shared/lent-transaction.js";
import { withDeadline } from "../shared/rounds.js";
import { type Session, UNCHAINED } from "../shared/session.js";
import { endedInside, watchOver } from "../shared/transaction-watch.js";
import type { DialectTransactions } from "../shared/with-transactions.js";
import { type Binding, bindMysql, type Carrier } from "./bound.js";
import { isContention, meaning } from "./error-code.js";
import { gatesOf } from "./gates.js";
import type { ResolvedOptions } from "./options.js";
import { statement } from "./statements.js";

const BEGIN = statement("START TRANSACTION READ WRITE");

/** Builds the transactions of a store. Cost: BEGIN 1, COMMIT or ROLLBACK 1; the first one 1 more. */
export function mysqlTransactions(options: ResolvedOptions): DialectTransactions {
  const { runtime, capabilities, exchange, statements, table, sessions, prepare } = options;
  const gates = gatesOf(table, exchange, (work) =>
    withDeadline(runtime, capabilities.operationTimeoutMs, work),
  );
  const parts: LentTransactions = {
    runtime,
    capabilities,
    sessions,
    meaning,
    isContention,
    methods: ["query", "execute", "batch"],
    endings: UNCHAINED,
    begin: (session) => session.send(BEGIN, []),
    async commit(session) {
      await session.send(UNCHAINED.commit, []);
      return true;
    },
  };
  const binding: Binding = { statements, gates, runtime, capabilities };
  return {
    async transaction(fn) {
      await gates.ensure();
      return lentTransaction(parts, fn);
    },
    bind(tx): MultiKeyStore {
      const watch = watchOver(tx);
      return bindMysql(binding, carrierOf(tx, watch?.session, prepare), watch);
    },
  };
}

function onSession(session: Session): Carrier {
  return {
    tellsInsertId: true,
    query: (step, values = []) => session.send(step, values),
  };
}

/** On a session on which a transaction of ours was begun. */
function onLent(session: Session): Carrier {
  return {
    tellsInsertId: true,
    async query(step, values = []) {
      const reply = await session.send(step, values);
      if (reply.inTransaction === false) {
        throw endedInside();
      }
      return reply;
    },
  };
}

function has(tx: unknown, member: string): boolean {
  return typeof (Object(tx) as Record<string, unknown>)[member] === "function";
}

function carrierOf(tx: unknown, session: Session | undefined, prepare: boolean): Carrier {
  if (session !== undefined) {
    return onLent(session);
  }
  if (isBridged(tx)) {
    return {
      tellsInsertId: false,
      async query({ text }, values = []) {
        return { rows: await bridgedRows(tx, text, values), insertId: 0 };
      },
    };
  }
  if (has(tx, "getConnection") || !has(tx, "query")) {
    throw new ArgumentError(
      "optionInvalid",
      "tx must be the connection of mysql2 or mariadb on which the transaction was begun, or a bridge to one: { rows(text, values) }",
    );
  }
  if (has(tx, "batch")) {
    return onSession(mariadbSession(tx as MariadbConnection, prepare));
  }
  const promising = has(tx, "promise") ? (tx as Mysql2Callbacks<Mysql2Connection>).promise() : tx;
  return onSession(mysql2Session(promising as Mysql2Connection, prepare));
}
