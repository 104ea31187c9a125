// The bounded log of answered requests inside an entity's entry. What makes its bound safe: each
// request keeps the revision it was based on, and the log the largest of those that it dropped.

import { checkKey } from "./arguments.js";
import { exceeds } from "./input.js";

/** One answered request: its id, the revision of the entry it was based on, its answer. */
export type LoggedRequest<Answer> = readonly [id: string, base: number, answer: Answer];

/** Answered requests, oldest first; their bases strictly increase. */
export interface RequestLog {
  /** A line of JSON for each, begun by its newline: to find or add one, the others are not parsed. */
  readonly lines: string;
  readonly count: number;
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
export function findAnswer<Answer>({ lines }: RequestLog, id: string): Answer | undefined {
  const start = lines.indexOf(`\n[${JSON.stringify(id)},`);
  return start < 0 ? undefined : parse<Answer>(lines.slice(start + 1))[2];
}

/** All requests of a log. */
export function requestsOf<Answer>({ lines }: RequestLog): readonly LoggedRequest<Answer>[] {
  return lines
    .split("\n")
    .slice(1)
    .map(parse<Answer>);
}

/** The log with one more request, the oldest dropped where the limits ask for it. */
export function logRequest(
  log: RequestLog,
  request: LoggedRequest<unknown>,
  limits: LogLimits,
): RequestLog {
  let lines = `${log.lines}\n${JSON.stringify(request)}`;
  let count = log.count + 1;
  let { dropped } = log;
  while (count > 1 && (count > limits.requests || exceeds(lines, limits.bytes))) {
    dropped = Math.max(dropped, parse(lines.slice(1))[1]);
    lines = lines.slice(lines.indexOf("\n", 1));
    count -= 1;
  }
  return { lines, count, dropped };
}

function parse<Answer>(text: string): LoggedRequest<Answer> {
  const end = text.indexOf("\n");
  return JSON.parse(end < 0 ? text : text.slice(0, end));
}
