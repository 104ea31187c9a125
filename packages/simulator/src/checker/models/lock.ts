// A lock with fencing tokens, one per resource.

import type { Model, PartitionKey, Step } from "../model.js";
import { show } from "../plain-data.js";

export type LockInput = (
  | { readonly kind: "acquire"; readonly owner: string }
  | { readonly kind: "release"; readonly owner: string }
) & {
  /** Which lock; one and the same if absent. */
  readonly resource?: PartitionKey;
};

/** `acquire` answers a fencing token, or whether it got the lock; `release` whether it held it. */
export type LockOutput = number | boolean;

export interface LockState {
  readonly owner: string | null;
  /** The largest token known to have been given. */
  readonly token: number;
}

/**
 * Creates the model of a lock, or of one per `resource`.
 *
 * Guarantee: one owner at a time, who does not acquire again before a release; only the owner
 * releases; tokens, where given, increase. Leases are not modelled: where a lease ended, record a
 * `release` of its owner without a return, invoked when the lease may have ended at the earliest.
 */
export function lockModel(): Model<LockState, LockInput, LockOutput> {
  return {
    name: "lock",
    init: () => ({ owner: null, token: -Infinity }),
    partitionKey: ({ resource }) => resource ?? "",
    isReadOnly: (_, output) => output === false,
    step: (state, input, output) =>
      input.kind === "acquire"
        ? acquire(state, input.owner, output)
        : release(state, input.owner, output),
    describeState: ({ owner, token }) =>
      `${owner === null ? "free" : `held by ${owner}`}, largest token ${token}`,
    describe({ kind, owner, resource }, output) {
      const of = resource === undefined ? "" : ` ${show(resource)}`;
      return `${kind}${of} by ${owner}${output === undefined ? "" : ` -> ${show(output)}`}`;
    },
  };
}

function acquire(state: LockState, owner: string, output: LockOutput | undefined): Step<LockState> {
  const free = state.owner === null;
  if (typeof output === "number") {
    const right = free && output > state.token;
    return right ? { ok: true, state: { owner, token: output } } : { ok: false };
  }
  if (output !== undefined && output !== free) {
    return { ok: false };
  }
  return { ok: true, state: free ? { owner, token: state.token } : state };
}

function release(state: LockState, owner: string, output: LockOutput | undefined): Step<LockState> {
  const held = state.owner === owner;
  if (output !== undefined && output !== held) {
    return { ok: false };
  }
  return { ok: true, state: held ? { owner: null, token: state.token } : state };
}
