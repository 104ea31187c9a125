// What `get` returns: the entity at one instant, and what a later call needs to act on it without
// reading again.

import { decodeEntity, type Seen } from "../shared/entity.js";
import { decodeValue } from "../shared/value-codec.js";
import type { Head } from "./record.js";

/**
 * An entity at one instant. It survives JSON: `fire` goes by `seen` alone, which holds the whole
 * entry, so a snapshot that comes back from someone untrusted must be signed.
 */
export interface Snapshot<State extends string, Data> {
  readonly id: string;
  readonly state: State;
  readonly data: Data;
  /** Opaque: hand it back unchanged. */
  readonly seen: Seen;
}

/** The snapshot of what was seen; undefined if there is no entity. */
export function snapshotOf<State extends string, Data>(
  id: string,
  seen: Seen,
): Snapshot<State, Data> | undefined {
  const { body } = decodeEntity<Head>(seen);
  return (
    body && {
      id,
      state: body.head.state as State,
      data: decodeValue(body.payload) as Data,
      seen,
    }
  );
}
