// A counter: add and read.

import type { Model } from "../model.js";
import { show } from "../plain-data.js";

export type CounterInput =
  | { readonly kind: "read" }
  /** Answers the new total, or nothing. */
  | { readonly kind: "add"; readonly amount: number };

/** The total, or nothing for an `add` that does not tell. */
export type CounterOutput = number | undefined;

/**
 * Creates the model of a counter that starts at 0.
 *
 * Guarantee: a `read` answers the total, and an `add` that answers a number the total after it.
 */
export function counterModel(): Model<number, CounterInput, CounterOutput> {
  return {
    name: "counter",
    init: () => 0,
    isReadOnly: ({ kind }) => kind === "read",
    step(total, input, output) {
      const state = input.kind === "add" ? total + input.amount : total;
      return output === undefined || output === state ? { ok: true, state } : { ok: false };
    },
    describe(input, output) {
      const asked = input.kind === "add" ? `add ${input.amount}` : "read";
      return output === undefined ? asked : `${asked} -> ${show(output)}`;
    },
  };
}
