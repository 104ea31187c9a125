// `createFence`: the newest token a resource has seen, for sinks that cannot check it themselves.

import type { Entry, Write } from "../contract/atomic-store.js";
import { ContendedError } from "../errors/errors.js";
import { checkCount, checkKey, checkSignal } from "../shared/arguments.js";
import { type FactoryOptions, resolveBase } from "../shared/factory-options.js";
import { randomId } from "../shared/random-id.js";
import { decodeRecord, encodeRecord } from "../shared/record.js";
import { settle } from "../shared/settle.js";
import { storeKey } from "../shared/store-key.js";
import { deadlineIn, remainingMs } from "../shared/time.js";

/** What is kept under a resource. It never expires: a forgotten fence would admit the oldest. */
interface FenceRecord {
  readonly token: number;
}

export type FenceOptions = FactoryOptions;

export type Admission =
  | { readonly outcome: "admitted" }
  /** A newer token was admitted before: do not act. */
  | { readonly outcome: "stale"; readonly newest: number }
  /** No answer by the deadline: do not act. */
  | { readonly outcome: "indeterminate"; readonly cause: unknown };

export interface Fence {
  /**
   * Admits a token unless a newer one was admitted before.
   *
   * Guarantee: tokens admitted for a resource never decrease. It orders admissions only: the effect
   * must be in the same atomic step (in SQL, the business UPDATE), or a paused holder can still act
   * after it was admitted. Use one lock key per fence, and one fence per sink.
   * Cost: 2; 1 when the token is the newest already or stale.
   * Fails: `unavailable`, `contended`, `aborted`, argument errors.
   * @see https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html
   */
  admit(
    resource: string,
    token: number,
    options?: { readonly signal?: AbortSignal },
  ): Promise<Admission>;
}

/** Creates a fence over any store. Cost: no store call. Fails: ArgumentError for bad options. */
export function createFence(options: FenceOptions): Fence {
  const { store, runtime, settleMs, prefix, emit } = resolveBase("fence", options);
  return {
    async admit(resource, token, call = {}) {
      checkKey(resource, "resource");
      checkCount(token, "a fencing token");
      checkSignal(call.signal);
      const key = storeKey(prefix, resource);
      const deadline = deadlineIn(runtime, settleMs);
      const value = encodeRecord({ token } satisfies FenceRecord);
      const admitted = (): Admission => {
        emit(resource, { type: "admitted", token });
        return { outcome: "admitted" };
      };
      let { entry } = await store.read(key);
      for (let rounds = 0; ; rounds += 1) {
        const newest = newestToken(entry);
        if (newest > token) {
          emit(resource, { type: "refused", reason: "stale" });
          return { outcome: "stale", newest };
        }
        if (newest === token) {
          return admitted();
        }
        if (rounds > 0 && remainingMs(runtime, deadline) <= 0) {
          emit(resource, { type: "contended", rounds });
          throw new ContendedError("contended", `others wrote this fence for ${rounds} rounds`);
        }
        const opId = randomId(runtime);
        const next = { value, ttlMs: "never" } as const;
        const write: Write = entry
          ? { key, opId, expect: entry.stamp, next }
          : { key, opId, expect: "absent", next };
        const answer = await settle(() => store.write(write), {
          runtime,
          deadline,
          signal: call.signal,
          onUnknown: (settled, cause) => emit(resource, { type: "unknown", settled, cause }),
        });
        if (answer.outcome === "unknown") {
          return { outcome: "indeterminate", cause: answer.cause };
        }
        if (answer.outcome === "applied") {
          return admitted();
        }
        entry = answer.entry;
      }
    },
  };
}

function newestToken(entry: Entry | undefined): number {
  return entry === undefined ? 0 : decodeRecord<FenceRecord>(entry.value).header.token;
}
