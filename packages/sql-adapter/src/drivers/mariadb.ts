// The user's own pool or connection of the mariadb driver (its promise form), seen through the few
// members that are used of it.

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

/** One statement as the mariadb driver takes it; the rest undoes what a user may have set. */
export interface MariadbQuery {
  readonly sql: string;
  readonly rowsAsArray: false;
  readonly nestTables: false;
  readonly namedPlaceholders: false;
  readonly metaAsArray: false;
}

/** What is used of a connection of the mariadb driver. */
export interface MariadbConnection {
  execute(options: MariadbQuery, values: unknown): Promise<unknown>;
  query(options: MariadbQuery, values: unknown): Promise<unknown>;
  /** What the server said last. */
  readonly info?: { readonly status?: unknown } | null;
  /** Tells this driver's clients from mysql2's. */
  batch: unknown;
}

/** What is used of a connection that its pool lends. */
export interface MariadbPoolConnection extends MariadbConnection {
  readonly threadId: number | null;
  release(): Promise<void>;
  end(): Promise<void>;
  close(): void;
  /** Closes the connection if no answer comes in time. */
  ping(timeoutMs: number): Promise<void>;
  destroy(): void;
}

/** What is used of its pool. */
export interface MariadbPool {
  getConnection(): Promise<MariadbPoolConnection>;
  batch: unknown;
}

/** Each answer is overdue by now. */
const PATIENCE_MS = 1;

/** A session of the mariadb driver. */
export function mariadbSession(connection: MariadbConnection, prepare: boolean): Session {
  return {
    async send({ text }, values) {
      const query: MariadbQuery = {
        sql: text,
        rowsAsArray: false,
        nestTables: false,
        namedPlaceholders: false,
        metaAsArray: false,
      };
      const result =
        prepare && values.length > 0
          ? await connection.execute(query, values)
          : await connection.query(query, values);
      if (Array.isArray(result)) {
        return { rows: result as Columns[], insertId: 0 };
      }
      const { insertId = 0 } = result as { insertId?: unknown };
      return { rows: [], insertId: Number(insertId), ...inTransactionBy(connection.info?.status) };
    },
  };
}

function ignore(): void {}

/**
 * Closes a connection that may owe an answer, and gives its place in the pool free.
 *
 * Destroyed while it owes one, the driver (3.5) opens another connection to send KILL, and if that
 * fails, nobody can catch it: the process ends. A ping that got no answer leaves nothing to kill.
 */
function discard(connection: MariadbPoolConnection): void {
  const destroy = (): void => connection.destroy();
  connection.ping(PATIENCE_MS).then(destroy, destroy);
}

/** The sessions of a pool or connection of the mariadb driver. */
export function mariadbSessions(
  client: MariadbPool | MariadbConnection,
  prepare: boolean,
): Sessions {
  if (!("getConnection" in client)) {
    return inTurn(mariadbSession(client, prepare), client, UNCHAINED);
  }
  return onLoan(async (): Promise<Lent> => {
    const connection = await client.getConnection();
    const { release } = connection;
    // See `Lent.handle`; the pool's next loan has an object of its own.
    const keep = async (): Promise<void> => {};
    Object.assign(connection, { release: keep, end: keep, close: keep });
    return {
      // The pool wraps the connection anew each time.
      id: connection.threadId,
      handle: connection,
      session: mariadbSession(connection, prepare),
      giveBack(usable) {
        if (usable) {
          release().then(ignore, ignore);
        } else {
          discard(connection);
        }
      },
    };
  });
}
