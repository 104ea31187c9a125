// The user's own pg Pool or Client, seen through the few members that are used of it, and one
// statement from start to end: a connection, the time allowed, and what a failure proves.

import { type Deadline, driverError, TIMED_OUT } from "@onceproof/core/advanced";
import { isAborted, isPassing, isPreparedLost, sqlstate } from "./sqlstate.js";

/** One statement as pg takes it; with a name it is parsed and planned once per connection. */
export interface PgStatement {
  readonly text: string;
  readonly values: unknown[];
  readonly name?: string;
}

/** What is used of a pg Client. */
export interface PgClient {
  query(statement: PgStatement): Promise<{ readonly rows: unknown[] }>;
}

/** What is used of a client that a pg Pool lends. */
export interface PgPoolClient extends PgClient {
  release(destroy?: boolean): void;
  on(event: "error", listener: (error: Error) => void): unknown;
  removeListener(event: "error", listener: (error: Error) => void): unknown;
}

/** What is used of a pg Pool. */
export interface PgPool {
  readonly totalCount: number;
  connect(callback: (error: Error | undefined, client: PgPoolClient | undefined) => void): void;
}

/** What came of one statement. */
export type Attempt =
  | { readonly kind: "rows"; readonly rows: readonly unknown[] }
  /** Certainly nothing was done; `again` if the same statement may well succeed now. */
  | { readonly kind: "nothing"; readonly cause: unknown; readonly again: boolean }
  /** It may have been committed, or may yet be. */
  | { readonly kind: "noAnswer"; readonly cause: unknown };

/** Runs one statement in a transaction of its own. */
export type Run = (name: string, text: string, values: unknown[], d: Deadline) => Promise<Attempt>;

// pg says this of a statement that it did not even queue.
const NOT_SENT = /not queryable/;

function failed(error: unknown): Attempt {
  const code = sqlstate(error);
  const cause = driverError(error);
  if (code !== undefined && isAborted(code)) {
    return { kind: "nothing", cause, again: isPassing(code) };
  }
  return NOT_SENT.test(cause.message)
    ? { kind: "nothing", cause, again: false }
    : { kind: "noAnswer", cause };
}

function isPool(client: PgPool | PgClient): client is PgPool {
  return "totalCount" in client && "connect" in client;
}

function ignore(): void {}

/**
 * Borrows a connection; one that comes too late goes straight back.
 *
 * While it is lent only the borrower listens, and an error event without a listener ends the
 * process. It can come together with the connection itself, before a promise would have told of
 * it: hence the callback.
 */
async function borrow(pool: PgPool, d: Deadline): Promise<PgPoolClient | typeof TIMED_OUT> {
  let late = false;
  const lent = new Promise<PgPoolClient>((resolve, reject) => {
    pool.connect((error, client) => {
      if (client === undefined) {
        reject(error ?? new Error("the pool gave no connection"));
      } else if (late) {
        client.release();
      } else {
        client.on("error", ignore);
        resolve(client);
      }
    });
  });
  const borrowed = await d.race(lent);
  late = borrowed === TIMED_OUT;
  return borrowed;
}

/**
 * Builds the runner of a pool or client.
 *
 * Guarantee: settles by the deadline; nothing is sent before a connection is there, so that what
 * was not sent is known not to have happened.
 * Cost: 1 round trip on a connection that is open.
 */
export function statementRunner(client: PgPool | PgClient, prepare: boolean): Run {
  let named = prepare;

  async function send(session: PgClient, statement: PgStatement, d: Deadline): Promise<Attempt> {
    try {
      const result = await d.race(session.query(statement));
      return result === TIMED_OUT
        ? { kind: "noAnswer", cause: new Error("no answer within the operation timeout") }
        : { kind: "rows", rows: result.rows };
    } catch (error) {
      const code = sqlstate(error);
      if (code !== undefined && isPreparedLost(code) && statement.name !== undefined) {
        // From now on this store does without names.
        named = false;
        return { kind: "nothing", cause: driverError(error), again: true };
      }
      return failed(error);
    }
  }

  async function onPool(pool: PgPool, statement: PgStatement, d: Deadline): Promise<Attempt> {
    let lent: PgPoolClient | typeof TIMED_OUT;
    try {
      lent = await borrow(pool, d);
    } catch (error) {
      return { kind: "nothing", cause: driverError(error), again: false };
    }
    if (lent === TIMED_OUT) {
      const cause = new Error("no connection within the operation timeout");
      return { kind: "nothing", cause, again: false };
    }
    const attempt = await send(lent, statement, d);
    if (attempt.kind === "noAnswer") {
      // A connection that owes an answer is of no use to anybody: it leaves the pool.
      lent.release(true);
    } else {
      lent.removeListener("error", ignore);
      lent.release();
    }
    return attempt;
  }

  // A Client takes one statement at a time. The turn ends with the statement, answered or not, so
  // what could not be sent behind one that hangs is known not to have happened.
  let turn = Promise.resolve();
  async function inTurn(one: PgClient, statement: PgStatement, d: Deadline): Promise<Attempt> {
    const before = turn;
    let done = (): void => {};
    turn = new Promise((resolve) => {
      done = resolve;
    });
    if ((await d.race(before)) === TIMED_OUT) {
      before.then(done);
      const cause = new Error("the client was busy for the whole operation timeout");
      return { kind: "nothing", cause, again: false };
    }
    const session: PgClient = {
      query(sent) {
        const result = one.query(sent);
        result.then(done, done);
        return result;
      },
    };
    return send(session, statement, d);
  }

  return (name, text, values, d) => {
    const statement = named ? { name, text, values } : { text, values };
    return isPool(client) ? onPool(client, statement, d) : inTurn(client, statement, d);
  };
}
