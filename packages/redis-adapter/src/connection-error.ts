// Why a client has no connection: clients tell it by their `error` event alone. It is observed, not
// handled, so that a process which would die of it, or hear of it, still does.

import { errorMonitor } from "node:events";
import { driverError } from "@onceproof/core/advanced";

type Listen = (event: string | symbol, listener: (...args: unknown[]) => void) => unknown;

/** What a client last said of its connection. */
export interface ErrorWatch {
  /** Records an error that a client tells in another way. */
  note(error: unknown): void;
  /** Forgets it: the client is connected. */
  connected(): void;
  /** Undefined while it is connected, and where it said nothing. */
  lastError(): Error | undefined;
}

// A URL's user and password. No message seen so far has any.
const CREDENTIALS = /\/\/[^/@\s]*@/g;

/** An error of a client as plain text and code: of several addresses tried, the first one's. */
export function plainError(error: unknown): Error {
  if (typeof error === "string") {
    return new Error(error.replace(CREDENTIALS, "//"));
  }
  const { errors, lastNodeError } = Object(error) as Record<string, unknown>;
  const inner = Array.isArray(errors) && errors.length > 0 ? errors[0] : lastNodeError;
  if (inner !== undefined && inner !== null) {
    return plainError(inner);
  }
  const plain = driverError(error);
  const { code } = plain as { readonly code?: string };
  plain.message = (plain.message || code || plain.name).replace(CREDENTIALS, "//");
  return plain;
}

/** Calls back with each error that a client tells, without handling it. */
export function observeErrors(
  client: { readonly on: unknown },
  listener: (error: unknown) => void,
): void {
  (client as { readonly on: Listen }).on(errorMonitor, listener);
}

/** Observes a client's errors. */
export function watchErrors(client: { readonly on: unknown }): ErrorWatch {
  let last: Error | undefined;
  const note = (error: unknown): void => {
    const said = plainError(error);
    // What is told last of a connection that failed; the reason was told before.
    if (last === undefined || said.message !== "Connection is closed.") {
      last = said;
    }
  };
  observeErrors(client, note);
  return {
    note,
    connected() {
      last = undefined;
    },
    lastError: () => last,
  };
}

/** That there is no connection, and why if the client said so. */
export function notConnected(said: string, cause: Error | undefined): Error {
  return cause === undefined ? new Error(said) : new Error(`${said}: ${cause.message}`, { cause });
}

const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/WRONGPASS|invalid password/, "correct the client's username and password"],
  [/NOAUTH/, "give the client the server's password"],
  [/ECONNREFUSED/, "start the server, or correct the client's host and port"],
  [/ENOTFOUND|EAI_AGAIN/, "correct the client's host, or see to the name server"],
  [
    /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|timeout/i,
    "make sure that the network lets the client through",
  ],
  [/certificate|CERT_|_TLS_|\bSSL\b|wrong version number/i, "correct the client's tls settings"],
  [/Connection is closed/, "see whether the servers are up, and host, port and password are right"],
  [/sentinel/i, "correct the client's sentinels and name"],
];

/** What to do about a lost or missing connection. */
export function remedyFor(cause: Error | undefined): string | undefined {
  const { code = "", message = "" } = (cause ?? {}) as { code?: string; message?: string };
  return REMEDIES.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1];
}

/** Whether waiting for the connection is no use: the server does not take this user. */
export function isHopeless(cause: Error | undefined): boolean {
  return cause !== undefined && /WRONGPASS|NOAUTH|invalid password/.test(cause.message);
}
