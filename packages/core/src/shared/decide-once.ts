// One request decides about one entity, at most once however often it is asked: the loop behind
// state machine and register. It looks, asks the algorithm what follows, and writes the outcome
// together with the record of the request, in one atomic step.

import type { WriteWithoutOpId } from "../contract/capabilities.js";
import { checkSignal } from "./arguments.js";
import {
  type Body,
  decodeEntity,
  type Entity,
  encodeEntity,
  look,
  type Seen,
  seenIn,
} from "./entity.js";
import type { EntityOptions } from "./entity-options.js";
import { randomId } from "./random-id.js";
import { decodeRecord, encodeRecord } from "./record.js";
import { findAnswer, logId, logRequest, type RequestLog } from "./request-log.js";
import { sendStep } from "./step.js";
import { storeKey } from "./store-key.js";
import { elapsedMs, instantNow, jitter, pause } from "./time.js";

/** One call about one entity. */
export interface EntityRequest {
  readonly key: string;
  /** Undefined for a request that is not remembered beyond this call. */
  readonly requestId: string | undefined;
  /** What the caller's snapshot saw, from before the request's first call. */
  readonly snapshot: Seen | undefined;
  readonly signal: AbortSignal | undefined;
}

/** What the algorithm makes of the entity as it stands. */
export interface Decision<Head, Answer> {
  readonly answer: Answer;
  /** What the entity becomes; undefined if it stays as it is. */
  readonly next: Body<Head> | undefined;
  /** Whether the answer is to be remembered; required if the entity changes. */
  readonly record: boolean;
}

/** Why a request has no answer. */
export type NoAnswer =
  /** So old that whether it ran may have been forgotten: it was not run now. */
  | { readonly outcome: "expired" }
  /** Others won every round; nothing changed. */
  | { readonly outcome: "contended"; readonly rounds: number }
  /** It may have happened, or may yet happen. Ask again with the same request id. */
  | { readonly outcome: "indeterminate"; readonly cause: unknown };

export type Decided<Answer> =
  | { readonly outcome: "answered"; readonly answer: Answer; readonly replayed: boolean }
  | NoAnswer;

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

/** A write whose answer is known: it applied, or this refused it. */
type Sent<Answer> =
  | { readonly outcome: "applied" }
  | { readonly outcome: "refused"; readonly seen: Seen }
  | Decided<Answer>;

/**
 * Decides once.
 *
 * Guarantee: each (key, request id) gets one answer while it is remembered; without an id, the
 * decision is applied at most once per call. `decide` is asked again only after it is certain that
 * the write of its last decision did not apply and never will.
 * Cost: 2 per round; 1 for the first under a snapshot, and for the second.
 */
export async function decideOnce<Head, Answer extends object>(
  options: EntityOptions,
  request: EntityRequest,
  decide: (body: Body<Head> | undefined) => Decision<Head, Answer>,
): Promise<Decided<Answer>> {
  const { store, runtime, emit, maxRounds } = options;
  const { key, requestId, snapshot, signal } = request;
  checkSignal(signal);
  const at = storeKey(options.prefix, key);
  const ownKey = requestId && options.multi ? storeKey(at, requestId) : undefined;
  // A key that was absent may have come and been forgotten since: only what is there can be expected.
  let since = instantNow(runtime);
  let seen = snapshot?.entry ? snapshot : await look(store, at);
  const earliest = snapshot ?? seen;
  for (let round = 1; ; ) {
    checkSignal(signal);
    const entity = decodeEntity<Head>(seen);
    const told = tellAgain<Answer>(options, request, ownKey, earliest, seen, entity.log);
    if (told) {
      return told;
    }
    let decision: Decision<Head, Answer> | undefined;
    let failure: unknown;
    try {
      decision = decide(entity.body);
    } catch (error) {
      failure = error;
    }
    if (!decision?.record) {
      // Nothing will be written, so nothing would show that all this is out of date.
      if (seen === snapshot) {
        seen = await look(store, at);
        continue;
      }
      const own = ownKey ? recalled<Answer>(options, key, await look(store, ownKey)) : undefined;
      if (own) {
        return own;
      }
      if (!decision) {
        throw failure;
      }
      return { outcome: "answered", answer: decision.answer, replayed: false };
    }
    if (requestId !== undefined && elapsedMs(runtime, since) >= options.rememberedMs) {
      // It stood still so long that what it looked at tells nothing of this request any more.
      since = instantNow(runtime);
      seen = await look(store, at);
      continue;
    }
    const sent = await send(options, request, { at, ownKey, seen, entity, decision });
    if (sent.outcome === "applied") {
      return { outcome: "answered", answer: decision.answer, replayed: false };
    }
    if (sent.outcome !== "refused") {
      return sent;
    }
    if (round === maxRounds) {
      emit(key, { type: "contended", rounds: round });
      return { outcome: "contended", rounds: round };
    }
    since = instantNow(runtime);
    seen = sent.seen;
    if (round > 1) {
      // The state that refused is no news after a pause, so look again.
      const longest = Math.min(FIRST_PAUSE_MS * 2 ** round, LONGEST_PAUSE_MS);
      await pause(runtime, jitter(runtime, longest), signal);
      seen = await look(store, at);
    }
    round += 1;
  }
}

