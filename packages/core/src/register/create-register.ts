// `createRegister`: balances and stock. Optimistic compare-and-set around a pure function, which
// takes effect at most once per request, without a transaction.

import { checkFunction, checkKey } from "../shared/arguments.js";
import { decodeEntity, keyAndSeen, look } from "../shared/entity.js";
import { type RememberingOptions, resolveEntityOptions } from "../shared/entity-options.js";
import { storeKey } from "../shared/store-key.js";
import { decodeValue } from "../shared/value-codec.js";
import type { RegisterSnapshot, UpdateResult } from "./result.js";
import { type Head, type Update, update } from "./update.js";

export interface RegisterOptions extends RememberingOptions {}

/** Options of one update. */
export interface UpdateOptions {
  /** Ends trying and re-sending. */
  readonly signal?: AbortSignal;
}

/** Values that change by compare-and-set. */
export interface Register<T> {
  /**
   * Takes a snapshot of a key. To update from it spares the first look. Take it when the requestId
   * is made and keep it through retries: then a request that may have been forgotten is *expired*
   * and not run again.
   *
   * Guarantee: one instant of the store. Cost: 1. Fails: `unavailable`; argument errors.
   */
  get(key: string): Promise<RegisterSnapshot<T>>;
  /**
   * Replaces the value by what `fn` makes of it; a key without a value is given as undefined.
   *
   * Guarantee: `fn` takes effect at most once per requestId, and the request gets the same answer
   * again, refusals included. It may be *called* several times. How long requests are remembered: on
   * a store with `writeAll` for `retentionMs`, else the last `requestWindow` of the key; a forgotten
   * one is *expired* if it comes with its snapshot, and counts as new without. Starvation is bounded
   * and reported: after `maxRounds` the answer is *contended*.
   * Cost: 2 per round; 1 for the first under a snapshot, and for the second.
   * Fails: `unavailable` and `aborted`: it had no effect; argument errors, before anything is sent;
   * what `fn` throws, and `inputUnencodable` or `valueTooLarge` for what it returns: nothing changed.
   */
  update(
    key: string | RegisterSnapshot<T>,
    requestId: string,
    fn: Update<T>,
    options?: UpdateOptions,
  ): Promise<UpdateResult<T>>;
}

/**
 * Creates a register over any store.
 *
 * Guarantee: see `Register.update`. All users of one name need one kind of store: with `writeAll`,
 * or without.
 * Cost: no store call. Fails: ArgumentError for bad options.
 */
export function createRegister<T = unknown>(options: RegisterOptions): Register<T> {
  const resolved = resolveEntityOptions("register", options, false);

  return {
    async get(key) {
      checkKey(key, "key");
      const seen = await look(resolved.store, storeKey(resolved.prefix, key));
      const { body } = decodeEntity<Head>(seen);
      const value = body && (decodeValue(body.payload) as T);
      return { key, exists: body !== undefined, value, seen };
    },

    async update(at, requestId, fn, { signal } = {}) {
      const { key, snapshot } = keyAndSeen(at, "key");
      checkKey(requestId, "requestId");
      checkFunction(fn, "fn");
      const request = { key, requestId, snapshot, signal };
      return (await update(resolved, request, fn as Update<unknown>)) as UpdateResult<T>;
    },
  };
}
