// What one run leaves behind for its judges: who called what, what took place at sinks, and what
// clients were answered.

import type { ServiceMap } from "./context.js";

/** One call of a handler, in the order of sending. */
export interface LoggedCall {
  /** Which run of the handler; 0 for what a node's `start` does. */
  readonly run: number;
  /** What was called: an effect, `db.find`, `store.write`. */
  readonly step: string;
  /** The call as fault plans name it. */
  readonly from: string;
  readonly to: string;
  readonly nth: number;
}

/** An effect that took place. */
export interface TookPlace {
  readonly effect: string;
  /** What counts as the same effect, for people: `charge("o1", 100)`. */
  readonly key: string;
  /** Equal for the effects that count as one: by `key`, or by request and arguments. */
  readonly same: string;
  readonly args: readonly unknown[];
  readonly by: string;
  readonly atMs: number;
}

/** What a client was told. */
export interface Answered {
  /** The index among the requests. */
  readonly request: number;
  readonly client: string;
  readonly atMs: number;
  /** What the handler returned, or a final error that it threw. */
  readonly answer: { readonly returned: unknown } | { readonly threw: string };
}

/** A run as a custom check sees it, when everything has come to rest. */
export interface SimulatedHistory<S = unknown> {
  readonly effects: readonly TookPlace[];
  readonly answers: readonly Answered[];
  /** The services themselves: their methods answer at once here. */
  readonly services: S;
}

/** Everything that is kept of a run beside the world's own trace. */
export interface RunLog {
  readonly calls: LoggedCall[];
  readonly effects: TookPlace[];
  readonly answers: Answered[];
  /** Who sent which request. */
  readonly senders: { readonly request: number; readonly client: string }[];
  /** Runs of the handler that came to their end. */
  readonly ended: Set<number>;
  /** What handlers threw that was no answer, the first of each kind. */
  readonly errors: Set<string>;
  services: ServiceMap;
  /** A mistake in how the simulation is used, thrown when the run is over. */
  misuse: Error | undefined;
  runs: number;
}

export function createRunLog(): RunLog {
  return {
    calls: [],
    effects: [],
    answers: [],
    senders: [],
    ended: new Set(),
    errors: new Set(),
    services: {},
    misuse: undefined,
    runs: 0,
  };
}
