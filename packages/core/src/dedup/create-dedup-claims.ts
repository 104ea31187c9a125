// `createDedupClaims`: dedup in separate steps, for shapes where no single function is the handler
// (middleware hooks, message consumers). It shares its keys with a `createDedup` of the same name.

import type { TenureResult } from "../shared/tenure.js";
import type { DedupContext } from "./context.js";
import { type CallOptions, requestOf } from "./create-dedup.js";
import { completed, failed, obtain } from "./execute.js";
import { type DedupOptions, resolveDedup } from "./options.js";
import type { DedupResult, Settled } from "./outcome.js";

/** An acquired attempt that the caller ends itself. */
export interface DedupClaim<T> extends DedupContext {
  /** Renews the lease. Cost: 1. `lost` means that another owner took over. */
  renew(): Promise<TenureResult["outcome"]>;
  /** Records the value and tells what stands: a late owner gets another's outcome. Cost: 1. */
  complete(value: T): Promise<DedupResult<T>>;
  /** Records what the error means, as if a handler had thrown it. Cost: 1. */
  fail(error: unknown): Promise<DedupResult<T>>;
}

export type Begun<T> = { readonly outcome: "acquired"; readonly claim: DedupClaim<T> } | Settled<T>;

/** Options of one begin. */
export interface BeginOptions extends CallOptions {
  /** Renews the lease until the claim ends, for ever if it never does. @defaultValue false */
  readonly autoRenew?: boolean;
}

/** Dedup in separate steps. */
export interface DedupClaims {
  /**
   * Acquires the key, or tells what stands for it.
   *
   * Guarantee: that of `Dedup.run`; a claim that is never ended counts as a crash when its lease
   * runs out. Cost: 1, takeover +1. Fails: `unavailable`, `aborted`, argument errors.
   */
  begin<T>(key: string, options?: BeginOptions): Promise<Begun<T>>;
}

/** Creates claims over any store. Cost: no store call. Fails: ArgumentError for bad options. */
export function createDedupClaims(options: DedupOptions): DedupClaims {
  const resolved = resolveDedup(options);
  return {
    async begin<T>(key: string, call: BeginOptions = {}): Promise<Begun<T>> {
      const request = requestOf(resolved, key, call);
      const { acquired, ...rest } = await obtain(resolved, request, call.autoRenew === true);
      if (acquired === undefined) {
        return (rest as { settled: Settled<T> }).settled;
      }
      const claim: DedupClaim<T> = Object.assign(acquired.context, {
        renew: () => acquired.renew(),
        complete: (value: T) => completed(resolved, acquired, value),
        fail: (error: unknown) => failed(resolved, acquired, error),
      });
      return { outcome: "acquired", claim };
    },
  };
}
