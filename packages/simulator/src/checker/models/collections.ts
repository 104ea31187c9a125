// A set and a first-in-first-out queue.

import type { Model, PartitionKey } from "../model.js";
import { sameData, show } from "../plain-data.js";

/** `add` and `remove` answer whether they changed anything; `has` whether it is there. */
export interface SetInput {
  readonly kind: "add" | "remove" | "has";
  readonly element: PartitionKey;
}

/**
 * Creates the model of a set that is empty at first, each element checked alone.
 *
 * Guarantee: exact for operations on one element; to list all elements is not modelled.
 */
export function setModel(): Model<boolean, SetInput, boolean> {
  return {
    name: "set",
    init: () => false,
    partitionKey: ({ element }) => element,
    isReadOnly: ({ kind }, output) => kind === "has" || output === false,
    step(there, { kind }, output) {
      const answer = kind === "add" ? !there : there;
      const state = kind === "has" ? there : kind === "add";
      return output === undefined || output === answer ? { ok: true, state } : { ok: false };
    },
    describe: ({ kind, element }, output) =>
      `${kind} ${show(element)}${output === undefined ? "" : ` -> ${show(output)}`}`,
  };
}

export type QueueInput<Item> =
  | { readonly kind: "enqueue"; readonly item: Item }
  /** Answers the oldest item, or null if there is none. */
  | { readonly kind: "dequeue" };

/** The item taken, or null; an `enqueue` may answer anything, or nothing. */
export type QueueOutput<Item> = Item | null | undefined;

/**
 * Creates the model of a first-in-first-out queue that is empty at first.
 *
 * Guarantee: items are compared as plain data; null is no item.
 */
export function queueModel<Item>(): Model<readonly Item[], QueueInput<Item>, QueueOutput<Item>> {
  return {
    name: "queue",
    init: () => [],
    isReadOnly: ({ kind }, output) => kind === "dequeue" && output === null,
    step(items, input, output) {
      if (input.kind === "enqueue") {
        return { ok: true, state: [...items, input.item] };
      }
      const answer = items.length === 0 ? null : items[0];
      const right = output === undefined || sameData(output, answer);
      return right ? { ok: true, state: items.slice(1) } : { ok: false };
    },
    describe(input, output) {
      const answer = output === undefined ? "" : ` -> ${show(output)}`;
      return input.kind === "enqueue" ? `enqueue ${show(input.item)}` : `dequeue${answer}`;
    },
  };
}
