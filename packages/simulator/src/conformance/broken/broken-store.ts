// What a broken store is: a correct one, and what is done to it.

import type { Clause } from "../harness.js";
import type { Break } from "./breakage.js";

/** A way to break a correct store. */
export interface BrokenStore {
  readonly id: string;
  /** The clause that it breaks. */
  readonly clause: Clause;
  /** What it does wrong. */
  readonly flaw: string;
  /** The case, of that clause, that must reject it. */
  readonly rejectedBy: string;
  /** Other clauses that it breaks as well, whose cases may reject it too, each with the reason. */
  readonly alsoBreaks?: Readonly<Partial<Record<Clause, string>>>;
  /** Makes the wrapper for the clients of one new data set. */
  readonly create: () => Break;
}

/** `create` for wrappers that keep no state. */
export function always(wrapper: Break): () => Break {
  return () => wrapper;
}

/** Why the cases that record a history may reject what breaks another clause. */
export const HISTORY = "a recorded history is judged by the broken clause as well";
