// `createUniqueInsert`: one value per key, all keys or none, and a creator who is recognised when
// the answer to the create was lost.

import type { AtomicStore } from "../contract/atomic-store.js";
import type { MultiKeyStore } from "../contract/capabilities.js";
import { ArgumentError } from "../errors/errors.js";
import { type FactoryOptions, resolveBase } from "../shared/factory-options.js";
import { multiKeyOf } from "../shared/multi-key.js";
import { decodeRecord } from "../shared/record.js";
import { checkRequestId } from "../shared/request-log.js";
import { decodeValue } from "../shared/value-codec.js";
import { type InsertRecord, insert } from "./insert.js";
import { sortKeys, uniqueKey } from "./key-set.js";
import type { Inserted, InsertResult, KeySet } from "./result.js";

/** One insert. */
export interface InsertOptions<T, Keys> {
  /** The unique key, or several by name. One with a name and one without never meet: keep to one form. */
  readonly keys: Keys;
  readonly value: T;
  /** Names the request, so that its retry is told *replayed*, whatever else it carries. */
  readonly requestId?: string;
  /** Ends re-sending: then the answer is *indeterminate*. */
  readonly signal?: AbortSignal;
}

/** Inserts values under unique keys. */
export interface UniqueInsert<T, Keys extends string | KeySet> {
  /**
   * Inserts a value under all its keys, or under none.
   *
   * Guarantee: one value per key, and it never changes; all keys or none; the creator is always
   * recognised, also after lost replies and late duplicates. The answer *exists* means the same
   * value under the same keys (compared by a canonical, typed fingerprint), *conflict* names the
   * first key, in order of names, that another value holds.
   * There is no removal: a deletion in your business leaves its own tombstone (a row or a state that
   * says *deleted*) and the key stays taken, or a late retry could create again.
   * Cost: 1. Fails: `unavailable` and `aborted`: it was not inserted; argument errors (`keyEmpty`,
   * `inputUnencodable`, `valueTooLarge`, …), before anything is sent.
   */
  insert(options: InsertOptions<T, Keys>): Promise<InsertResult<T>>;
  /**
   * Tells what stands under one key: alone, or by its name (`{ email: "a@example.org" }`).
   *
   * Guarantee: one instant of the store. Cost: 1. Fails: `unavailable`; argument errors.
   */
  get(key: Keys): Promise<Inserted<T> | undefined>;
}

/**
 * Creates unique inserts over any store; several keys at once need one with `writeAll`.
 *
 * Guarantee: see `UniqueInsert.insert`. Cost: no store call. Fails: ArgumentError for bad options.
 */
export function createUniqueInsert<T = unknown>(
  options: FactoryOptions<MultiKeyStore>,
): UniqueInsert<T, string | KeySet>;
export function createUniqueInsert<T = unknown>(
  options: FactoryOptions<AtomicStore>,
): UniqueInsert<T, string>;
export function createUniqueInsert<T>(
  options: FactoryOptions<AtomicStore>,
): UniqueInsert<T, string | KeySet> {
  const resolved = resolveBase("uniqueInsert", options);
  const base = { multi: multiKeyOf(resolved.store), ...resolved };

  return {
    async insert({ keys, value, requestId, signal }) {
      const sorted = sortKeys(keys);
      if (sorted.length > 1 && base.multi === undefined) {
        throw new ArgumentError("optionInvalid", "several keys need a store that has writeAll");
      }
      checkRequestId(requestId);
      const insertion = { keys: sorted, value, requestId, signal };
      return (await insert(base, insertion)) as InsertResult<T>;
    },

    async get(key) {
      const [sole, ...others] = sortKeys(key);
      if (others.length > 0) {
        throw new ArgumentError("optionInvalid", "get takes one key");
      }
      const { entry } = await base.store.read(uniqueKey(base.prefix, sole));
      if (entry === undefined) {
        return undefined;
      }
      const { header, payload } = decodeRecord<InsertRecord>(entry.value);
      return { value: decodeValue(payload) as T, keys: Object.fromEntries(header.keys) };
    },
  };
}
