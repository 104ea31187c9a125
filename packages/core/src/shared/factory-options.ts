// The options that every factory takes, and their defaults, in one place.

import type { AtomicStore } from "../contract/atomic-store.js";
import { ArgumentError } from "../errors/errors.js";
import { type Runtime, systemRuntime } from "../runtime/runtime.js";
import type { Algorithm } from "./algorithm.js";
import { checkDuration, checkFunction, checkKey } from "./arguments.js";
import { createEmit, type Emit, type EventOptions } from "./events.js";
import { keyPrefix } from "./store-key.js";

/** What every factory takes. */
export interface FactoryOptions<Store extends AtomicStore = AtomicStore> extends EventOptions {
  readonly store: Store;
  /** The namespace: keys of different names never meet. */
  readonly name: string;
  /**
   * How long a write without an answer is asked about again before the answer is
   * *indeterminate*, in milliseconds. @defaultValue 10_000
   */
  readonly settleMs?: number;
  /** Time, timers and randomness. @defaultValue the machine's own */
  readonly runtime?: Runtime;
}

/** The shared options with every default in place. */
export interface Base<Store extends AtomicStore = AtomicStore> {
  readonly store: Store;
  readonly name: string;
  readonly prefix: string;
  readonly runtime: Runtime;
  readonly settleMs: number;
  readonly emit: Emit;
}

export function resolveBase<Store extends AtomicStore>(
  algorithm: Algorithm,
  options: FactoryOptions<Store>,
): Base<Store> {
  const { store, name, runtime = systemRuntime, settleMs = 10_000, onEvent } = options ?? {};
  if (typeof store?.write !== "function" || typeof store.read !== "function") {
    throw new ArgumentError(
      "optionInvalid",
      "store must be an AtomicStore, such as createMemoryStore()",
    );
  }
  checkKey(name, "name");
  checkDuration(settleMs, "settleMs", 0);
  if (onEvent !== undefined) {
    checkFunction(onEvent, "onEvent");
  }
  const emit = createEmit(algorithm, name, options);
  return { store, name, prefix: keyPrefix(name, algorithm), runtime, settleMs, emit };
}
