// One client and its store: virtual time, a network that fails only on request, a count of calls.

import type { MemoryStore, OnceproofEvent } from "@onceproof/core";
import type { AtomicStore, Runtime, Write, WriteResult } from "@onceproof/core/advanced";
import {
  type CallCounter,
  countCalls,
  createFaultyMemoryStore,
  createVirtualRuntime,
  type FaultyMemoryStore,
  type PlannedFault,
  type VirtualRuntime,
} from "@onceproof/simulator";

/** What every factory takes, for this world. */
export interface BaseOptions {
  readonly store: AtomicStore;
  readonly runtime: Runtime;
  readonly name: string;
  readonly onEvent: (event: OnceproofEvent) => void;
}

export interface StoreWorld {
  readonly runtime: VirtualRuntime;
  readonly faulty: FaultyMemoryStore;
  readonly counter: CallCounter<MemoryStore>;
  readonly events: OnceproofEvent[];
  readonly base: BaseOptions;
  /** Drives time until the promise settles. */
  run<T>(promise: Promise<T>): Promise<T>;
  /** The types of the events so far. */
  told(): string[];
}

export function createStoreWorld(plan: readonly PlannedFault[] = []): StoreWorld {
  const runtime = createVirtualRuntime();
  const faulty = createFaultyMemoryStore({ runtime, plan, latencyMs: 0 });
  const counter = countCalls(faulty.store);
  const events: OnceproofEvent[] = [];
  const onEvent = (event: OnceproofEvent): void => {
    events.push(event);
  };
  return {
    runtime,
    faulty,
    counter,
    events,
    base: { store: counter.store, runtime, name: "test", onEvent },
    run: (promise) => runtime.run(promise),
    told: () => events.map(({ type }) => type),
  };
}

/** The same store without its optional capabilities, so that waiters have to poll. */
export function primitivesOf({ store, ...rest }: BaseOptions): BaseOptions {
  return {
    ...rest,
    store: {
      capabilities: store.capabilities,
      read: (key) => store.read(key),
      write: (write) => store.write(write),
      close: () => store.close(),
    },
  };
}

/** The same store with a hand on each write. */
export function withWrite(
  { store, ...rest }: BaseOptions,
  write: (write: Write, send: (write: Write) => Promise<WriteResult>) => Promise<WriteResult>,
): BaseOptions {
  return {
    ...rest,
    store: {
      capabilities: store.capabilities,
      read: (key) => store.read(key),
      write: (sent) => write(sent, (passed) => store.write(passed)),
      close: () => store.close(),
    },
  };
}

/** The `code` of what a promise rejects with; fails if it does not. */
export async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return ((await errorOf(promise)) as { readonly code?: unknown }).code;
}

/** What a promise rejects with; fails if it does not. */
export async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`expected a rejection, got ${String(value)}`);
}
