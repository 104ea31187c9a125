// The user's own `sql` of postgres.js, seen through the few members that are used of it.

import { isPreparedLost, sqlstate } from "../postgres/sqlstate.js";
import type { Columns } from "../shared/row.js";
import {
  type Lent,
  onLoan,
  PreparedLost,
  type Reply,
  ROLLBACK,
  type Sent,
  type Sessions,
  type Statement,
} from "../shared/session.js";
import type { Listen } from "./listen.js";

/** A query of postgres.js under way. */
export interface PostgresJsQuery extends PromiseLike<unknown> {
  cancel(): unknown;
}

/** What is used of postgres.js, and of a connection that it reserves. */
export interface PostgresJsSession {
  unsafe(text: string, values: never, options: { readonly prepare: boolean }): PostgresJsQuery;
}

/** What is used of a connection that postgres.js reserves. */
export interface PostgresJsReserved extends PostgresJsSession {
  release(): void;
}

/** What is used of postgres.js. */
export interface PostgresJs extends PostgresJsSession {
  reserve(): Promise<PostgresJsReserved>;
  /** Runs a function in a transaction. */
  readonly begin?: unknown;
  listen(
    channel: string,
    onPayload: (payload: string) => void,
  ): Promise<{ unlisten(): Promise<void> }>;
}

function ignore(): void {}

interface Naming {
  prepare: boolean;
}

function send(
  sql: PostgresJsSession,
  naming: Naming,
  { text }: Statement,
  values: readonly unknown[],
): Sent {
  const prepare = naming.prepare && values.length > 0;
  const query = sql.unsafe(text, values as never, { prepare });
  const reply = Promise.resolve(query).then(
    (rows): Reply => ({ rows: rows as Columns[], insertId: 0 }),
    (error: unknown) => {
      if (prepare && isPreparedLost(sqlstate(error) ?? "")) {
        naming.prepare = false;
        throw new PreparedLost("the server lost a prepared statement", { cause: error });
      }
      throw error;
    },
  );
  // A query that waits for a connection is not sent any more; the server is told to end one that
  // it works on, so that it does not linger.
  return { reply, abandon: () => void Promise.resolve(query.cancel()).then(ignore, ignore) };
}

/**
 * The sessions of postgres.js. One statement goes where postgres.js sends it: a connection that it
 * reserves could not be thrown away, and with `fetch_types: false` a new one is never lent.
 */
export function postgresJsSessions(sql: PostgresJs, prepare: boolean): Sessions {
  const naming = { prepare };
  const loans = onLoan(async (): Promise<Lent> => {
    const reserved = await sql.reserve();
    let last: Sent = { reply: Promise.resolve({ rows: [], insertId: 0 }), abandon: ignore };
    return {
      id: reserved,
      session: {
        send(statement, values) {
          last = send(reserved, naming, statement, values);
          return last.reply;
        },
      },
      giveBack(usable) {
        if (usable) {
          reserved.release();
          return;
        }
        last.abandon();
        // A connection that has ended gives its place back by itself; releasing it would put it
        // among those that are open.
        last.reply
          .catch((error: unknown) => {
            if (sqlstate(error) === undefined) throw error;
          })
          .then(() => send(reserved, naming, ROLLBACK, []).reply)
          .then(() => reserved.release())
          .catch(ignore);
      },
    };
  });
  return {
    alone: (statement, values) => send(sql, naming, statement, values),
    borrow: (deadline) => loans.borrow(deadline),
  };
}

/** Listens on the connection that postgres.js keeps for it, and renews by itself. */
export function postgresJsListen(sql: PostgresJs): Listen {
  return async (channel, onPayload) => {
    const { unlisten } = await sql.listen(channel, onPayload);
    return () => void unlisten().catch(ignore);
  };
}
