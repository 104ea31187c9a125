// The user's own mysql2 pool or connection, seen through the few members that are used of it. Both
// the promise and the callback form are taken; the latter has a `promise()` of its own.

import type { Columns } from "../shared/row.js";
import {
  inTurn,
  type Lent,
  onLoan,
  type Session,
  type Sessions,
  UNCHAINED,
} from "../shared/session.js";
import { inTransactionBy } from "./server-status.js";

/** What is used of a mysql2 promise connection. */
export interface Mysql2Connection {
  execute(options: Mysql2Query, values: never): Promise<[unknown, unknown]>;
  query(options: Mysql2Query, values: never): Promise<[unknown, unknown]>;
}

/** One statement as mysql2 takes it. */
export interface Mysql2Query {
  readonly sql: string;
  readonly rowsAsArray: false;
  readonly nestTables: false;
}

/** What is used of a connection that a mysql2 pool lends. */
export interface Mysql2PoolConnection extends Mysql2Connection {
  /** The connection itself: the pool wraps it anew each time. */
  readonly connection: unknown;
  release(): void;
  end(): Promise<void>;
  destroy(): void;
}

/** What is used of a mysql2 promise pool. */
export interface Mysql2Pool {
  getConnection(): Promise<Mysql2PoolConnection>;
}

/** What is used of mysql2's callback form. */
export interface Mysql2Callbacks<Client> {
  promise(): Client;
}

/** A session of mysql2. */
export function mysql2Session(connection: Mysql2Connection, prepare: boolean): Session {
  return {
    async send({ text }, values) {
      const query = { sql: text, rowsAsArray: false, nestTables: false } as const;
      // Transaction control is not worth a prepared statement, and not every server takes it.
      const [result] =
        prepare && values.length > 0
          ? await connection.execute(query, values as never)
          : await connection.query(query, values as never);
      if (Array.isArray(result)) {
        return { rows: result as Columns[], insertId: 0 };
      }
      const { insertId = 0, serverStatus } = result as { [member: string]: unknown };
      return { rows: [], insertId: Number(insertId), ...inTransactionBy(serverStatus) };
    },
  };
}

/** The sessions of a mysql2 pool or connection in promise form. */
export function mysql2Sessions(client: Mysql2Pool | Mysql2Connection, prepare: boolean): Sessions {
  if (!("getConnection" in client)) {
    return inTurn(mysql2Session(client, prepare), client, UNCHAINED);
  }
  return onLoan(async (): Promise<Lent> => {
    const connection = await client.getConnection();
    const release = connection.release.bind(connection);
    // See `Lent.handle`; the pool's next loan has an object of its own.
    connection.release = () => {};
    connection.end = async () => {};
    return {
      id: connection.connection,
      handle: connection,
      session: mysql2Session(connection, prepare),
      giveBack(usable) {
        if (usable) {
          release();
        } else {
          connection.destroy();
        }
      },
    };
  });
}
