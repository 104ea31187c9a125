// What an insert answers: tagged unions, never judged by falsiness.

/** Unique keys by name, such as `{ email: "a@example.org", phone: "+1…" }`. */
export interface KeySet {
  readonly [name: string]: string;
}

/** What became of an insert. */
export type InsertResult<T> =
  /** This call inserted the value under all its keys. */
  | { readonly outcome: "created"; readonly value: T }
  /** This request had inserted it already; what it inserted then. */
  | { readonly outcome: "replayed"; readonly value: T }
  /** Another request had inserted the same value under the same keys. */
  | { readonly outcome: "exists"; readonly value: T }
  /** Another value stands under this key. None of this insert's keys was written. */
  | { readonly outcome: "conflict"; readonly key: string }
  /** It may have happened, or may yet happen. Ask again with the same request id. */
  | { readonly outcome: "indeterminate"; readonly cause: unknown };

/** What stands under a key. */
export interface Inserted<T> {
  readonly value: T;
  /** All keys that it was inserted under. */
  readonly keys: KeySet;
}
