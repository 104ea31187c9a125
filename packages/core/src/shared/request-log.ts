// The bounded log of answered requests inside an entity's entry. What makes its bound safe: each
// request keeps the revision it was based on, and the log the largest of those that it dropped.

import { utf8Length } from "../contract/check-write.js";
import { checkKey } from "./arguments.js";

/** One answered request: its id, the revision of the entry it was based on, its answer. */
export type LoggedRequest<Answer> = readonly [id: string, base: number, answer: Answer];

/** Answered requests, oldest first; their bases strictly increase. */
export interface RequestLog<Answer> {
  readonly requests: readonly LoggedRequest<Answer>[];
  /**
   * The largest base of a request that is no longer here; every request that took a larger one is
   * still found. So one whose earliest possible base is larger, and that is not found, never ran.
   */
  readonly dropped: number;
}

/** How much a log keeps; the latest request stays in any case. */
export interface LogLimits {
  readonly requests: number;
  readonly bytes: number;
}

/** Throws unless a request id, if there is one, can name a request. */
export function checkRequestId(requestId: unknown): void {
  if (requestId !== undefined) {
    checkKey(requestId, "requestId");
  }
}

/** The id under which a request is logged: the caller's, or the opId of an unnamed one's write. */
export function logId(requestId: string | undefined, opId: string): string {
  return requestId === undefined ? `~${opId}` : `=${requestId}`;
}

/** The caller's request id behind a logged id; undefined for an unnamed request. */
export function requestIdOf(id: string): string | undefined {
  return id[0] === "=" ? id.slice(1) : undefined;
}

/** The recorded answer of a request; undefined if it is not in the log. */
export function findAnswer<Answer>(log: RequestLog<Answer>, id: string): Answer | undefined {
  return log.requests.find((request) => request[0] === id)?.[2];
}

/** The log with one more request, the oldest dropped where the limits ask for it. */
export function logRequest<Answer>(
  log: RequestLog<Answer>,
  request: LoggedRequest<Answer>,
  limits: LogLimits,
): RequestLog<Answer> {
  const requests = [...log.requests, request];
  let { dropped } = log;
  let first = Math.max(0, requests.length - limits.requests);
  // A UTF-16 unit is at most three bytes, so most logs need no count.
  if (JSON.stringify(requests).length * 3 > limits.bytes) {
    let bytes = 0;
    let kept = requests.length;
    do {
      kept -= 1;
      bytes += utf8Length(JSON.stringify(requests[kept])) + 1;
    } while (kept > first && bytes <= limits.bytes);
    first = bytes > limits.bytes ? Math.min(kept + 1, requests.length - 1) : first;
  }
  for (const [, base] of requests.splice(0, first)) {
    dropped = Math.max(dropped, base);
  }
  return { requests, dropped };
}
