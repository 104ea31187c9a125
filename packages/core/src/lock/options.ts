// Options of the lock and every default.

import { checkDuration, checkLease } from "../shared/arguments.js";
import { type Base, type FactoryOptions, resolveBase } from "../shared/factory-options.js";

export interface LockOptions extends FactoryOptions {
  /** How long a lock lives between renewals. @defaultValue 30_000 */
  readonly leaseMs?: number;
  /** Taken off the lease by its holder, for clock drift. @defaultValue a tenth of `leaseMs` */
  readonly marginMs?: number;
  /** How long `acquire` and `run` wait for the holder. @defaultValue 10_000 */
  readonly waitMs?: number;
}

/** Options of one acquisition. */
export interface AcquireOptions {
  /** In milliseconds. @defaultValue the factory's `waitMs` */
  readonly waitMs?: number;
  /** Renews every third of the lease until released. @defaultValue true */
  readonly autoRenew?: boolean;
  /** Ends the waiting; a held lock has its own `signal`. */
  readonly signal?: AbortSignal;
}

export interface ResolvedLock extends Base {
  readonly leaseMs: number;
  readonly marginMs: number;
  readonly waitMs: number;
}

export function resolveLock(options: LockOptions): ResolvedLock {
  const base = resolveBase("lock", options);
  const { leaseMs = 30_000, waitMs = 10_000 } = options;
  const marginMs = checkLease(leaseMs, options.marginMs);
  checkDuration(waitMs, "waitMs", 0);
  return { leaseMs, marginMs, waitMs, ...base };
}