/** What a log tells about a request; undefined if it certainly never ran, or counts as new. */
function tellAgain<Answer>(
  options: EntityOptions,
  { key, requestId }: EntityRequest,
  ownKey: string | undefined,
  earliest: Seen,
  seen: Seen,
  log: RequestLog,
): Decided<Answer> | undefined {
  if (requestId === undefined) {
    return undefined;
  }
  const known = findAnswer<Answer>(log, logId(requestId, ""));
  if (known !== undefined) {
    return replay(options, key, known);
  }
  const forgotten =
    seen.now - earliest.now > options.rememberedMs * 1000 ||
    (!ownKey && earliest.revision <= log.dropped);
  return forgotten && seen !== earliest ? expire(options, key) : undefined;
}

function replay<Answer>({ emit }: EntityOptions, key: string, answer: Answer): Decided<Answer> {
  emit(key, { type: "replayed" });
  return { outcome: "answered", answer, replayed: true };
}

function expire({ emit }: EntityOptions, key: string): NoAnswer {
  emit(key, { type: "expired" });
  return { outcome: "expired" };
}

/** What a request's own entry tells; undefined if it never had one. */
function recalled<Answer>(
  options: EntityOptions,
  key: string,
  { entry, revision }: Seen,
): Decided<Answer> | undefined {
  if (entry !== undefined) {
    return replay(options, key, decodeRecord<Answer>(entry.value).header);
  }
  return revision > 0 ? expire(options, key) : undefined;
}

/** One decision about to be written. */
interface Draft<Head, Answer> {
  readonly at: string;
  /** Where the request has an entry of its own. */
  readonly ownKey: string | undefined;
  readonly seen: Seen;
  readonly entity: Entity<Head>;
  readonly decision: Decision<Head, Answer>;
}

/** Writes a decision and the record of its request, until it is known whether that applied. */
async function send<Head, Answer extends object>(
  options: EntityOptions,
  { key, requestId, signal }: EntityRequest,
  draft: Draft<Head, Answer>,
): Promise<Sent<Answer>> {
  const { ownKey, seen, decision } = draft;
  const opId = randomId(options.runtime);
  const id = logId(requestId, opId);
  const write = entityWrite(options, draft, id);
  // The request's own entry stands first, so that its conflict is the one that is told.
  const own = ownKey && ownWrite(options, ownKey, decision.answer);
  const answer = await sendStep(options, key, opId, own ? [own, write] : [write], signal);
  if (answer.outcome !== "refused") {
    return answer;
  }
  const later = seenIn(answer);
  if (ownKey) {
    return answer.index === 0
      ? (recalled<Answer>(options, key, later) ?? expire(options, key))
      : { outcome: "refused", seen: later };
  }
  if (answer.afterUnknown) {
    // It cannot apply any more, but an earlier send may have, and been superseded since.
    const { log } = decodeEntity<Head>(later);
    const mine = findAnswer<Answer>(log, id);
    if (mine !== undefined) {
      return { outcome: "answered", answer: mine, replayed: requestId !== undefined };
    }
    if (later.entry === undefined || seen.revision <= log.dropped) {
      return { outcome: "indeterminate", cause: undefined };
    }
  }
  return { outcome: "refused", seen: later };
}

/** The request's own entry. */
function ownWrite(options: EntityOptions, key: string, answer: object): WriteWithoutOpId {
  const next = { value: encodeRecord(answer), ttlMs: options.recordTtlMs };
  // Not `absent`: a request that had an entry once was answered once.
  return { key, expect: { absentSince: 0 }, next };
}

/** What happens to the entity's entry: always something, so that every decision has its turn. */
function entityWrite<Head, Answer>(
  options: EntityOptions,
  { at: key, ownKey, seen, entity, decision }: Draft<Head, Answer>,
  id: string,
): WriteWithoutOpId {
  const body = decision.next ?? entity.body;
  // Refusals about an entity that does not exist are kept no longer than other requests.
  const ttlMs = body === undefined ? options.recordTtlMs : options.ttlMs;
  const stamp = seen.entry?.stamp;
  if (ownKey && stamp && decision.next === undefined) {
    return { key, expect: stamp, next: { touch: true, ttlMs } };
  }
  const log =
    ownKey && !options.history
      ? entity.log
      : logRequest(entity.log, [id, seen.revision, decision.answer], options.limits);
  const next = { value: encodeEntity({ body, log }), ttlMs };
  return stamp
    ? { key, expect: stamp, next }
    : { key, expect: { absentSince: seen.revision }, next };
}
