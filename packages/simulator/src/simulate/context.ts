// What a handler under simulation is given: its effects and services as asynchronous calls over the
// simulated network, a store, and time. The types follow from what the caller passed in.

import type { AtomicStore, MultiKeyStore, Runtime, WatchableStore } from "@onceproof/core/advanced";

/** How often an effect of one key has to take place. */
export type EffectTimes = "once" | "atMostOnce" | "atLeastOnce";

/** One effect: a sink that the handler calls. */
export interface EffectOptions {
  /**
   * Carries the effect out at the sink, in one synchronous step; what it returns is the answer, and
   * if it throws, nothing took place. @defaultValue answers with undefined
   */
  act?(...args: unknown[]): unknown;
  /**
   * What counts as the same effect. Give it where arguments differ from one try to the next.
   * @defaultValue all arguments, for each request by itself
   */
  key?(...args: unknown[]): unknown;
  /**
   * The idempotency key among the arguments: the sink knows it, acts once for each, and answers
   * again with the first answer. @defaultValue none: the sink takes whatever comes
   */
  idempotencyKey?(...args: unknown[]): unknown;
  /** @defaultValue "once" */
  readonly times?: EffectTimes;
}

/** Effects by name. */
export type EffectMap = Readonly<Record<string, EffectOptions>>;

/** Effects by name, or their names alone. */
export type EffectsOption = EffectMap | readonly string[];

/** Objects whose methods run at a service of their own, by the service's name. */
export type ServiceMap = Readonly<Record<string, object>>;

/** A service as the handler sees it: each method, over the network. */
export type RemoteService<T> = {
  readonly [M in keyof T as T[M] extends (...args: never[]) => unknown ? M : never]: T[M] extends (
    ...args: infer A
  ) => infer R
    ? (...args: A) => Promise<R>
    : never;
};

export type RemoteServices<S> = { readonly [N in keyof S]: RemoteService<S[N]> };

type NamedEffects<N extends string> = {
  readonly [name in N]: (...args: unknown[]) => Promise<void>;
};

/** The effects as the handler calls them. A call that gets no answer rejects with a `SinkError`. */
export type EffectCalls<E> = E extends readonly (infer N extends string)[]
  ? NamedEffects<N>
  : {
      readonly [N in keyof E]: E[N] extends { act: (...args: infer A) => infer R }
        ? (...args: A) => Promise<R>
        : (...args: unknown[]) => Promise<void>;
    };

/** What one life of a node has: until its process crashes. */
export interface NodeContext<S, E> {
  /** `api-1`, `api-2`, … */
  readonly node: string;
  readonly effects: EffectCalls<E>;
  readonly services: RemoteServices<S>;
  /** A store for Onceproof's algorithms, of the chosen profile. */
  readonly store: AtomicStore & Partial<MultiKeyStore & WatchableStore>;
  /** Time, timers and randomness of this node: instead of `Date`, `setTimeout`, `Math.random`. */
  readonly runtime: Runtime;
  /** Settles after so much of the node's own time. */
  sleep(delayMs: number): Promise<void>;
}

/** What the handler is given beside the request. */
export interface HandlerContext<S, E, L> extends NodeContext<S, E> {
  /** What `start` returned for this life of the node. */
  readonly local: L;
  /** Which try of its sender this is, from 1. A request that comes a second time starts at 1 too. */
  readonly attempt: number;
}
