// What each driver hands to the function of a transaction, by the type of its client.

import type { MysqlClient } from "./mysql.js";
import type { PgClient } from "./pg.js";
import type { PostgresClient } from "./postgres.js";

type Lent<Pool> = Pool extends {
  connect(callback: (error: never, client: infer Client, ...rest: never[]) => void): void;
}
  ? NonNullable<Client>
  : PgClient;

/** Of a pg Pool its PoolClient, of `sql` its TransactionSql, of PGlite its Transaction. */
export type PostgresTransactionOf<Client extends PostgresClient> = Client extends {
  begin(options: string, body: (tx: infer Tx) => never): unknown;
}
  ? Tx
  : Client extends { transaction(body: (tx: infer Tx) => never): unknown }
    ? Tx
    : Client extends { readonly totalCount: number }
      ? Lent<Client>
      : Client;

/** Of a pool its connection, in promise form; a connection itself. */
export type MysqlTransactionOf<Client extends MysqlClient> = Client extends {
  promise(): infer Promising;
}
  ? Promising extends { getConnection(): Promise<infer Connection> }
    ? Connection
    : Promising
  : Client extends { getConnection(): Promise<infer Connection> }
    ? Connection
    : Client;
