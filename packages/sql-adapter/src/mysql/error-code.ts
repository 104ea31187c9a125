// Tells what a failed statement means from MySQL's and MariaDB's error numbers: rolled back for
// certain, worth another send, or nobody can say.

import { driverError } from "@onceproof/core/advanced";
import type { Failure } from "../shared/exchange.js";

/** Another row has this key: a racer's insert was committed first. */
export const DUPLICATE_KEY = 1062;

// Rolled back for certain, and the same may well succeed at once: a deadlock, and a row that changed
// under a snapshot (MariaDB's innodb_snapshot_isolation).
const PASSING = new Set([1213, 1020]);

// Errors of a statement that was not carried out: rights (1044 to 1049, 1142 to 1148, 1227), names
// and syntax, duplicates, a lock timeout, a server that only reads, no room, a packet too large, a
// check constraint (3819).
// Left out on purpose: 1053 (shutdown), 1180 (during commit), 1317, 1927 and 1969 (interrupted),
// and all numbers of clients.
const ABORTED = new Set([
  ...[1040, 1044, 1045, 1046, 1049, 1054, 1062, 1064, 1071, 1114, 1118, 1142, 1143, 1144, 1146],
  ...[1148, 1153, 1203, 1205, 1226, 1227, 1264, 1290, 1292, 1364, 1366, 1406, 1665, 1792, 1836],
  3819,
]);

// Classes of SQLSTATE that are of the statement alone: numbers of columns, data, constraints, rights
// and syntax, and what a user's trigger signals.
const ABORTED_CLASSES = new Set(["21", "22", "23", "42", "45"]);

// The mariadb driver numbers its own errors from here on.
const OF_CLIENTS = 45_000;

function isAborted(code: number, error: unknown): boolean {
  const { sqlState } = Object(error) as { sqlState?: unknown };
  const ofServer = code > 0 && code < OF_CLIENTS;
  return ABORTED.has(code) || (ofServer && ABORTED_CLASSES.has(String(sqlState).slice(0, 2)));
}

/** The server's error number, if it is one. */
export function errorNumber(error: unknown): number | undefined {
  const { errno, sqlState } = Object(error) as { errno?: unknown; sqlState?: unknown };
  // Drivers number the errors of their own as well, with a state of the network or none.
  const ofServer = typeof sqlState === "string" && !sqlState.startsWith("08");
  return typeof errno === "number" && ofServer ? errno : undefined;
}

// A lock wait that took too long, NOWAIT, and a statement that took too long, likely for a lock.
const WAITED = new Set([1205, 3572, 1969]);

/** Whether others are the reason: deadlock, a row that changed, or a wait that took too long. */
export function isContention(error: unknown): boolean {
  const code = errorNumber(error) ?? 0;
  return PASSING.has(code) || WAITED.has(code);
}

// The drivers' answers to a statement that they did not send, as the connection had ended before.
function isUnsent(error: unknown): boolean {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  return code === "ER_CMD_CONNECTION_CLOSED" || /in closed state/.test(String(message));
}

/** What an error proves of a statement in a transaction of its own. */
export function meaning(error: unknown): Failure {
  const code = errorNumber(error) ?? 0;
  const cause = Object.assign(driverError(error), code > 0 && { errno: code });
  return PASSING.has(code) || isAborted(code, error) || isUnsent(error)
    ? { kind: "nothing", cause, again: PASSING.has(code) }
    : { kind: "noAnswer", cause };
}
