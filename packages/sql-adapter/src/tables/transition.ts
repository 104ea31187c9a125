// What a move of a row is asked for with, and what it answers.

import type { TableColumns } from "./columns.js";
import type { Indeterminate } from "./database.js";
import type { Value, Values } from "./values.js";

/** Options of `transitionRow`. */
export interface TransitionRowOptions {
  /** The row's id. */
  readonly id: Value;
  /** The states that it may be in. */
  readonly from: string | readonly string[];
  /** The state that it moves to. */
  readonly to: string;
  /** The version that it must have, if that matters. */
  readonly version?: number;
  /** What else the move sets. */
  readonly set?: Values;
  /** Names the request; needs `log`. */
  readonly requestId?: string;
  /** The table of `requestLogSchema`, in which named requests are kept. */
  readonly log?: string;
  /** What the log tells of the move, at most 191 characters. */
  readonly event?: string;
  readonly columns?: TableColumns;
}

/** What became of a move. The version is null for a table without versions. */
export type TransitionRowResult =
  | {
      readonly outcome: "moved";
      readonly from: string;
      readonly to: string;
      /** The version that the move made. */
      readonly version: number | null;
      readonly event: string | null;
      /** The wall clock of the process that moved it: for people. */
      readonly atMs: number;
      /** Whether this request had moved it already. */
      readonly replayed: boolean;
    }
  /** The row may not move from this state, or has another version. Nothing changed. */
  | {
      readonly outcome: "refused";
      readonly status: string;
      readonly version: number | null;
      readonly event: string | null;
      readonly replayed: boolean;
    }
  /** Without a request id only: the row is where the move leads. Nothing changed. */
  | { readonly outcome: "alreadyThere"; readonly status: string; readonly version: number | null }
  | { readonly outcome: "notFound" }
  | Indeterminate;
