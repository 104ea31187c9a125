// One exchange with the server from start to end: a connection, the time allowed, and what a failure
// proves. Nothing is sent before a connection is there, so that what was not sent is known not to
// have happened.

import { type Deadline, driverError, TIMED_OUT } from "@onceproof/core/advanced";
import {
  ENDINGS,
  type Endings,
  type Lent,
  PreparedLost,
  type Reply,
  type Sent,
  type Session,
  type Sessions,
  type Statement,
} from "./session.js";

/** What came of an exchange. */
export type Attempt<T> = { readonly kind: "answer"; readonly value: T } | Failure;

/** What a failure proves. */
export type Failure =
  /** Certainly nothing was done; `again` if the same may well succeed now. */
  | { readonly kind: "nothing"; readonly cause: unknown; readonly again: boolean }
  /** It may have been committed, or may yet be. */
  | { readonly kind: "noAnswer"; readonly cause: unknown };

/** What a driver's error proves of a statement in a transaction of its own. */
export type Meaning = (error: unknown) => Failure;

/** Sends one statement within the time allowed. */
export type Send = (statement: Statement, values?: readonly unknown[]) => Promise<Reply>;

/** Sends transactions and statements over a dialect's sessions. */
export interface Exchange {
  /** One statement in a transaction of its own. Cost: 1 round trip on an open connection. */
  statement(
    statement: Statement,
    values: readonly unknown[],
    deadline: Deadline,
  ): Promise<Attempt<Reply>>;
  /**
   * What `work` sends, committed if it says so.
   *
   * Guarantee: a failure before COMMIT is sent proves that nothing was done; no transaction is
   * left open on a connection that goes back.
   * Cost: the `begin` statements and COMMIT or ROLLBACK beside its own.
   */
  transaction<T>(
    work: (send: Send) => Promise<{ readonly value: T; readonly commit: boolean }>,
    deadline: Deadline,
  ): Promise<Attempt<T>>;
}

class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

function nothing(cause: unknown, again = false): Failure {
  return { kind: "nothing", cause, again };
}

function sender(session: Session, deadline: Deadline): Send {
  return async (statement, values = []) => {
    const reply = await deadline.race(session.send(statement, values));
    if (reply === TIMED_OUT) {
      throw new NoAnswer("no answer within the operation timeout");
    }
    return reply;
  };
}

/** Builds the exchange of a dialect: what errors mean, and how a transaction begins and ends. */
export function exchangeOver(
  sessions: Sessions,
  meaning: Meaning,
  begin: readonly Statement[],
  { commit: committed, rollBack }: Endings = ENDINGS,
): Exchange {
  function failed(error: unknown): Failure {
    if (error instanceof NoAnswer) {
      return { kind: "noAnswer", cause: error };
    }
    return error instanceof PreparedLost ? nothing(driverError(error), true) : meaning(error);
  }

  async function onSession<T>(
    deadline: Deadline,
    work: (lent: Lent) => Promise<Attempt<T>>,
  ): Promise<Attempt<T>> {
    let lent: Lent | typeof TIMED_OUT;
    try {
      lent = await sessions.borrow(deadline);
    } catch (error) {
      return nothing(driverError(error));
    }
    if (lent === TIMED_OUT) {
      return nothing(new Error("no connection within the operation timeout"));
    }
    return work(lent);
  }

  async function sendAlone({ reply, abandon }: Sent, deadline: Deadline): Promise<Attempt<Reply>> {
    try {
      const value = await deadline.race(reply);
      if (value !== TIMED_OUT) {
        return { kind: "answer", value };
      }
      abandon();
      return failed(new NoAnswer("no answer within the operation timeout"));
    } catch (error) {
      return failed(error);
    }
  }

  return {
    statement(statement, values, deadline) {
      if (sessions.alone !== undefined) {
        return sendAlone(sessions.alone(statement, values), deadline);
      }
      return onSession(deadline, async ({ session, giveBack }) => {
        try {
          const value = await sender(session, deadline)(statement, values);
          giveBack(true);
          return { kind: "answer", value };
        } catch (error) {
          const failure = failed(error);
          // A connection that owes an answer is of no use to anybody.
          giveBack(failure.kind === "nothing");
          return failure;
        }
      });
    },

    transaction(work, deadline) {
      return onSession(deadline, async ({ session, giveBack }) => {
        const send = sender(session, deadline);
        let committing = false;
        try {
          for (const statement of begin) {
            await send(statement);
          }
          const { value, commit } = await work(send);
          committing = commit;
          await send(commit ? committed : rollBack);
          giveBack(true);
          return { kind: "answer", value };
        } catch (error) {
          const failure = failed(error);
          if (failure.kind === "noAnswer") {
            giveBack(false);
            // Without COMMIT the server rolls back, now or when it sees that we are gone.
            return committing ? failure : nothing(failure.cause);
          }
          // A lock timeout rolls the statement back and not the transaction.
          const ended = await send(rollBack).then(
            () => true,
            () => false,
          );
          giveBack(ended);
          return failure;
        }
      });
    },
  };
}
