// Where the helpers' statements run: in transactions of their own, or in the user's. A helper is
// written once, as a generator of statements, so that on SQLite nothing comes between them.

import type { Runtime } from "@onceproof/core/advanced";
import type { Dialect } from "../shared/dialect.js";
import type { Reply } from "../shared/session.js";
import { type Fragment, NONE, type Query, raw, render, sql } from "./sql.js";

/** Statements one after another, each with its reply; what they come to in the end. */
export type Steps<T> = Generator<Query, T, Reply>;

/** It may have happened, or may yet happen. */
export interface Indeterminate {
  readonly outcome: "indeterminate";
  readonly cause: unknown;
}

/** Whether the statements of a helper are one transaction, or each of them is one. */
export type Extent = "together" | "apart";

/** A place where statements run. */
export interface Database {
  readonly dialect: Dialect;
  readonly runtime: Runtime;
  /** Whether that is the user's own transaction. */
  readonly bound: boolean;
  /** Told once and kept for all transactions of one client. */
  readonly facts: { strict?: boolean };
  /** How long a statement of ours may wait for locks on the server, in milliseconds. */
  readonly lockMs: number;
  /**
   * Runs steps to their end; again, while they come to undefined or others were the reason that
   * nothing was done, within one operation's time.
   *
   * Fails: in the user's transaction, what the driver throws. Else StoreError `unavailable` for what
   * certainly did nothing; no answer is told as *indeterminate*. What is thrown between the
   * statements is thrown on, and nothing is done.
   */
  run<T>(extent: Extent, steps: () => Steps<T | undefined>): Promise<T | Indeterminate>;
}

/** Sends one statement of a helper. */
export function* send(database: Pick<Database, "dialect">, statement: Fragment): Steps<Reply> {
  return yield render(database.dialect, statement);
}

/**
 * What stands before the words of a statement of ours on Postgres to limit its wait for locks, so
 * that one that was given up does not linger; none elsewhere and in the user's transaction.
 */
export function lockLimit(
  { dialect, bound, lockMs }: Pick<Database, "dialect" | "bound" | "lockMs">,
  before: string,
): Fragment {
  return dialect === "postgres" && !bound
    ? sql`${raw(before)}(SELECT set_config('lock_timeout', ${`${lockMs}ms`}, true)) limits`
    : NONE;
}
