// `createLock`: one holder at a time, with a fencing token for sinks that check it.

import type { Applied, Refused, Stamp } from "../contract/atomic-store.js";
import { codeOf, IndeterminateError, LockHeldError } from "../errors/errors.js";
import { checkDuration, checkFunction, checkKey, checkSignal } from "../shared/arguments.js";
import { randomId } from "../shared/random-id.js";
import { encodeRecord } from "../shared/record.js";
import { settle } from "../shared/settle.js";
import { storeKey } from "../shared/store-key.js";
import { Tenure } from "../shared/tenure.js";
import { deadlineIn, type Instant, instantNow } from "../shared/time.js";
import { Waiter } from "../shared/waiter.js";
import { Lock } from "./held-lock.js";
import {
  type AcquireOptions,
  type LockOptions,
  type ResolvedLock,
  resolveLock,
} from "./options.js";

// The stamp says all there is to say: the opId is the holder, the revision is the token.
const HELD = encodeRecord({});

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
          {
            cause: result.cause,
          },
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
  const { store, runtime, emit, leaseMs } = options;
  const key = storeKey(options.prefix, resource);
  const waiter = new Waiter(store, key, runtime, deadlineIn(runtime, waitMs), signal);
  // Creates that got no answer: one may apply late, and is then recognised as mine.
  const unanswered = new Map<string, Instant>();
  let waiting = false;
  try {
    for (;;) {
      const opId = randomId(runtime);
      const since = instantNow(runtime);
      const next = { value: HELD, ttlMs: leaseMs };
      const answer = await settle(() => store.write({ key, opId, expect: "absent", next }), {
        runtime,
        deadline: deadlineIn(runtime, options.settleMs),
        signal,
        onUnknown(settled, cause) {
          unanswered.set(opId, since);
          emit(resource, { type: "unknown", settled, cause });
        },
      });
      if (answer.outcome === "unknown") {
        return { outcome: "indeterminate", cause: answer.cause };
      }
      const own = ownStamp(answer, opId, unanswered);
      if (own !== undefined) {
        const tenure = tenureOf(options, resource, key, own, unanswered.get(own.opId) ?? since);
        const lock = new Lock(resource, tenure, emit);
        if (lock.held) {
          tenure.start(autoRenew);
          emit(resource, { type: "acquired", fencingToken: lock.token });
          return { outcome: "acquired", lock };
        }
        // The answer came too late: what is left of the lease is not enough to hand out.
        await lock.release();
      }
      let left = own === undefined ? leftMs(answer as Refused) : 0;
      do {
        if (!waiting && waitMs > 0) {
          waiting = true;
          emit(resource, { type: "waiting" });
        }
        if (!(await waiter.pause(left))) {
          checkSignal(signal);
          return { outcome: "held", retryAfterMs: Math.ceil(Math.max(1, left)) };
        }
        waiter.arm();
        left = await look(options, key, waiter);
      } while (left > 0);
    }
  } finally {
    waiter.stop();
  }
}

/** The stamp under which the lock is mine, if it is. */
function ownStamp(
  answer: Applied | Refused,
  opId: string,
  unanswered: ReadonlyMap<string, Instant>,
): Stamp | undefined {
  if (answer.outcome === "applied") {
    return { revision: answer.revision, opId };
  }
  const incumbent = answer.entry?.stamp;
  return incumbent && (incumbent.opId === opId || unanswered.has(incumbent.opId))
    ? incumbent
    : undefined;
}

/** What is left of the holder's lease in store time. */
function leftMs(seen: Pick<Refused, "entry" | "now">): number {
  return seen.entry ? ((seen.entry.expiresAt ?? Number.POSITIVE_INFINITY) - seen.now) / 1000 : 0;
}

/** A waiter only reads, and outlasts an outage shorter than its wait. */
async function look(options: ResolvedLock, key: string, waiter: Waiter): Promise<number> {
  try {
    return leftMs(await options.store.read(key));
  } catch (error) {
    if (codeOf(error) !== "unavailable" || waiter.over) {
      throw error;
    }
    return options.leaseMs;
  }
}

function tenureOf(
  options: ResolvedLock,
  resource: string,
  key: string,
  stamp: Stamp,
  since: Instant,
): Tenure {
  const { store, runtime, leaseMs, marginMs, settleMs, emit } = options;
  return new Tenure({
    store,
    runtime,
    key,
    leaseMs,
    marginMs,
    settleMs,
    stamp,
    since,
    touchTtlMs: (lease) => lease,
    onLost: () => emit(resource, { type: "leaseLost" }),
    onRenewed: () => emit(resource, { type: "renewed" }),
    onRenewalFailed: (cause) => emit(resource, { type: "renewalFailed", cause }),
    onUnknown: (settled, cause) => emit(resource, { type: "unknown", settled, cause }),
  });
}
