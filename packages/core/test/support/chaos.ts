// The stores that properties of remembered requests run over: the memory store and one behind a bad
// network, each with `writeAll` and with it hidden, so that both ways of remembering are searched.

import { createMemoryStore, type MemoryStore } from "@onceproof/core";
import type { AtomicStore } from "@onceproof/core/advanced";
import {
  createFaultyMemoryStore,
  createVirtualRuntime,
  type VirtualRuntime,
} from "@onceproof/simulator";

export interface ChaosKind {
  readonly title: string;
  readonly faulty: boolean;
  /** Whether the store offers `writeAll`. */
  readonly multi: boolean;
}

export const CHAOS: readonly ChaosKind[] = [
  { title: "memory store", faulty: false, multi: true },
  { title: "memory store without writeAll", faulty: false, multi: false },
  { title: "faulty memory store", faulty: true, multi: true },
  { title: "faulty memory store without writeAll", faulty: true, multi: false },
];

/** Short, so that runs outlast it. */
export const TOMBSTONE_MS = 10_000;

export interface ChaosWorld {
  readonly runtime: VirtualRuntime;
  /** What the algorithm under test talks to. */
  readonly store: MemoryStore | AtomicStore;
  /** The same data without faults, for oracles. */
  readonly direct: MemoryStore;
  /** Ends faults, and lets everything that is still on its way arrive. Not within `run`. */
  calm(): Promise<void>;
}

/** The store as one that writes a single key at a time. */
export function hideWriteAll(store: AtomicStore): AtomicStore {
  return new Proxy(store, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      return property === "writeAll"
        ? undefined
        : typeof member === "function"
          ? member.bind(target)
          : member;
    },
  });
}

export function createChaos({ faulty, multi }: ChaosKind, seed: number): ChaosWorld {
  const runtime = createVirtualRuntime({ seed });
  if (!faulty) {
    const direct = createMemoryStore({ runtime, tombstoneMs: TOMBSTONE_MS });
    const store = multi ? direct : hideWriteAll(direct);
    return { runtime, store, direct, calm: () => runtime.advance(60_000) };
  }
  const faults = createFaultyMemoryStore({
    runtime,
    seed,
    // The fault that these algorithms are about.
    rates: { dropReply: 0.2 },
    // No network holds a write back for longer than requests are remembered.
    maxLateMs: 10_000,
    memory: { tombstoneMs: TOMBSTONE_MS },
  });
  return {
    runtime,
    store: multi ? faults.store : hideWriteAll(faults.store),
    direct: faults.direct,
    async calm() {
      faults.heal();
      await runtime.advance(60_000);
    },
  };
}

/** Calls until the store can be reached. */
export async function persist<T>(runtime: VirtualRuntime, call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== "unavailable") {
        throw error;
      }
      await runtime.sleep(100);
    }
  }
}

/** A call that threw one of our errors. */
export interface Threw {
  readonly outcome: "threw";
  readonly code: unknown;
}

/** What a call answered, or the code of what it threw. */
export async function answerOf<T extends { readonly outcome: string }>(
  call: Promise<T>,
): Promise<T | Threw> {
  try {
    return await call;
  } catch (error) {
    const code = (error as { readonly code?: unknown }).code;
    if (code === undefined) {
      throw error;
    }
    return { outcome: "threw", code };
  }
}
