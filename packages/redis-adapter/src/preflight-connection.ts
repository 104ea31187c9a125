// What preflight says where there is no connection, or no answer over it: the client's own words, and
// what to do about them.

import { type Deadline, pause, systemRuntime, TIMED_OUT } from "@onceproof/core/advanced";
import type { RedisClient } from "./client.js";
import type { Connection } from "./connection.js";
import { isHopeless, remedyFor } from "./connection-error.js";
import { connectionOf } from "./connection-of.js";
import type { Remark } from "./preflight-server.js";
import { addressOf } from "./servers.js";

const LOOK_AGAIN_MS = 25;
const LISTEN = "give the client an `error` listener: it tells why";

function unread(at: string, finding: string, remedy: string): Remark {
  return { id: "serverUnread", severity: "fatal", finding, remedy, at };
}

/** A server that gave no answer, though the client was connected before. */
export function unanswered(at: string, cause: Error): Remark {
  const remedy =
    remedyFor(cause) ?? "make sure that the server is up and the client connected, and look again";
  return unread(at, `no answer: ${cause.message}`, remedy);
}

/** What there is to say of a client without a connection. */
export function unconnected(
  client: RedisClient,
  connection: Connection,
  ms: number,
): Remark | undefined {
  const state = connection.state();
  if (state === "ready") {
    return undefined;
  }
  const at = connection.cluster ? "the cluster" : addressOf(client);
  const cause = connection.lastError();
  const remedy = remedyFor(cause) ?? LISTEN;
  if (state === "connecting") {
    return cause === undefined
      ? unread(at, `the client is not connected after ${ms} ms, and does not say why`, remedy)
      : unread(at, `the client is not connected: ${cause.message}`, remedy);
  }
  return cause === undefined
    ? unread(
        at,
        "the client is not connected: await client.connect()",
        "connect the client before anything uses it; one that was closed connects again likewise",
      )
    : unread(
        at,
        `the client gave up connecting: ${cause.message}`,
        `${remedy}; then await client.connect()`,
      );
}

/** Waits until the client is connected, has given up, or is not taken by the server. */
export async function ready(client: RedisClient, deadline: Deadline): Promise<void> {
  const connection = connectionOf(client);
  while (connection.state() === "connecting" && !isHopeless(connection.lastError())) {
    if ((await deadline.race(pause(systemRuntime, LOOK_AGAIN_MS))) === TIMED_OUT) {
      return;
    }
  }
}
