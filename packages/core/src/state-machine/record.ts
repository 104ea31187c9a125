// What a state machine keeps of an entity and of each answered request.

/** What the entity's entry keeps beside its data. */
export interface Head {
  readonly state: string;
  /** Who created it: a request id, or the opId of the write. */
  readonly by: string;
}

export interface Moved<State, Event> {
  readonly outcome: "moved";
  readonly event: Event;
  readonly from: State;
  readonly to: State;
  /** The wall clock of the process that fired, in milliseconds: for people, nothing is judged by it. */
  readonly atMs: number;
}

export interface Refused<State, Event> {
  readonly outcome: "refused";
  readonly event: Event;
  /** The state in which the event cannot happen. */
  readonly state: State;
}

/** An answer that is remembered. */
export type Recorded<State = string, Event = string> = Moved<State, Event> | Refused<State, Event>;

/** An answer of which nothing is to be remembered. */
export type Passing<State = string, Event = string> =
  /** Without a request id only: the entity is where the event leads. Nothing changed. */
  | { readonly outcome: "alreadyThere"; readonly event: Event; readonly state: State }
  /** There is no such entity. After a create the same request can move it. */
  | { readonly outcome: "notFound" };
