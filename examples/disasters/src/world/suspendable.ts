// A process that can be suspended, as a long collection or a paused machine does it: none of its
// timers fires meanwhile, so its leases are not renewed either.

import { type Runtime, systemRuntime } from "@onceproof/core/advanced";

export interface Suspendable {
  readonly runtime: Runtime;
  /** Nothing more happens in this process until `resumed`. */
  suspend(resumed: Promise<void>): Promise<void>;
}

export function createSuspendable(): Suspendable {
  let awake = Promise.resolve();
  return {
    runtime: {
      ...systemRuntime,
      setTimer(callback, delayMs) {
        let cancelled = false;
        const fire = async (): Promise<void> => {
          await awake;
          if (!cancelled) {
            callback();
          }
        };
        const cancel = systemRuntime.setTimer(() => void fire(), delayMs);
        return () => {
          cancelled = true;
          cancel();
        };
      },
    },
    async suspend(resumed) {
      awake = resumed;
      await resumed;
    },
  };
}
