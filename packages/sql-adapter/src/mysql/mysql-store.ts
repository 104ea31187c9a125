// The store on MySQL and MariaDB: reads and single writes are statements in transactions of their
// own, several keys are one transaction.

import type { MysqlClient } from "../drivers/mysql.js";
import type { MysqlTransactionOf } from "../drivers/transaction-of.js";
import { observe } from "../shared/judge.js";
import { type ServerStore, serverStore } from "../shared/server-store.js";
import { type SqlTransactions, withTransactions } from "../shared/with-transactions.js";
import { askingIn, look } from "./look.js";
import { type MysqlStoreOptions, resolveOptions } from "./options.js";
import { sweepStretch } from "./sweep.js";
import { mysqlTransactions } from "./transaction.js";
import { writeRound } from "./write.js";
import { writeAllRound } from "./write-all.js";

/** A store on MySQL or MariaDB. */
export interface MysqlStore<Tx = unknown> extends ServerStore, SqlTransactions<Tx> {}

/**
 * Builds a store over your own mysql2 or mariadb client; `migrate` makes its table.
 *
 * Guarantee: clauses S0 to S11, on the server's clock, under any isolation level and either meaning
 * of affected rows; several keys in one step; one transaction for entries and your own rows.
 * Cost: a read 1 statement. A create 1 where the key has no row; where the last ones by the same
 * `name` met rows 1 refused, 2 over a removed or expired entry, 2 without a row; else 2 refused and 3
 * over a removed or expired entry. Any other write 1 applied and 2 refused, but 2 and 1 where it keeps the expiry.
 * `writeAll` 5, and one for each key that has a row and one for all that have none; refused 5 or 6.
 * One more for each new connection.
 * Fails: a write without an answer is `unknown`; StoreError `unavailable` for what certainly did
 * nothing and for a read without an answer, `closed` after `close`.
 */
export function createMysqlStore<Client extends MysqlClient>(
  options: MysqlStoreOptions<Client>,
): MysqlStore<MysqlTransactionOf<Client>> {
  const resolved = resolveOptions(options);
  const { exchange, statements, runtime, capabilities } = resolved;
  const store = serverStore<Buffer>(runtime, capabilities, {
    async read(key, deadline) {
      const seen = await look([key], statements, askingIn(exchange, deadline));
      return seen.kind === "answer" ? { kind: "answer", value: observe(seen.value, key) } : seen;
    },
    write: (write, deadline) => writeRound(write, resolved, askingIn(exchange, deadline)),
    writeAll: (all, deadline) => writeAllRound(all, statements, exchange, deadline),
    sweepStretch: (from, limit, deadline) =>
      sweepStretch(from, limit, statements, askingIn(exchange, deadline)),
  });
  return withTransactions(store, mysqlTransactions(resolved));
}
