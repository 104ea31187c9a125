// A connection to a server, seen through the few things that every driver can do, and where such
// connections come from. Each file of drivers/ makes these of one driver's clients.

import { type Deadline, TIMED_OUT } from "@onceproof/core/advanced";
import type { Columns } from "./row.js";

/** One statement; the name is unique for its text, as drivers demand that prepare by name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** What the server answers to one statement. */
export interface Reply {
  readonly rows: readonly Columns[];
  /** What MySQL's LAST_INSERT_ID(…) was given in this statement; 0 elsewhere. */
  readonly insertId: number;
  /** Whether a transaction is open after it, where the driver tells. */
  readonly inTransaction?: boolean;
}

/** One connection, on which statements run one after another. */
export interface Session {
  /** Sends one statement; rejects with the driver's own error. */
  send(statement: Statement, values: readonly unknown[]): Promise<Reply>;
  /** The process of the server that the connection was told to belong to, where a driver says. */
  toldPid?(): number | undefined;
}

/** A connection that is ours for a while. */
export interface Lent {
  readonly session: Session;
  /** The same for the same connection, each time that it is lent. */
  readonly id: unknown;
  /**
   * The driver's own connection, for what its user does in a transaction. It goes back to its pool
   * when the loan ends and not before: to release it does nothing, or others would be lent a
   * connection with this transaction open. Destroying it ends it, and with it the transaction.
   */
  readonly handle?: object;
  /** Gives it back; not `usable` if it owes an answer or is inside a transaction. */
  giveBack(usable: boolean): void;
}

/** One statement under way. */
export interface Sent {
  readonly reply: Promise<Reply>;
  /** Nobody waits for it any longer. */
  abandon(): void;
}

/** A pool or a single client. */
export interface Sessions {
  /**
   * Sends one statement on whatever connection, where the driver has no way of lending one for it
   * that can be relied on. Whether it was sent is then only known from its answer.
   */
  readonly alone?: (statement: Statement, values: readonly unknown[]) => Sent;
  /** Lends a connection; one that comes too late goes straight back. */
  borrow(deadline: Deadline): Promise<Lent | typeof TIMED_OUT>;
}

/** The server lost a prepared statement and did nothing; sent without a name it will do. */
export class PreparedLost extends Error {
  override readonly name = "PreparedLost";
}

/** What ends a transaction, in the words of a dialect. */
export interface Endings {
  readonly commit: Statement;
  readonly rollBack: Statement;
}

function endings(more: string): Endings {
  return {
    commit: { name: "onceproof_commit", text: `COMMIT${more}` },
    rollBack: { name: "onceproof_rollback", text: `ROLLBACK${more}` },
  };
}

export const ENDINGS: Endings = endings("");

/**
 * MySQL's and MariaDB's. By a session's `completion_type` a plain one would begin the next transaction,
 * in which everything that the connection is lent for later would stay uncommitted, or end the session.
 */
export const UNCHAINED: Endings = endings(" AND NO CHAIN NO RELEASE");

function ignore(): void {}

/**
 * Makes the sessions of a single client, which takes one statement at a time.
 *
 * A turn ends with its last statement, answered or not: so what could not be sent behind one that
 * hangs is known not to have happened.
 */
export function inTurn(
  session: Session,
  handle?: object,
  { rollBack }: Endings = ENDINGS,
): Sessions {
  let turn: Promise<unknown> = Promise.resolve();
  return {
    async borrow(deadline) {
      const before = turn;
      let done = ignore;
      turn = new Promise<void>((resolve) => {
        done = resolve;
      });
      if ((await deadline.race(before)) === TIMED_OUT) {
        before.then(done);
        return TIMED_OUT;
      }
      let pending: Promise<unknown> = Promise.resolve();
      return {
        id: session,
        ...(handle && { handle }),
        session: {
          ...session,
          send(statement, values) {
            const reply = session.send(statement, values);
            pending = reply.then(ignore, ignore);
            return reply;
          },
        },
        giveBack(usable) {
          const clean = usable ? pending : pending.then(() => session.send(rollBack, []));
          clean.then(done, done);
        },
      };
    },
  };
}

/** Makes the sessions of a pool; `open` borrows a connection, in whatever time. */
export function onLoan(open: () => Promise<Lent>): Sessions {
  return {
    async borrow(deadline) {
      let late = false;
      const opening = open().then((lent) => {
        if (late) {
          lent.giveBack(true);
        }
        return lent;
      });
      const lent = await deadline.race(opening);
      late = lent === TIMED_OUT;
      return lent;
    },
  };
}
