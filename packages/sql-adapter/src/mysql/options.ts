// What a caller may choose about a MySQL or MariaDB store, and every default in one place.

import { ArgumentError, type Runtime, type StoreCapabilities } from "@onceproof/core/advanced";
import { isMysqlClient, type MysqlClient, mysqlSessions } from "../drivers/mysql.js";
import { checkOptions, SHARED_OPTIONS, type Taken } from "../shared/check-options.js";
import { type Exchange, exchangeOver } from "../shared/exchange.js";
import { createGuesses, type Guesses } from "../shared/guesses.js";
import { resolveShared, type SqlStoreOptions, tombstoneUsOf } from "../shared/options.js";
import { type Sessions, UNCHAINED } from "../shared/session.js";
import { quoteTable } from "../shared/table-name.js";
import { meaning } from "./error-code.js";
import { limitedSessions } from "./server-facts.js";
import { type Statements, statementsFor } from "./statements.js";
import { BEGIN } from "./write-all.js";

/** Options of `createMysqlStore`. */
export interface MysqlStoreOptions<Client extends MysqlClient = MysqlClient>
  extends SqlStoreOptions {
  /**
   * Your own pool or connection of mysql2 or mariadb, outside a transaction. Prefer a pool: a
   * connection whose server hangs holds up every later call. Closing the store does not close it.
   */
  readonly client: Client;
  /**
   * Whether statements are prepared once per connection; say false behind a proxy that cannot.
   * @defaultValue true
   */
  readonly prepare?: boolean;
  /**
   * What an applied write survives; `asynchronous` if `innodb_flush_log_at_trx_commit` is not 1.
   * @defaultValue "durable"
   */
  readonly durability?: StoreCapabilities["durability"];
  /**
   * Whether a promoted replica may lack what was answered as applied; say false only without a
   * replica or with semi-synchronous or group replication.
   * @defaultValue true
   */
  readonly failoverMayLoseWrites?: boolean;
}

/** The options with every default filled in. */
export interface ResolvedOptions {
  readonly exchange: Exchange;
  readonly table: string;
  readonly sessions: Sessions;
  readonly prepare: boolean;
  readonly statements: Statements;
  readonly guesses: Guesses;
  readonly runtime: Runtime;
  readonly capabilities: StoreCapabilities;
}

const TAKEN: Taken<keyof MysqlStoreOptions> = {
  who: "createMysqlStore",
  client: "client",
  names: {
    client: true,
    prepare: true,
    durability: true,
    failoverMayLoseWrites: true,
    ...SHARED_OPTIONS,
  },
};

/** Checks the options and fills in the defaults. */
export function resolveOptions(options: MysqlStoreOptions): ResolvedOptions {
  checkOptions(options, isMysqlClient, TAKEN);
  const { client, prepare = true, durability = "durable", failoverMayLoseWrites = true } = options;
  if (!isMysqlClient(client)) {
    throw new ArgumentError(
      "optionInvalid",
      "client must be a pool or connection of mysql2 or mariadb",
    );
  }
  const shared = resolveShared(options, { durability, failoverMayLoseWrites });
  const { operationTimeoutMs } = shared.capabilities;
  const table = quoteTable("mysql", options.table);
  const sessions = limitedSessions(mysqlSessions(client, prepare), operationTimeoutMs, prepare);
  return {
    exchange: exchangeOver(sessions, meaning, BEGIN, UNCHAINED),
    ...{ table, sessions, prepare },
    statements: statementsFor(table, tombstoneUsOf(shared.capabilities)),
    guesses: createGuesses(),
    ...shared,
  };
}
