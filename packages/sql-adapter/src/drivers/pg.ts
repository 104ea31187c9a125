// The user's own pg Pool or Client, seen through the few members that are used of it.

import { isPreparedLost, sqlstate } from "../postgres/sqlstate.js";
import type { Columns } from "../shared/row.js";
import {
  inTurn,
  type Lent,
  onLoan,
  PreparedLost,
  type Session,
  type Sessions,
} from "../shared/session.js";
import type { Listen } from "./listen.js";

/** One statement as pg takes it; with a name it is parsed and planned once per connection. */
export interface PgStatement {
  readonly text: string;
  readonly values: unknown[];
  readonly name?: string;
}

/** What is used of a pg Client. */
export interface PgClient {
  /** The process that the server, or a pooler in its place, said it was. */
  readonly processID?: number | null;
  query(statement: PgStatement): Promise<{ readonly rows: unknown[] }>;
}

/** What a client tells besides: notifications, and that its connection is lost. */
export interface PgEvents {
  on(event: "notification" | "error" | "end", listener: (event: never) => void): unknown;
  removeListener(event: "notification" | "error" | "end", listener: (e: never) => void): unknown;
}

/** What is used of a client that a pg Pool lends. */
export interface PgPoolClient extends PgClient, PgEvents {
  release(destroy?: boolean): void;
}

/** What is used of a pg Pool. */
export interface PgPool {
  readonly totalCount: number;
  connect(callback: (error: Error | undefined, client: PgPoolClient | undefined) => void): void;
}

/** Whether a client is a Pool rather than a Client. */
function isPool(client: PgPool | PgClient): client is PgPool {
  return "totalCount" in client && "connect" in client;
}

function ignore(): void {}

/** Whether statements are prepared; given up for good where a pooler loses them. */
export interface PgNaming {
  prepare: boolean;
}

/** A session of a pg Client. */
export function pgSession(client: PgClient, naming: PgNaming): Session {
  return {
    toldPid: () => client.processID ?? undefined,
    async send({ name, text }, values) {
      const named = naming.prepare && values.length > 0;
      const statement = { text, values: [...values] };
      try {
        const { rows } = await client.query(named ? { name, ...statement } : statement);
        return { rows: rows as Columns[], insertId: 0 };
      } catch (error) {
        if (named && isPreparedLost(sqlstate(error) ?? "")) {
          naming.prepare = false;
          throw new PreparedLost("the server lost a prepared statement", { cause: error });
        }
        throw error;
      }
    },
  };
}

/**
 * Borrows a client. While it is lent only the borrower listens, and an error event without a
 * listener ends the process. It can come together with the connection itself, before a promise
 * would have told of it: hence the callback.
 */
function borrow(pool: PgPool): Promise<PgPoolClient> {
  return new Promise((resolve, reject) => {
    pool.connect((error, client) => {
      if (client === undefined) {
        reject(error ?? new Error("the pool gave no connection"));
      } else {
        client.on("error", ignore);
        resolve(client);
      }
    });
  });
}

/** A pool throws at whoever gives a client back twice. */
function onlyOnce(release: PgPoolClient["release"]): PgPoolClient["release"] {
  let released = false;
  return (destroy) => {
    if (!released) {
      released = true;
      release(destroy);
    }
  };
}

/** The sessions of a pg Pool or Client. */
export function pgSessions(client: PgPool | PgClient, prepare: boolean): Sessions {
  const naming = { prepare };
  if (!isPool(client)) {
    return inTurn(pgSession(client, naming), client);
  }
  return onLoan(async (): Promise<Lent> => {
    const lent = await borrow(client);
    const release = onlyOnce(lent.release);
    // See `Lent.handle`; the pool makes it anew for each loan.
    lent.release = (destroy) => {
      if (destroy) {
        release(true);
      }
    };
    return {
      id: lent,
      handle: lent,
      session: pgSession(lent, naming),
      giveBack(usable) {
        if (usable) {
          lent.removeListener("error", ignore);
          release();
        } else {
          // A connection that owes an answer is of no use to anybody: it leaves the pool.
          release(true);
        }
      },
    };
  });
}

/** Listens on a Client itself, or on a connection of its own that a Pool lends for it. */
export function pgListen(client: PgPool | (PgClient & PgEvents)): Listen {
  return async (channel, onPayload, onLost) => {
    const lent = isPool(client) ? await borrow(client) : undefined;
    const session = lent ?? (client as PgClient & PgEvents);
    const heard = (message: { readonly channel: string; readonly payload?: string }): void => {
      if (message.channel === channel) {
        onPayload(message.payload ?? "");
      }
    };
    let ended = false;
    const lost = (): void => {
      stop();
      onLost();
    };
    session.on("notification", heard);
    session.on("end", lost);
    try {
      await session.query({ text: `LISTEN "${channel}"`, values: [] });
    } catch (error) {
      stop();
      throw error;
    }
    function stop(): void {
      if (ended) {
        return;
      }
      ended = true;
      session.removeListener("notification", heard);
      session.removeListener("end", lost);
      if (lent !== undefined) {
        // A pool that is not given a lost client back waits for it for ever when it ends.
        lent.release(true);
      } else {
        session.query({ text: `UNLISTEN "${channel}"`, values: [] }).catch(ignore);
      }
    }
    return stop;
  };
}
