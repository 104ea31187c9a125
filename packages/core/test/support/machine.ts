// One process among several: its timers and the answers to its calls stop when it crashes and wait
// while it is paused, whereas what it has sent is under way and still arrives.

import type { Runtime } from "@onceproof/core/advanced";

export interface Machine {
  readonly runtime: Runtime;
  readonly crashed: boolean;
  /** Nothing of this process happens from now on. */
  crash(): void;
  /** Timers and answers wait, clocks go on: a long garbage collection, a stalled event loop. */
  pause(): void;
  /** As `pause`, and the monotonic clock stands still: a suspended laptop. */
  suspend(): void;
  resume(): void;
  /** A store, or another service whose calls return promises, as this process sees it. */
  connect<S extends object>(store: S): S;
  /** Settles after this much of the process's time, unless it has crashed by then. */
  sleep(delayMs: number): Promise<void>;
}

export function createMachine(host: Runtime): Machine {
  let state: "up" | "paused" | "suspended" | "crashed" = "up";
  let frozenMs = 0;
  let frozenAtMs = 0;
  const held: (() => void)[] = [];

  /** Runs the callback as this process: never after a crash, later while paused. */
  const enter = (callback: () => void): void => {
    if (state === "up") {
      callback();
    } else if (state !== "crashed") {
      held.push(callback);
    }
  };

  const gate = <T>(promise: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      promise.then(
        (value) => enter(() => resolve(value)),
        (error: unknown) => enter(() => reject(error)),
      );
    });

  const stop = (next: "paused" | "suspended"): void => {
    if (state === "up") {
      state = next;
      frozenAtMs = host.monotonicNow();
    }
  };

  const runtime: Runtime = {
    wallNow: () => host.wallNow(),
    monotonicNow: () => host.monotonicNow() - frozenMs,
    // A timer set before a suspension comes early on the frozen clock and is judged again by none
    // of our code, so it is set again for what is left.
    setTimer(callback, delayMs) {
      let cancelled = false;
      const dueMs = runtime.monotonicNow() + delayMs;
      const fire = (): void => {
        if (cancelled) {
          return;
        }
        const leftMs = dueMs - runtime.monotonicNow();
        if (leftMs > 0.001) {
          host.setTimer(() => enter(fire), leftMs);
        } else {
          callback();
        }
      };
      host.setTimer(() => enter(fire), delayMs);
      return () => {
        cancelled = true;
      };
    },
    randomBytes: (length) => host.randomBytes(length),
  };

  return {
    runtime,
    get crashed() {
      return state === "crashed";
    },
    crash() {
      state = "crashed";
      held.length = 0;
    },
    pause: () => stop("paused"),
    suspend: () => stop("suspended"),
    resume() {
      if (state === "paused" || state === "suspended") {
        frozenMs += state === "suspended" ? host.monotonicNow() - frozenAtMs : 0;
        state = "up";
        for (const callback of held.splice(0)) {
          enter(callback);
        }
      }
    },
    connect: (store) =>
      new Proxy(store, {
        get(target, property) {
          const member: unknown = Reflect.get(target, property, target);
          if (typeof member !== "function") {
            return member;
          }
          return (...args: unknown[]): unknown => {
            if (state === "crashed") {
              return new Promise(() => {});
            }
            const returned: unknown = Reflect.apply(member, target, args);
            return returned instanceof Promise ? gate(returned) : returned;
          };
        },
      }),
    sleep: (delayMs) =>
      new Promise((resolve) => {
        runtime.setTimer(resolve, delayMs);
      }),
  };
}
