// What a register answers: tagged unions, never judged by falsiness.

import type { NoAnswer } from "../shared/decide-once.js";
import type { Seen } from "../shared/entity.js";

/** The value of one key at one instant. `update` goes by `seen` alone, which survives JSON. */
export interface RegisterSnapshot<T> {
  readonly key: string;
  /** Whether the key has a value. */
  readonly exists: boolean;
  readonly value: T | undefined;
  /** Opaque: hand it back unchanged, and sign it where someone untrusted carries it. */
  readonly seen: Seen;
}

/** What became of an update. */
export type UpdateResult<T> =
  /** The value that this request made, now or when it was first asked (`replayed`). */
  | { readonly outcome: "updated"; readonly value: T; readonly replayed: boolean }
  /** `fn` refused, now or when it was first asked. Nothing changed. */
  | { readonly outcome: "refused"; readonly reason: string; readonly replayed: boolean }
  | NoAnswer;
