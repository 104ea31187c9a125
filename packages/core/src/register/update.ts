// One update of a register: what the caller's function makes of the value, decided once.

import { checkKey, checkSynchronous } from "../shared/arguments.js";
import { type Decision, decideOnce, type EntityRequest } from "../shared/decide-once.js";
import type { Body } from "../shared/entity.js";
import type { EntityOptions } from "../shared/entity-options.js";
import { encodeInput } from "../shared/input.js";
import { decodeValue } from "../shared/value-codec.js";
import type { UpdateResult } from "./result.js";

declare const refusal: unique symbol;

/** What `refuse` returns: return it from the function, and nothing changes. */
export interface Refusal {
  readonly [refusal]: true;
}

/** What the function is given beside the value. */
export interface UpdateContext {
  /** Refuses the update for this reason, which is recorded and replayed. */
  refuse(reason: string): Refusal;
}

/** Makes the next value of the present one; pure and synchronous, as it may be called again. */
export type Update<T> = (value: T | undefined, context: UpdateContext) => T | Refusal;

/** An answer as it is recorded: the value it made, encoded, or the reason it refused for. */
type Answer = { readonly value: string } | { readonly reason: string };

/** A register's entries have no head: the value is all. */
export type Head = 0;

export async function update(
  options: EntityOptions,
  request: EntityRequest,
  fn: Update<unknown>,
): Promise<UpdateResult<unknown>> {
  const decided = await decideOnce<Head, Answer>(options, request, (body) =>
    decide(options, fn, body),
  );
  if (decided.outcome !== "answered") {
    return decided;
  }
  const { answer, replayed } = decided;
  const refused = "reason" in answer;
  if (!replayed) {
    const event = refused
      ? ({ type: "refused", reason: "fn" } as const)
      : { type: "updated" as const };
    options.emit(request.key, event);
  }
  return refused
    ? { outcome: "refused", reason: answer.reason, replayed }
    : { outcome: "updated", value: decodeValue(answer.value), replayed };
}

function decide(
  { maxPayloadBytes }: EntityOptions,
  fn: Update<unknown>,
  body: Body<Head> | undefined,
): Decision<Head, Answer> {
  const refusals = new Map<unknown, string>();
  const made = fn(body && decodeValue(body.payload), {
    refuse(reason) {
      checkKey(reason, "the reason of a refusal");
      const token = {} as Refusal;
      refusals.set(token, reason);
      return token;
    },
  });
  const next = checkSynchronous(made, "fn");
  const reason = refusals.get(next);
  if (reason !== undefined) {
    return { answer: { reason }, next: undefined, record: true };
  }
  const payload = encodeInput(next, "what fn returned", maxPayloadBytes);
  return { answer: { value: payload }, next: { head: 0, payload }, record: true };
}
