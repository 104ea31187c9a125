// What a state machine may do, as data: states and events, and the check that they fit together.

import { ArgumentError } from "../errors/errors.js";
import { checkKey } from "../shared/arguments.js";

/** One event: the states it may happen in, and the state it leads to. */
export interface Transition<State extends string> {
  readonly from: readonly NoInfer<State>[];
  readonly to: State;
}

/** A state machine. The states are `initial` and those that events lead to. */
export interface StateMachineDefinition<State extends string, Event extends string> {
  readonly initial: State;
  readonly events: { readonly [event in Event]: Transition<State> };
}

/** The events by name. A Map, so that no event of Object's prototype is found. */
export type Transitions = ReadonlyMap<string, Transition<string>>;

function invalid(message: string): never {
  throw new ArgumentError("optionInvalid", `definition: ${message}`);
}

/** Throws an ArgumentError unless every event can happen: each of its states can be reached. */
export function checkDefinition(
  definition: StateMachineDefinition<string, string> | undefined,
): Transitions {
  const { initial, events } = definition ?? invalid("needs { initial, events }");
  checkKey(initial, "definition: initial");
  const transitions = new Map(Object.entries(events ?? {}));
  for (const [event, transition] of transitions) {
    checkKey(event, "definition: an event");
    checkKey(transition?.to, `definition: "to" of "${event}"`);
    if (!Array.isArray(transition.from) || !transition.from.length) {
      invalid(`"${event}" needs "from", the states it may happen in`);
    }
  }
  const reached = new Set([initial]);
  // A Set's iteration also visits what is added on the way.
  for (const state of reached) {
    for (const { from, to } of transitions.values()) {
      if (from.includes(state)) {
        reached.add(to);
      }
    }
  }
  for (const [event, { from }] of transitions) {
    for (const state of from) {
      if (!reached.has(state)) {
        invalid(
          `"${event}" starts from "${state}", but only ${[...reached].join(", ")} can be reached`,
        );
      }
    }
  }
  return transitions;
}
