// `createLock`: one holder at a time, with a fencing token for sinks that check it.

import type { CreateWrite, Observation } from "../contract/atomic-store.js";
import { IndeterminateError, LockHeldError } from "../errors/errors.js";
import { checkDuration, checkFunction, checkKey, checkSignal } from "../shared/arguments.js";
import { encodeRecord } from "../shared/record.js";
import { ownOf, send, type Unanswered } from "../shared/send.js";
import { storeKey } from "../shared/store-key.js";
import { createTenure } from "../shared/tenure.js";
import { createWaiter } from "../shared/waiter.js";
import { heldLock, type Lock } from "./held-lock.js";
import {
  type AcquireOptions,
  type LockOptions,
  type ResolvedLock,
  resolveLock,
} from "./options.js";

// The stamp says all there is to say: the opId is the holder, the revision is the token.
const HELD = /* @__PURE__ */ encodeRecord({});

/** What `tryAcquire` answers. */
export type TryAcquired =
  | { readonly outcome: "acquired"; readonly lock: Lock }
  | { readonly outcome: "held"; readonly retryAfterMs: number }
  /** No answer by the deadline: if it was acquired, it ends with its lease. */
  | { readonly outcome: "indeterminate"; readonly cause: unknown };

/** Locks over any store. */
export interface Locks {
  /**
   * Acquires, waiting for the holder.
   *
   * Guarantee: a sink that checks `lock.token` in the same atomic step as its effect never accepts
   * an older holder after a newer one. Mutual exclusion towards a sink that checks nothing holds
   * only while pauses and clock drift stay inside the margin. There is no queue: any waiter may win.
   * Cost: 1, and 1 to release; each look while waiting 1.
   * Fails: `lockHeld` after `waitMs`, `indeterminate`, `unavailable`, `aborted`, argument errors.
   * @see https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html
   */
  acquire(resource: string, options?: AcquireOptions): Promise<Lock>;
  /** As `acquire`, without waiting, as a tagged union. Cost: 1. */
  tryAcquire(resource: string, options?: Omit<AcquireOptions, "waitMs">): Promise<TryAcquired>;
  /**
   * Acquires, runs `fn`, releases, and returns what `fn` returned or throws what it threw.
   *
   * Guarantee: that of `acquire`; a lease lost meanwhile fires `lock.signal` and hides no result.
   * Cost: 2. Fails: those of `acquire`, and what `fn` throws.
   */
  run<T>(
    resource: string,
    fn: (lock: Lock) => T | Promise<T>,
    options?: AcquireOptions,
  ): Promise<T>;
}

/** Creates locks over any store. Cost: no store call. Fails: ArgumentError for bad options. */
export function createLock(options: LockOptions): Locks {
  const resolved = resolveLock(options);

  const acquire = async (resource: string, call: AcquireOptions = {}): Promise<Lock> => {
    const result = await contend(resolved, resource, call);
    switch (result.outcome) {
      case "acquired":
        return result.lock;
      case "held":
        throw new LockHeldError("lockHeld", "the lock stayed held by another for the whole wait");
      case "indeterminate":
        throw new IndeterminateError(
          "indeterminate",
          "whether the lock was acquired is not known",
          result,
        );
    }
  };
  return {
    acquire,
    tryAcquire: (resource, call = {}) => contend(resolved, resource, { ...call, waitMs: 0 }),
    async run(resource, fn, call) {
      checkFunction(fn, "the callback");
      const lock = await acquire(resource, call);
      try {
        return await fn(lock);
      } finally {
        await lock.release();
      }
    },
  };
}

/** Tries until acquired or the wait is over. */
async function contend(
  options: ResolvedLock,
  resource: string,
  call: AcquireOptions,
): Promise<TryAcquired> {
  checkKey(resource, "resource");
  const { waitMs = options.waitMs, autoRenew = true, signal } = call;
  checkDuration(waitMs, "waitMs", 0);
  checkSignal(signal);
  const { emit, leaseMs } = options;
  const place = { key: resource, storeKey: storeKey(options.prefix, resource) };
  const waiter = createWaiter(options, place, waitMs, signal);
  const next = { value: HELD, ttlMs: leaseMs };
  // Creates that got no answer: one may apply late, and is then recognised as mine.
  const unanswered: Unanswered = [];
  const how = { leaseMs, signal, unanswered };
  try {
    for (;;) {
      const sent = await send<CreateWrite>(options, place, "absent", () => next, how);
      if (sent.outcome === "unknown") {
        return { outcome: "indeterminate", cause: sent.cause };
      }
      let left = 0;
      if (sent.outcome === "refused") {
        left = leftMs(sent);
      } else {
        const tenure = createTenure(options, place, sent, (lease) => lease);
        const lock = heldLock(options, resource, sent.stamp.revision, tenure);
        if (lock.held) {
          tenure.start(autoRenew);
          emit(resource, { type: "acquired", fencingToken: lock.token });
          return { outcome: "acquired", lock };
        }
        // The answer came too late: what is left of the lease is not enough to hand out.
        await lock.release();
      }
      do {
        const seen = await waiter.look(left);
        if (seen === undefined) {
          return { outcome: "held", retryAfterMs: Math.ceil(Math.max(1, left)) };
        }
        // The next create is how I learn that an own one stands there.
        left = ownOf(unanswered, seen.entry?.stamp) ? 0 : leftMs(seen);
      } while (left > 0);
    }
  } finally {
    waiter.stop();
  }
}

/** What is left of the holder's lease in store time; an entry without an end is held without end. */
function leftMs({ entry, now }: Observation): number {
  return entry ? ((entry.expiresAt ?? Infinity) - now) / 1000 : 0;
}
