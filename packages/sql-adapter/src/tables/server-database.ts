// Steps on a server: over a pool or connection in transactions of their own, and over the connection
// of the user's transaction.

import { type Deadline, type Runtime, StoreError } from "@onceproof/core/advanced";
import { errorNumber } from "../mysql/error-code.js";
import type { Dialect } from "../shared/dialect.js";
import type { Attempt, Exchange, Failure } from "../shared/exchange.js";
import { roundsUntil, unavailable, withDeadline } from "../shared/rounds.js";
import type { Reply, Sessions } from "../shared/session.js";
import type { Database, Indeterminate, Steps } from "./database.js";
import type { Query } from "./sql.js";

type SendQuery = (query: Query) => Promise<Reply>;

/** What all the databases of one client share. */
export interface Shared {
  readonly dialect: Dialect;
  readonly runtime: Runtime;
  readonly timeoutMs: number;
  readonly facts: { strict?: boolean };
}

/** A statement of an exchange that failed, thrown into the steps. */
class Failed extends Error {
  override readonly name = "Failed";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super("a statement failed", { cause: failure.cause });
    this.failure = failure;
  }
}

/**
 * What a failure of a later statement comes to where an earlier one of the same steps has committed:
 * never that nothing was done. In the user's transaction nothing has.
 */
export function afterCommit({ bound }: Pick<Database, "bound">, error: unknown): unknown {
  return error instanceof Failed && !bound
    ? new Failed({ kind: "noAnswer", cause: error.failure.cause })
    : error;
}

const DUPLICATE_KEY = 1062;

/** Whether a statement failed because another row has its key, on MySQL and MariaDB. */
export function isDuplicate(error: unknown): boolean {
  const { errno } = Object(error instanceof Failed && error.cause) as { errno?: unknown };
  return (errno ?? errorNumber(error)) === DUPLICATE_KEY;
}

/** Runs steps to their end; a failed statement is thrown into them. */
async function drive<T>(steps: Steps<T>, send: SendQuery): Promise<T> {
  let step = steps.next();
  while (step.done !== true) {
    let reply: Reply;
    try {
      reply = await send(step.value);
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(reply);
  }
  return step.value;
}

/** What the steps came to: their result, or what they threw of their own. */
type Ended<T> = { readonly result: T } | { readonly thrown: unknown };

async function apart<T>(
  exchange: Exchange,
  steps: Steps<T>,
  deadline: Deadline,
): Promise<Attempt<Ended<T>>> {
  try {
    const result = await drive(steps, async ({ statement, values }) => {
      const sent = await exchange.statement(statement, values, deadline);
      if (sent.kind !== "answer") {
        throw new Failed(sent);
      }
      return sent.value;
    });
    return { kind: "answer", value: { result } };
  } catch (error) {
    return error instanceof Failed ? error.failure : { kind: "answer", value: { thrown: error } };
  }
}

function together<T>(
  exchange: Exchange,
  steps: Steps<T | undefined>,
  deadline: Deadline,
): Promise<Attempt<Ended<T | undefined>>> {
  return exchange.transaction<Ended<T | undefined>>(async (send) => {
    let failed: unknown;
    try {
      const result = await drive(steps, ({ statement, values }) =>
        send(statement, values).catch((error: unknown) => {
          failed = error;
          throw error;
        }),
      );
      return { value: { result }, commit: result !== undefined };
    } catch (error) {
      if (error === failed) {
        throw error;
      }
      return { value: { thrown: error }, commit: false };
    }
  }, deadline);
}

function settled<T>(attempt: Attempt<Ended<T | undefined>>): T | Indeterminate | undefined {
  switch (attempt.kind) {
    case "answer":
      if ("thrown" in attempt.value) {
        throw attempt.value.thrown;
      }
      return attempt.value.result;
    case "noAnswer":
      return { outcome: "indeterminate", cause: attempt.cause };
    case "nothing":
      if (attempt.again) {
        return undefined;
      }
      throw unavailable(attempt.cause);
  }
}

/** Steps in transactions of their own. */
export function serverDatabase(exchange: Exchange, shared: Shared): Database {
  const { runtime, timeoutMs } = shared;
  return {
    ...shared,
    bound: false,
    lockMs: Math.max(1, Math.floor(timeoutMs * 0.8)),
    run: (extent, steps) =>
      withDeadline(runtime, timeoutMs, (deadline) =>
        roundsUntil(runtime, deadline, async () => {
          const attempt =
            extent === "apart"
              ? await apart(exchange, steps(), deadline)
              : await together(exchange, steps(), deadline);
          return settled(attempt);
        }),
      ),
  };
}

/** The user's own limits hold in the user's own transaction. */
const NO_LIMIT: Deadline = {
  race: (work) => work,
  remainingMs: () => Number.POSITIVE_INFINITY,
  cancel() {},
};

/** Steps in the user's transaction, one helper after another. */
export function boundDatabase(sessions: Sessions, shared: Shared): Database {
  const { runtime, timeoutMs } = shared;

  async function once<T>(steps: Steps<T>): Promise<T> {
    const lent = await sessions.borrow(NO_LIMIT);
    if (typeof lent === "symbol") {
      throw new StoreError("unavailable", "the transaction has no connection");
    }
    const { session, giveBack } = lent;
    try {
      return await drive(steps, ({ statement, values }) => session.send(statement, values));
    } finally {
      giveBack(true);
    }
  }

  return {
    ...shared,
    bound: true,
    lockMs: 0,
    run: (_extent, steps) =>
      withDeadline(runtime, timeoutMs, (deadline) =>
        roundsUntil(runtime, deadline, () => once(steps())),
      ),
  };
}
