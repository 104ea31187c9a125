// Tells what a failed statement means from its SQLSTATE: rolled back for certain, worth another
// send, or nobody can say.

import { driverError } from "@onceproof/core/advanced";
import type { Failure } from "../shared/exchange.js";
import { PreparedLost } from "../shared/session.js";

// Rolled back for certain, and the same statement may well succeed at once.
const PASSING = new Set(["40001", "40P01"]);

// The connection or a pooler in front of it lost, or changed, the prepared statement.
const PREPARED_LOST = new Set(["26000", "42P05", "0A000"]);

// Errors that abort the statement and with it its transaction. Left out on purpose: 08 and 57
// (the session may have ended after the commit), 40003, 58 and XX.
const ABORTED_CLASSES = new Set([
  ...["0A", "21", "22", "23", "26", "28", "3D", "3F", "42", "44", "53", "54", "P0"],
]);
const ABORTED_CODES = new Set(["25006", "25P02", "40001", "40P01", "55P03"]);

/** The five characters that name a server's error, if it is one. */
export function sqlstate(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { readonly code?: unknown }).code : undefined;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** Whether the statement certainly did nothing. */
export function isAborted(code: string): boolean {
  return ABORTED_CLASSES.has(code.slice(0, 2)) || ABORTED_CODES.has(code);
}

/** Whether a function of the user's raised it, a trigger's say, by whatever code: so within a statement. */
function isRaised(error: unknown): boolean {
  return (Object(error) as { readonly routine?: unknown }).routine === "exec_stmt_raise";
}

/** Whether a statement that did nothing is worth sending again. */
export function isPassing(code: string): boolean {
  return PASSING.has(code);
}

const CONTENTION = new Set(["40001", "40P01", "55P03"]);

/** Whether others are the reason: serialization failure, deadlock, or a wait that took too long. */
export function isContention(error: unknown): boolean {
  return error instanceof PreparedLost || CONTENTION.has(bridgedState(error) ?? "");
}

const CANCELED = "57014";

/**
 * Whether others are the reason that a step of a bound store failed. It is short but for its wait
 * for others, so it is they by whom the session's own statement_timeout came to an end.
 */
export function isStepContention(error: unknown): boolean {
  return isContention(error) || bridgedState(error) === CANCELED;
}

/**
 * The SQLSTATE of an error that may have come through a bridge: Prisma has codes of its own, and
 * tells the server's in words, or has one code for all conflicts.
 */
export function bridgedState(error: unknown): string | undefined {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  if (code === "P2034") {
    return "40001";
  }
  return /Code: `([0-9A-Z]{5})`/.exec(String(message))?.[1] ?? sqlstate(error);
}

// pg says this of a statement that it did not even queue; the codes are of a connection that could
// not be made, and of postgres.js when it has ended.
const NOT_SENT = /not queryable/;
const NO_CONNECTION = new Set(["ECONNREFUSED", "ENOTFOUND", "CONNECT_TIMEOUT", "CONNECTION_ENDED"]);

/** What an error proves of a statement in a transaction of its own. */
export function meaning(error: unknown): Failure {
  const code = sqlstate(error) ?? "";
  const cause = driverError(error);
  if (isAborted(code) || isRaised(error)) {
    return { kind: "nothing", cause, again: isPassing(code) };
  }
  const unsent = NO_CONNECTION.has(String((cause as { code?: unknown }).code));
  return unsent || NOT_SENT.test(cause.message)
    ? { kind: "nothing", cause, again: false }
    : { kind: "noAnswer", cause };
}

/** Whether the statement should be sent again without a name. */
export function isPreparedLost(code: string): boolean {
  return PREPARED_LOST.has(code);
}
