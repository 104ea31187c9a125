// What a change of a row is asked for with, how its function refuses, and what it answers.

import { ArgumentError } from "@onceproof/core/advanced";
import type { TableColumns } from "./columns.js";
import type { Indeterminate } from "./database.js";
import { LONGEST_WORD } from "./request-log.js";
import type { Row, Value, Values } from "./values.js";

const REFUSED: unique symbol = Symbol("refused");

/** What `refuse` returns: return it from the function, and nothing changes. */
export interface RowRefusal {
  readonly [REFUSED]: string;
}

/** What the function is given beside the row. */
export interface RowUpdateContext {
  /** Refuses for this reason of at most 191 characters, which a log keeps and replays. */
  refuse(reason: string): RowRefusal;
}

/** Options of `updateVersioned`. */
export interface UpdateVersionedOptions<R extends object = Row> {
  /** The row's id. */
  readonly id: Value;
  /** The columns to set, by what the row holds; pure and synchronous, as it may be called again. */
  readonly update: (row: R, context: RowUpdateContext) => Values | RowRefusal;
  /** Names the request; needs `log`. */
  readonly requestId?: string;
  /** The table of `requestLogSchema`, in which named requests are kept. */
  readonly log?: string;
  /** How often it is tried while others write. @defaultValue 64 */
  readonly maxRounds?: number;
  readonly columns?: Omit<TableColumns, "version"> & { readonly version?: string };
}

/** What became of an update. */
export type UpdateVersionedResult =
  | {
      readonly outcome: "updated";
      /** The version that this request made, now or when it was first asked. */
      readonly version: number;
      readonly replayed: boolean;
    }
  /** The function refused, now or when the request was first asked. Nothing changed. */
  | { readonly outcome: "refused"; readonly reason: string; readonly replayed: boolean }
  | { readonly outcome: "notFound" }
  /** Others wrote in every round; nothing changed. */
  | { readonly outcome: "contended"; readonly rounds: number }
  | Indeterminate;

/** The `refuse` that functions are given. */
export function refuse(reason: string): RowRefusal {
  if (typeof reason !== "string" || reason === "" || reason.length > LONGEST_WORD) {
    throw new ArgumentError("optionInvalid", `a reason has 1 to ${LONGEST_WORD} characters`);
  }
  return { [REFUSED]: reason };
}

/** Why a function refused; undefined if it did not. */
export function reasonOf(made: unknown): string | undefined {
  return typeof made === "object" && made !== null && REFUSED in made
    ? (made as RowRefusal)[REFUSED]
    : undefined;
}
