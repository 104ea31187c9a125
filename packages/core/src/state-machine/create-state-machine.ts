// `createStateMachine`: entities that move between states, at most once per request, and answer
// a repeated request as they answered it first.

import { ArgumentError } from "../errors/errors.js";
import { checkFunction, checkKey } from "../shared/arguments.js";
import { decodeEntity, keyAndSeen, look } from "../shared/entity.js";
import { type RememberingOptions, resolveEntityOptions } from "../shared/entity-options.js";
import { encodeInput } from "../shared/input.js";
import { checkRequestId, requestIdOf, requestsOf } from "../shared/request-log.js";
import { storeKey } from "../shared/store-key.js";
import { createEntity } from "./create-entity.js";
import { checkDefinition, type StateMachineDefinition } from "./definition.js";
import { fire } from "./fire.js";
import type { Recorded } from "./record.js";
import type { CreateResult, FireResult, HistoryItem } from "./result.js";
import { type Snapshot, snapshotOf } from "./snapshot.js";

export interface StateMachineOptions<State extends string, Event extends string, Data>
  extends RememberingOptions {
  /** States and events; checked at once. */
  readonly definition: StateMachineDefinition<State, Event>;
  /** The data of an entity whose `create` gives none; also tells the type. @defaultValue undefined */
  readonly data?: Data;
}

/** Options of one create. */
export interface CreateOptions<Data> {
  /** @defaultValue the factory's `data` */
  readonly data?: Data;
  /** Names the request, so that its retry is told *replayed* and not *exists*. */
  readonly requestId?: string;
  /** Ends re-sending: then the answer is *indeterminate*. */
  readonly signal?: AbortSignal;
}

/** Options of one event. */
export interface FireOptions<Data> {
  /** Names the request: its retry gets the same answer, although the entity has moved on. */
  readonly requestId?: string;
  /** The data after the move. Pure and synchronous; may be called several times. */
  readonly data?: (data: Data) => Data;
  /** Ends trying and re-sending. */
  readonly signal?: AbortSignal;
}

/** Entities that move between states. */
export interface StateMachine<State extends string, Event extends string, Data> {
  /**
   * Creates an entity in the initial state.
   *
   * Guarantee: one create per id succeeds, and its creator is recognised when it asks again.
   * Cost: 1. Fails: `unavailable`, `aborted`; argument errors, before anything is sent.
   */
  create(id: string, options?: CreateOptions<Data>): Promise<CreateResult<State, Data>>;
  /**
   * Takes a snapshot, or tells that there is no entity. To fire from it spares the first look.
   * Take it when the requestId is made and keep it through retries: then a request that may have
   * been forgotten is *expired* and not run again.
   *
   * Guarantee: one instant of the store. Cost: 1. Fails: `unavailable`; argument errors.
   */
  get(id: string): Promise<Snapshot<State, Data> | undefined>;
  /**
   * Moves an entity, if the event is legal in its state.
   *
   * Guarantee: each (id, requestId) moves the entity at most once and gets the same answer again,
   * refusals included, although the entity has moved on. An illegal move changes neither state nor
   * data. Without requestId a lost reply does not move twice, and already-at-target is success and
   * says so. How long requests are remembered: on a store with `writeAll` for `retentionMs`, else
   * the last `requestWindow` of the entity; a forgotten one is *expired* if it comes with its
   * snapshot, and counts as new without.
   * Cost: 2, with a snapshot 1; each further round while others write at most 2.
   * Fails: `unavailable` and `aborted`: it did not move; argument errors, before anything is sent;
   * what `data` throws, and `inputUnencodable` or `valueTooLarge` for what it returns: nothing
   * changed.
   * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
   */
  fire(
    entity: string | Snapshot<State, Data>,
    event: Event,
    options?: FireOptions<Data>,
  ): Promise<FireResult<State, Event>>;
  /**
   * Tells the latest moves, oldest first: those among the last `requestWindow` requests.
   *
   * Guarantee: one instant of the store. Cost: 1. Fails: `unavailable`; argument errors.
   */
  history(id: string): Promise<readonly HistoryItem<State, Event>[]>;
}

/**
 * Creates a state machine over any store; its states and events become types.
 *
 * Guarantee: see `StateMachine.fire`. All users of one name need one kind of store: with `writeAll`,
 * or without.
 * Cost: no store call. Fails: ArgumentError for bad options, and for a definition in which a state
 * is unknown or out of reach.
 */
export function createStateMachine<
  const State extends string,
  const Event extends string,
  Data = unknown,
>(options: StateMachineOptions<State, Event, Data>): StateMachine<State, Event, Data> {
  const transitions = checkDefinition(options?.definition);
  const resolved = resolveEntityOptions("stateMachine", options, true);
  const { store, prefix, maxPayloadBytes } = resolved;
  const encode = (data: unknown): string => encodeInput(data, "data", maxPayloadBytes);
  const state = options.definition.initial;
  encode(options.data);

  return {
    async create(id, { data = options.data, requestId, signal } = {}) {
      checkKey(id, "id");
      checkRequestId(requestId);
      const creation = { id, state, payload: encode(data), requestId, signal };
      return (await createEntity(resolved, creation)) as CreateResult<State, Data>;
    },

    async get(id) {
      checkKey(id, "id");
      return snapshotOf(id, await look(store, storeKey(prefix, id)));
    },

    async fire(entity, event, { requestId, data, signal } = {}) {
      const { key, snapshot } = keyAndSeen(entity, "id");
      checkRequestId(requestId);
      const transition = transitions.get(event);
      if (transition === undefined) {
        const known = [...transitions.keys()].join(", ");
        throw new ArgumentError("optionInvalid", `no event "${event}": there are ${known}`);
      }
      if (data !== undefined) {
        checkFunction(data, "data");
      }
      const firing = { event, transition, data: data as (data: unknown) => unknown };
      const request = { key, requestId, snapshot, signal };
      return (await fire(resolved, request, firing)) as FireResult<State, Event>;
    },

    async history(id) {
      checkKey(id, "id");
      const { log } = decodeEntity(await look(store, storeKey(prefix, id)));
      return requestsOf<Recorded<State, Event>>(log).flatMap(([logged, , answer]) => {
        if (answer.outcome !== "moved") {
          return [];
        }
        const { outcome: _, ...move } = answer;
        const requestId = requestIdOf(logged);
        return [requestId === undefined ? move : { ...move, requestId }];
      });
    },
  };
}
