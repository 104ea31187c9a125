// Core's state machine over a table of the user's: core's definition says what is legal, the row's
// state column is the state, and the request log answers a repeated request as it was answered.

import type { FireResult, HistoryItem, StateMachineDefinition } from "@onceproof/core";
import { ArgumentError, checkDefinition } from "@onceproof/core/advanced";
import type { TableColumns } from "./columns.js";
import type { Tables } from "./create-tables.js";
import type { TransitionRowResult } from "./transition.js";
import type { Value, Values } from "./values.js";

/** Options of `createTableStateMachine`. */
export interface TableStateMachineOptions<State extends string, Event extends string> {
  /** Of `createTables`, or of its `within`: then every event happens in your transaction. */
  readonly tables: Tables;
  /** The table whose rows move. */
  readonly table: string;
  /** Its request log, made by `requestLogSchema`. */
  readonly log: string;
  /** States and events; checked at once. */
  readonly definition: StateMachineDefinition<State, Event>;
  readonly columns?: TableColumns;
}

/** Options of one event. */
export interface TableFireOptions {
  /** Names the request: its retry gets the same answer, although the row has moved on. */
  readonly requestId?: string;
  /** What else the move sets. */
  readonly set?: Values;
}

/** Rows that move between states. Insert them with `insertOnce`, in the initial state. */
export interface TableStateMachine<State extends string, Event extends string> {
  /**
   * Moves a row, if the event is legal in its state.
   *
   * Guarantee: that of core's `StateMachine.fire`, for as long as the log has the request; no answer
   * is ever *expired* or *contended*.
   * Cost: that of `transitionRow`. Fails: as `transitionRow`.
   */
  fire(id: Value, event: Event, options?: TableFireOptions): Promise<FireResult<State, Event>>;
  /**
   * Tells the moves of named requests that the log has, oldest first.
   *
   * Cost: 1 statement.
   */
  history(id: Value): Promise<readonly HistoryItem<State, Event>[]>;
}

/** The answer in the words of core. */
function fireResult<State extends string, Event extends string>(
  result: TransitionRowResult,
  fired: Event,
): FireResult<State, Event> {
  switch (result.outcome) {
    case "moved": {
      const { outcome, atMs, replayed } = result;
      const event = (result.event ?? fired) as Event;
      return {
        outcome,
        event,
        from: result.from as State,
        to: result.to as State,
        atMs,
        replayed,
      };
    }
    case "refused": {
      const { outcome, status, replayed } = result;
      const event = (result.event ?? fired) as Event;
      return { outcome, event, state: status as State, replayed };
    }
    case "alreadyThere":
      return { outcome: "alreadyThere", event: fired, state: result.status as State };
    default:
      return result;
  }
}

/**
 * Creates a state machine over a table of yours.
 *
 * Guarantee: see `TableStateMachine.fire`. Cost: no statement. Fails: ArgumentError for a definition
 * in which a state is unknown or out of reach.
 */
export function createTableStateMachine<const State extends string, const Event extends string>(
  options: TableStateMachineOptions<State, Event>,
): TableStateMachine<State, Event> {
  const { tables, table, log, definition, columns } = options;
  const transitions = checkDefinition(definition);
  const named = { ...(columns && { columns }) };
  return {
    async fire(id, event, { requestId, set } = {}) {
      const transition = transitions.get(event);
      if (transition === undefined) {
        const known = [...transitions.keys()].join(", ");
        throw new ArgumentError("optionInvalid", `no event "${event}": there are ${known}`);
      }
      const { from, to } = transition;
      const asked = { ...(requestId !== undefined && { requestId, log }), ...(set && { set }) };
      const result = await tables.transitionRow(table, {
        id,
        from,
        to,
        event,
        ...asked,
        ...named,
      });
      return fireResult<State, Event>(result, event);
    },

    async history(id) {
      const requests = await tables.requests(table, { id, log, ...named });
      return requests.flatMap(({ outcome, requestId, detail, from, to, atMs }) =>
        outcome === "moved" && detail !== null
          ? [
              {
                event: detail as Event,
                from: from as State,
                to: to as State,
                atMs,
                requestId,
              },
            ]
          : [],
      );
    },
  };
}
