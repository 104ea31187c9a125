// Tells what a rejected command means: the server's own refusal, which did nothing, or anything
// else, after which nobody can say whether the command ran.

// The classes ioredis (redis-errors) and node-redis give to an error that the server replied. Where
// a bundler renamed them the error counts as no answer, which is the safe side.
const REPLY_ERRORS = new Set(["ReplyError", "ErrorReply", "SimpleError", "BlobError"]);

// The server will answer soon: worth another send of the same opId within the operation's time.
// READONLY: a master that became a replica, until the client finds the new one. The scripts' first
// writing command is refused so, hence nothing was written.
const PASSING = new Set(["LOADING", "BUSY", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "READONLY"]);

// A cluster that is being changed sent a client round in circles.
const REDIRECTED = new Set(["MOVED", "ASK"]);

/** What to do where a command is answered with QUEUED, or with anything but its own reply. */
export const OWN_CLIENT = "its connection is in a MULTI, so give the store a client of its own";

/** The first word of an error that the server replied, such as `NOSCRIPT` or `OOM`. */
export function replyCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) {
    return undefined;
  }
  let prototype: unknown = Object.getPrototypeOf(error);
  while (typeof prototype === "object" && prototype !== null) {
    if (REPLY_ERRORS.has(prototype.constructor.name)) {
      return /^[A-Z][A-Z0-9]*(?= |$)/.exec(error.message)?.[0] ?? "ERR";
    }
    prototype = Object.getPrototypeOf(prototype);
  }
  return undefined;
}

// Without a code of its own a Redis that refuses speaks of the script or of the command.
const OF_THE_CALL = /\bscript\b|\bcommand\b/i;

/**
 * Whether an error reply proves that nothing was done. A proxy in between answers with errors of its
 * own, such as `upstream failure` or `ERR Connection timed out`, also when the server has run the
 * command and only its reply was lost.
 */
export function provesNothingDone(error: unknown): boolean {
  const code = replyCode(error);
  return code === "ERR" ? OF_THE_CALL.test((error as Error).message) : code !== undefined;
}

/** Whether an error says that the server does not know the script; sending its text is harmless. */
export function isScriptUnknown(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("NOSCRIPT");
}

/** Whether the server refused only for the moment. */
export function isPassing(code: string, cluster: boolean): boolean {
  return PASSING.has(code) || (cluster && REDIRECTED.has(code));
}
