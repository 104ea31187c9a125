// A state machine, register or unique insert under test: virtual time, a memory store behind a
// network that fails only on request, with `writeAll` or without, and a count of the calls.

import type { MemoryStore, OnceproofEvent } from "@onceproof/core";
import type { AtomicStore, MultiKeyStore } from "@onceproof/core/advanced";
import {
  type CallCounter,
  countCalls,
  createFaultyMemoryStore,
  createVirtualRuntime,
  type Fault,
  type FaultyMemoryStore,
  type VirtualRuntime,
} from "@onceproof/simulator";
import { hideWriteAll } from "./chaos.ts";

export interface EntityWorld {
  readonly runtime: VirtualRuntime;
  readonly faulty: FaultyMemoryStore;
  readonly counter: CallCounter<MemoryStore>;
  /** What the algorithm talks to. Its type claims `writeAll` also where it is hidden. */
  readonly store: MultiKeyStore;
  readonly events: OnceproofEvent[];
  /** Options of every factory of this world. */
  readonly common: {
    readonly store: MultiKeyStore;
    readonly name: string;
    readonly runtime: VirtualRuntime;
    readonly onEvent: (event: OnceproofEvent) => unknown;
  };
  /** Drives time until the promise settles. */
  run<T>(promise: Promise<T>): Promise<T>;
  /** How many calls the operation made. */
  cost(operation: () => Promise<unknown>): Promise<number>;
  /** Strikes the next call. */
  inject(...faults: Fault[]): void;
}

export const MODES = [
  { mode: "with writeAll", multi: true },
  { mode: "without writeAll", multi: false },
] as const;

export function createEntityWorld(multi: boolean): EntityWorld {
  const runtime = createVirtualRuntime();
  const faulty = createFaultyMemoryStore({ runtime, plan: [], latencyMs: 0 });
  const counter = countCalls(faulty.store);
  const store = multi ? counter.store : (hideWriteAll(counter.store) as MultiKeyStore);
  const events: OnceproofEvent[] = [];
  const run = <T>(promise: Promise<T>): Promise<T> => runtime.run(promise);
  return {
    runtime,
    faulty,
    counter,
    store,
    events,
    common: { store, name: "shop", runtime, onEvent: (event) => events.push(event) },
    run,
    cost: async (operation) => (await counter.during(() => run(operation()))).calls.total,
    inject: (...faults) => faulty.inject(...faults),
  };
}

/** A store in front of which other writers act: `before` runs ahead of each write. */
export function interfere<S extends AtomicStore>(store: S, before: () => Promise<unknown>): S {
  return new Proxy(store, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== "function") {
        return member;
      }
      return async (...args: unknown[]): Promise<unknown> => {
        if (property === "write" || property === "writeAll") {
          await before();
        }
        return Reflect.apply(member, target, args);
      };
    },
  });
}

/** The `code` of what a call throws or rejects with. */
export async function codeOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return (error as { readonly code?: unknown }).code ?? error;
  }
  return "no error";
}

/** Keys that no operation takes, and the code that each is refused with. */
export const BAD_KEYS: readonly (readonly [what: string, key: unknown, code: string])[] = [
  ["an empty one", "", "keyEmpty"],
  ["an over-long one", "k".repeat(1025), "keyTooLong"],
  ["a lone surrogate", "a\ud800", "keyNotWellFormed"],
  ["a number", 7, "keyNotString"],
  ["null", null, "keyNotString"],
];

/** Values that cannot be stored, and the code that each is refused with. */
export const BAD_VALUES: readonly (readonly [what: string, value: unknown, code: string])[] = [
  ["a function", () => 1, "inputUnencodable"],
  ["a symbol", Symbol("s"), "inputUnencodable"],
  ["a class instance", new (class Money {})(), "inputUnencodable"],
  ["a promise", Promise.resolve(1), "inputUnencodable"],
  ["more bytes than a store takes", "x".repeat(1_100_000), "valueTooLarge"],
];
