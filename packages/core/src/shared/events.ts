// One typed hook that tells what happened. It never changes an outcome, even if it throws, and
// carries no key, value or token in the clear unless the caller asks for keys.

import type { Algorithm } from "./algorithm.js";
import { shortHash } from "./hash.js";

/** What an event tells beside its type. */
export type EventDetail =
  | { readonly type: "acquired"; readonly fencingToken?: number; readonly attempt?: number }
  | { readonly type: "replayed" }
  | { readonly type: "refused"; readonly reason: string }
  | { readonly type: "waiting" }
  | { readonly type: "takenOver"; readonly attempt: number; readonly fencingToken: number }
  | { readonly type: "renewed" }
  | { readonly type: "renewalFailed"; readonly cause: unknown }
  | { readonly type: "leaseLost" }
  | { readonly type: "started" }
  | { readonly type: "stepRecorded"; readonly step: string }
  | { readonly type: "completed"; readonly recorded: boolean | "unknown" }
  | { readonly type: "failed"; readonly disposition: "retryable" | "final" | "unknown" }
  | { readonly type: "resolved" }
  | { readonly type: "issued" }
  | { readonly type: "consumed" }
  | { readonly type: "moved"; readonly from: string; readonly to: string }
  | { readonly type: "updated" }
  | { readonly type: "created" }
  | { readonly type: "admitted"; readonly token: number }
  | { readonly type: "released"; readonly outcome: "released" | "lost" | "unknown" }
  | { readonly type: "expired" }
  | { readonly type: "contended"; readonly rounds: number }
  /** A write got no answer; `settled` tells whether a later send found out. */
  | { readonly type: "unknown"; readonly settled: boolean; readonly cause: unknown };

/** Something that happened to one key. */
export type OnceproofEvent = EventDetail & {
  readonly algorithm: Algorithm;
  /** The factory's `name`. */
  readonly name: string;
  /** The first 128 bits of SHA-256 over algorithm, name and key: joins events without the key. */
  readonly keyHash: string;
  /** The key itself, only with `revealKeys: true`. */
  readonly key?: string;
};

/** Options that every factory shares. */
export interface EventOptions {
  /** Called for each event, synchronously. What it throws or rejects with is ignored. */
  readonly onEvent?: (event: OnceproofEvent) => unknown;
  /** Puts the key itself into events beside its hash. @defaultValue false */
  readonly revealKeys?: boolean;
}

/** Tells one event of one key. */
export type Emit = (key: string, detail: EventDetail) => void;

const silent: Emit = () => {};

/** Builds the emitter of one factory; without `onEvent` it costs nothing. */
export function createEmit(algorithm: Algorithm, name: string, options: EventOptions): Emit {
  const { onEvent, revealKeys } = options;
  if (onEvent === undefined) {
    return silent;
  }
  return (key, detail) => {
    try {
      const keyHash = shortHash(algorithm, name, key);
      const event = { algorithm, name, keyHash, ...(revealKeys && { key }), ...detail };
      const returned: unknown = onEvent(event);
      // Not by `instanceof`, which a promise of another realm fails.
      if (typeof returned === "object") {
        Promise.resolve(returned).catch(() => {});
      }
    } catch {
      // A hook must never change an outcome.
    }
  };
}
