// Ctrl-C: the first asks to end early and to print what there is, the second ends at once.

/** The exit code of a command that was interrupted. */
export const INTERRUPTED = 130;

export interface Interrupt {
  readonly happened: boolean;
  /** Stops listening. */
  dispose(): void;
}

/** Who forwards a signal to a group may send it twice at once: that is no second Ctrl-C. */
const ECHO_MS = 500;

export function onInterrupt(first: () => void, again: () => void): Interrupt {
  let happened = false;
  let firstMs = 0;
  const listener = (): void => {
    if (happened && performance.now() - firstMs < ECHO_MS) {
      return;
    }
    if (happened) {
      again();
      process.exit(INTERRUPTED);
    }
    happened = true;
    firstMs = performance.now();
    first();
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) {
    process.on(signal, listener);
  }
  return {
    get happened() {
      return happened;
    },
    dispose() {
      for (const signal of signals) {
        process.off(signal, listener);
      }
    },
  };
}
