// A register, or many by key: read, write, and compare-and-set.

import type { Model, PartitionKey, Step } from "../model.js";
import { sameData, show } from "../plain-data.js";

export type RegisterInput<Value> = (
  | { readonly kind: "read" }
  | { readonly kind: "write"; readonly value: Value }
  | { readonly kind: "cas"; readonly from: Value; readonly to: Value }
) & {
  /** Which register; one and the same if absent. */
  readonly key?: PartitionKey;
};

/** What was read; whether a `cas` was done; a write may answer anything, or nothing. */
export type RegisterOutput<Value> = Value | boolean | undefined;

/**
 * Creates the model of a register with `read`, `write` and `cas`, or of one per `key`.
 *
 * Guarantee: values are compared as plain data. A `cas` answers true and writes if and only if the
 * register holds `from`, else it answers false.
 */
export function registerModel<Value>(
  initial: Value,
): Model<Value, RegisterInput<Value>, RegisterOutput<Value>> {
  return {
    name: "register",
    init: () => initial,
    partitionKey: ({ key }) => key ?? "",
    isReadOnly: ({ kind }, output) => kind === "read" || (kind === "cas" && output === false),
    step: registerStep,
    describe(input, output) {
      const answer = output === undefined ? "" : ` -> ${show(output)}`;
      const of = input.key === undefined ? "" : ` ${show(input.key)}`;
      switch (input.kind) {
        case "read":
          return `read${of}${answer}`;
        case "write":
          return `write${of} ${show(input.value)}`;
        case "cas":
          return `cas${of} ${show(input.from)} to ${show(input.to)}${answer}`;
      }
    },
  };
}

function registerStep<Value>(
  state: Value,
  input: RegisterInput<Value>,
  output: RegisterOutput<Value>,
): Step<Value> {
  switch (input.kind) {
    case "read":
      return output === undefined || sameData(output, state) ? { ok: true, state } : { ok: false };
    case "write":
      return { ok: true, state: input.value };
    case "cas": {
      const holds = sameData(state, input.from);
      if (output !== undefined && output !== holds) {
        return { ok: false };
      }
      return { ok: true, state: holds ? input.to : state };
    }
  }
}
