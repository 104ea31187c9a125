// What an event does to an entity, and the request that carries it.

import { checkSynchronous } from "../shared/arguments.js";
import { type Decision, decideOnce, type EntityRequest } from "../shared/decide-once.js";
import type { Body } from "../shared/entity.js";
import type { EntityOptions } from "../shared/entity-options.js";
import { encodeInput } from "../shared/input.js";
import { decodeValue } from "../shared/value-codec.js";
import type { Transition } from "./definition.js";
import type { Head, Passing, Recorded } from "./record.js";
import type { FireResult } from "./result.js";

/** One event about to happen. */
export interface Firing {
  readonly event: string;
  readonly transition: Transition<string>;
  readonly data: ((data: unknown) => unknown) | undefined;
}

type Answer = Recorded | Passing;

export async function fire(
  options: EntityOptions,
  request: EntityRequest,
  firing: Firing,
): Promise<FireResult<string, string>> {
  const { emit } = options;
  const decided = await decideOnce<Head, Answer>(options, request, (body) =>
    decide(options, firing, body, request.requestId !== undefined),
  );
  if (decided.outcome !== "answered") {
    return decided;
  }
  const { answer, replayed } = decided;
  switch (answer.outcome) {
    case "moved": {
      const { outcome, event, from, to, atMs } = answer;
      if (!replayed) {
        emit(request.key, { type: "moved", from, to });
      }
      return { outcome, event, from, to, atMs, replayed };
    }
    case "refused": {
      const { outcome, event, state } = answer;
      if (!replayed) {
        emit(request.key, { type: "refused", reason: "illegal" });
      }
      return { outcome, event, state, replayed };
    }
    default:
      return answer;
  }
}

function decide(
  { runtime, maxPayloadBytes }: EntityOptions,
  { event, transition, data }: Firing,
  body: Body<Head> | undefined,
  named: boolean,
): Decision<Head, Answer> {
  if (body === undefined) {
    return { answer: { outcome: "notFound" }, next: undefined, record: false };
  }
  const { head, payload } = body;
  const { state } = head;
  const { from, to } = transition;
  if (from.includes(state)) {
    const atMs = Math.floor(runtime.wallNow());
    const next = {
      head: { ...head, state: to },
      payload: data
        ? encodeInput(
            checkSynchronous(data(decodeValue(payload)), "data"),
            "what data() returned",
            maxPayloadBytes,
          )
        : payload,
    };
    return { answer: { outcome: "moved", event, from: state, to, atMs }, next, record: true };
  }
  if (!named && state === to) {
    return { answer: { outcome: "alreadyThere", event, state }, next: undefined, record: false };
  }
  return { answer: { outcome: "refused", event, state }, next: undefined, record: named };
}
