// A transaction on a connection that is borrowed for it: begun, given to the user's function, and
// committed or rolled back, whatever happens in between.

import { IndeterminateError } from "@onceproof/core";
import {
  driverError,
  type Runtime,
  type StoreCapabilities,
  TIMED_OUT,
} from "@onceproof/core/advanced";
import type { Meaning } from "./exchange.js";
import { unavailable, withDeadline } from "./rounds.js";
import { ENDINGS, type Endings, type Lent, type Session, type Sessions } from "./session.js";
import { contended, doomOf, notCommitted, startWatch, watchMethods } from "./transaction-watch.js";

/** How a dialect's transactions on borrowed connections go. */
export interface LentTransactions {
  readonly runtime: Runtime;
  readonly capabilities: StoreCapabilities;
  readonly sessions: Sessions;
  readonly meaning: Meaning;
  readonly isContention: (error: unknown) => boolean;
  /** The methods of the driver's connection that send statements. */
  readonly methods: readonly string[];
  /** @defaultValue plain ones */
  readonly endings?: Endings;
  begin(session: Session): Promise<unknown>;
  /** Sends COMMIT; false if the server answers that it has rolled back instead. */
  commit(session: Session, handle: object): Promise<boolean>;
}

/** The error for a commit of which nobody knows whether it took place. */
export function commitUnknown(cause: unknown): IndeterminateError {
  const what = "COMMIT got no answer: the transaction may have been committed, or may yet be";
  return new IndeterminateError("indeterminate", what, { cause: driverError(cause) });
}

/** The error for a failed COMMIT. */
export function commitFailed(error: unknown, meaning: Meaning, isContention: Contention): Error {
  if (isContention(error)) {
    return contended(error);
  }
  return meaning(error).kind === "nothing" ? notCommitted(error) : commitUnknown(error);
}

type Contention = (error: unknown) => boolean;

const NO_ANSWER = "no answer within the operation timeout";
const ABORTED = "a statement had failed, and the server rolled back";

/**
 * Runs `fn` in a transaction.
 *
 * Guarantee, Fails: those of `TransactionalStore.transaction`; `fn` runs once. The connection goes
 * back without a transaction or, if that cannot be had, is closed.
 * Cost: BEGIN and COMMIT or ROLLBACK, and what `fn` sends.
 */
export async function lentTransaction<T>(
  parts: LentTransactions,
  fn: (tx: never) => Promise<T>,
): Promise<T> {
  const lent = await open(parts);
  const { session, handle = session } = lent;
  const watch = startWatch(handle, session);
  const unwatch = watchMethods(handle, parts.methods, watch, parts.isContention);
  let value: T;
  try {
    value = await fn(handle as never);
  } catch (error) {
    unwatch();
    const told = doomOf(watch, error, parts.isContention) ?? error;
    watch.end();
    await rollBack(parts, lent);
    throw told;
  }
  unwatch();
  const doom = watch.doom();
  watch.end();
  if (doom !== undefined) {
    await rollBack(parts, lent);
    throw doom;
  }
  await commit(parts, lent, handle);
  return value;
}

function inTime<T>(
  { runtime, capabilities }: Pick<LentTransactions, "runtime" | "capabilities">,
  work: () => Promise<T>,
): Promise<T | typeof TIMED_OUT> {
  return withDeadline(runtime, capabilities.operationTimeoutMs, (deadline) =>
    deadline.race(work()),
  );
}

async function open(parts: LentTransactions): Promise<Lent> {
  const { runtime, capabilities, sessions, begin } = parts;
  return withDeadline(runtime, capabilities.operationTimeoutMs, async (deadline) => {
    let lent: Lent | typeof TIMED_OUT;
    try {
      lent = await sessions.borrow(deadline);
    } catch (error) {
      throw unavailable(driverError(error));
    }
    if (lent === TIMED_OUT) {
      throw unavailable(new Error("no connection within the operation timeout"));
    }
    try {
      if ((await deadline.race(begin(lent.session))) === TIMED_OUT) {
        throw new Error(NO_ANSWER);
      }
      return lent;
    } catch (error) {
      lent.giveBack(false);
      throw unavailable(driverError(error));
    }
  });
}

async function rollBack(parts: LentTransactions, { session, giveBack }: Lent): Promise<void> {
  const ended = await inTime(parts, () =>
    session.send((parts.endings ?? ENDINGS).rollBack, []),
  ).then(
    (reply) => reply !== TIMED_OUT,
    () => false,
  );
  giveBack(ended);
}

async function commit(parts: LentTransactions, lent: Lent, handle: object): Promise<void> {
  const { session, giveBack } = lent;
  let committed: boolean | typeof TIMED_OUT;
  try {
    committed = await inTime(parts, () => parts.commit(session, handle));
  } catch (error) {
    const failure = commitFailed(error, parts.meaning, parts.isContention);
    if (failure instanceof IndeterminateError) {
      giveBack(false);
    } else {
      await rollBack(parts, lent);
    }
    throw failure;
  }
  giveBack(committed !== TIMED_OUT);
  if (committed === TIMED_OUT) {
    throw commitUnknown(new Error(NO_ANSWER));
  }
  if (!committed) {
    throw notCommitted(new Error(ABORTED));
  }
}
