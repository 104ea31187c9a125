// What one caller asks of a key, with every default in place.

import type { Place } from "../shared/send.js";

/** One caller's request for a key. */
export interface Request extends Place {
  readonly fingerprint: string | undefined;
  /** The key's birth time in milliseconds, if it bears one. */
  readonly birth: number | undefined;
  /** How long outcomes of this key are kept, in milliseconds. */
  readonly retentionMs: number;
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
}
