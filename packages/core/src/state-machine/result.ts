// What a state machine answers: tagged unions, never judged by falsiness.

import type { NoAnswer } from "../shared/decide-once.js";
import type { Moved, Passing, Recorded } from "./record.js";
import type { Snapshot } from "./snapshot.js";

/** Whether the answer was recorded before: at most one call per request is told `false`. */
interface Repeatable {
  readonly replayed: boolean;
}

/** What became of an event. */
export type FireResult<State extends string, Event extends string> =
  | (Recorded<State, Event> & Repeatable)
  | Passing<State, Event>
  | NoAnswer;

/** What became of a create. */
export type CreateResult<State extends string, Data> =
  | { readonly outcome: "created"; readonly snapshot: Snapshot<State, Data> }
  /** This request created it earlier; the entity as it stands now. */
  | { readonly outcome: "replayed"; readonly snapshot: Snapshot<State, Data> }
  /** Another request created it; the entity as it stands now. */
  | { readonly outcome: "exists"; readonly snapshot: Snapshot<State, Data> }
  /** It may have happened, or may yet happen. Ask again with the same request id. */
  | { readonly outcome: "indeterminate"; readonly cause: unknown };

/** One move of an entity's history. */
export interface HistoryItem<State extends string, Event extends string>
  extends Omit<Moved<State, Event>, "outcome"> {
  /** The request that moved it, if it had an id. */
  readonly requestId?: string;
}
