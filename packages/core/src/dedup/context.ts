// What a handler is given while its attempt runs.

/** The handler's view of its attempt. */
export interface DedupContext {
  readonly key: string;
  /** 1 for the first attempt of this key. */
  readonly attempt: number;
  /** True if an earlier attempt ended without a known outcome. */
  readonly takeover: boolean;
  /** The revision of this acquisition: pass it to a sink that refuses older ones. */
  readonly fencingToken: number;
  /** Fires when the lease may have ended: stop acting. */
  readonly signal: AbortSignal;
  /**
   * A key for an effect at another system, the same in every attempt.
   *
   * Guarantee: an effect that its sink dedups by this key for at least the retention happens once,
   * whatever crashes or pauses. Cost: no store call.
   */
  childKey(name: string): string;
  /**
   * Runs `fn` and records its result; once recorded, later attempts get it without running it.
   *
   * Guarantee: never run again after it is recorded. Between effect and record it can repeat.
   * Cost: 1 store call, 0 when recorded.
   * Fails: `leaseLost`, `indeterminate` (its record has no answer), `valueUnavailable`.
   */
  step<T>(name: string, fn: () => T | Promise<T>): Promise<T>;
  /** Records that the handler begins to act, which `inspect` then tells. Cost: 1 store call. */
  started(): Promise<void>;
}

/** What a verify function is given: the new owner's token, and nothing to act with. */
export interface VerifyContext {
  readonly key: string;
  /** The attempt that is about to run, if the sink answers `notDone`. */
  readonly attempt: number;
  /** Raise the sink's fence to this in the same step as it answers. */
  readonly fencingToken: number;
  readonly signal: AbortSignal;
  /** The same child keys that the earlier attempt used. */
  childKey(name: string): string;
}
