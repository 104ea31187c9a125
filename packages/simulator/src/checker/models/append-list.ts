// A list, or many by key, that is only appended to: each read tells the order of all appends.

import type { Model, PartitionKey } from "../model.js";
import { sameData, show } from "../plain-data.js";

export type AppendListInput<Item> = (
  | { readonly kind: "read" }
  | { readonly kind: "append"; readonly item: Item }
) & {
  /** Which list; one and the same if absent. */
  readonly key?: PartitionKey;
};

/** The items read; an `append` may answer nothing, or the list's length after it. */
export type AppendListOutput<Item> = readonly Item[] | number | undefined;

/**
 * Creates the model of a list with `append` and `read`, or of one per `key`.
 *
 * Guarantee: a `read` answers all items in the order of their appends, compared as plain data, and
 * an `append` that answers a number the length after it.
 */
export function appendListModel<Item>(): Model<
  readonly Item[],
  AppendListInput<Item>,
  AppendListOutput<Item>
> {
  return {
    name: "append list",
    init: () => [],
    partitionKey: ({ key }) => key ?? "",
    isReadOnly: ({ kind }) => kind === "read",
    step(items, input, output) {
      if (input.kind === "read") {
        const right = output === undefined || sameData(output, items);
        return right ? { ok: true, state: items } : { ok: false };
      }
      const right = output === undefined || output === items.length + 1;
      return right ? { ok: true, state: [...items, input.item] } : { ok: false };
    },
    describe(input, output) {
      const of = input.key === undefined ? "" : ` ${show(input.key)}`;
      const asked = input.kind === "append" ? `append${of} ${show(input.item)}` : `read${of}`;
      return output === undefined ? asked : `${asked} -> ${show(output)}`;
    },
  };
}
