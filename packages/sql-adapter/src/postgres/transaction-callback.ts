// Transactions that a driver runs by itself around a function: those of postgres.js and PGlite. The
// driver begins, commits and rolls back; what is added is time limits, and what a failure means.

import { codeOf } from "@onceproof/core";
import { driverError, TIMED_OUT } from "@onceproof/core/advanced";
import { commitFailed, commitUnknown } from "../shared/lent-transaction.js";
import { unavailable, withDeadline } from "../shared/rounds.js";
import {
  contended,
  doomOf,
  isCausedBy,
  notCommitted,
  startWatch,
} from "../shared/transaction-watch.js";
import type { ResolvedOptions } from "./options.js";
import { isContention, meaning } from "./sqlstate.js";

/** How a driver runs a transaction. */
export interface CallbackTransactions<Tx> {
  begin(body: (tx: Tx) => Promise<void>): Promise<unknown>;
  /** Before the function, without waiting for it; awaited after it. */
  prepare(tx: Tx): Promise<unknown>;
  /** After the function; rejects if a statement had failed before. */
  probe?(tx: Tx): Promise<unknown>;
  /** In an aborted transaction: rejects with what lets the driver tell the first failure. */
  reveal?(tx: Tx): Promise<unknown>;
}

/** How far it has come: what a failure means depends on it. */
interface Progress<T> {
  late: boolean;
  /** What the function threw. */
  thrown?: { readonly error: unknown };
  /** What it returned; from now on COMMIT may be under way. */
  returned?: { readonly value: T };
}

const IN_ABORTED = "25P02";

function signal(): { readonly given: Promise<void>; give(): void } {
  let give = (): void => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

/** Runs `fn` in a transaction. Guarantee, Fails: those of `TransactionalStore.transaction`. */
export async function callbackTransaction<Tx, T>(
  { runtime, capabilities }: Pick<ResolvedOptions, "runtime" | "capabilities">,
  driver: CallbackTransactions<Tx>,
  fn: (tx: Tx) => Promise<T>,
): Promise<T> {
  const progress: Progress<T> = { late: false };
  const begun = signal();
  const ended = signal();
  const running = driver.begin(async (tx) => {
    begun.give();
    if (progress.late) {
      throw new Error("the connection came too late");
    }
    try {
      await runBody(driver, tx, fn, progress);
    } finally {
      ended.give();
    }
  });
  const settled = running.then(
    () => {},
    () => {},
  );
  const inTime = (work: Promise<unknown>): Promise<unknown> =>
    withDeadline(runtime, capabilities.operationTimeoutMs, (deadline) => deadline.race(work));

  if ((await inTime(Promise.race([begun.given, settled]))) === TIMED_OUT) {
    progress.late = true;
    throw unavailable(new Error("no connection within the operation timeout"));
  }
  // While the function runs there is no limit but the server's.
  await Promise.race([ended.given, settled]);
  return inTime(running).then(
    (end) => finish(end === TIMED_OUT ? new Error("no answer in time") : undefined, progress),
    (error: unknown) => finish(error ?? new Error("rejected"), progress),
  );
}

async function runBody<Tx, T>(
  driver: CallbackTransactions<Tx>,
  tx: Tx,
  fn: (tx: Tx) => Promise<T>,
  progress: Progress<T>,
): Promise<void> {
  const watch = startWatch(tx);
  const prepared = driver.prepare(tx);
  prepared.catch(() => {});
  let value: T;
  try {
    value = await fn(tx);
  } catch (error) {
    progress.thrown = { error: doomOf(watch, error, isContention) ?? error };
    watch.end();
    if (isCausedBy(error, (each) => codeOf(each) === IN_ABORTED)) {
      await driver.reveal?.(tx);
    }
    throw error;
  }
  await prepared;
  const doom = watch.doom();
  watch.end();
  if (doom !== undefined) {
    progress.thrown = { error: doom };
    throw doom;
  }
  await driver.probe?.(tx);
  progress.returned = { value };
}

/** What is told once the driver is done, or did not answer. */
function finish<T>(failure: unknown, { thrown, returned }: Progress<T>): T {
  if (thrown !== undefined) {
    // The function may have swallowed what the driver has kept.
    throw isContention(failure) ? contended(failure) : thrown.error;
  }
  if (failure === undefined && returned !== undefined) {
    return returned.value;
  }
  if (returned === undefined) {
    throw isContention(failure) ? commitFailed(failure, meaning, isContention) : notSent(failure);
  }
  // No answer is no error of the driver's: it has no code, so nobody knows.
  throw failure instanceof Error && !("code" in failure)
    ? commitUnknown(failure)
    : commitFailed(failure, meaning, isContention);
}

function notSent(error: unknown): Error {
  return notCommitted(driverError(error));
}
