// A dedup under test: virtual time, a memory store behind a network that fails only on request,
// and a count of the calls that reach it.

import assert from "node:assert/strict";
import {
  createDedup,
  type Dedup,
  type DedupOptions,
  type MemoryStore,
  type OnceproofEvent,
} from "@onceproof/core";
import { createDedupClaims, type DedupClaims } from "@onceproof/core/advanced";
import {
  type CallCounter,
  countCalls,
  createFaultyMemoryStore,
  createVirtualRuntime,
  type Fault,
  type FaultyMemoryStore,
  type FaultyMemoryStoreOptions,
  type VirtualRuntime,
} from "@onceproof/simulator";

export const LEASE_MS = 30_000;
export const RETENTION_MS = 86_400_000;

export type Overrides = Partial<DedupOptions>;

export interface DedupWorld {
  readonly runtime: VirtualRuntime;
  readonly faulty: FaultyMemoryStore;
  readonly counter: CallCounter<MemoryStore>;
  /** What every factory of this world told through `onEvent`. */
  readonly events: OnceproofEvent[];
  /** `onCrash: "park"` and name "pay" unless overridden; every other option keeps its default. */
  dedup(overrides?: Overrides): Dedup;
  claims(overrides?: Overrides): DedupClaims;
  /** Drives time until the promise settles. */
  run<T>(promise: Promise<T>): Promise<T>;
  /** Strikes the next call. */
  inject(...faults: Fault[]): void;
  /** Strikes each of the next calls until the returned function is called. */
  cut(fault: Fault): () => void;
}

export function createWorld(
  options: Partial<FaultyMemoryStoreOptions> & { readonly seed?: number } = {},
): DedupWorld {
  const runtime = createVirtualRuntime({ seed: options.seed ?? 1 });
  const faulty = createFaultyMemoryStore({ runtime, plan: [], latencyMs: 0, ...options });
  let cutting: Fault | undefined;
  const struck = new Proxy(faulty.store, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if ((property !== "read" && property !== "write") || typeof member !== "function") {
        return member;
      }
      return (...args: unknown[]): unknown => {
        if (cutting !== undefined) {
          faulty.inject(cutting);
        }
        return Reflect.apply(member, target, args);
      };
    },
  });
  const counter = countCalls(struck);
  const events: OnceproofEvent[] = [];
  const withDefaults = (overrides: Overrides): DedupOptions => ({
    store: counter.store,
    name: "pay",
    onCrash: "park",
    runtime,
    onEvent: (event) => events.push(event),
    ...overrides,
  });
  return {
    runtime,
    faulty,
    counter,
    events,
    dedup: (overrides = {}) => createDedup(withDefaults(overrides)),
    claims: (overrides = {}) => createDedupClaims(withDefaults(overrides)),
    run: (promise) => runtime.run(promise),
    inject: (...faults) => faulty.inject(...faults),
    cut(fault) {
      cutting = fault;
      return () => {
        cutting = undefined;
      };
    },
  };
}

export type Settled<T> =
  | { readonly value: T; readonly error?: never }
  | { readonly error: unknown; readonly value?: never };

/** Observes a promise at once, so that a rejection which is looked at later is not unhandled. */
export function settled<T>(promise: Promise<T>): Promise<Settled<T>> {
  return promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

/** What a promise rejects with; fails the test if it does not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const { error, value } = await settled(promise);
  return error ?? assert.fail(`expected a rejection, got ${String(value)}`);
}

/** The `code` of what a promise rejects with. */
export async function rejectionCode(promise: Promise<unknown>): Promise<unknown> {
  return ((await rejection(promise)) as { readonly code?: unknown }).code;
}

/** A handler that must not run. */
export function never(): never {
  assert.fail("a handler ran that must not run");
}

/** A promise and what settles it. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

export function deferred<T = void>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
