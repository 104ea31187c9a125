// Ctrl-C: the first asks to end early and to print what there is, the second ends at once.

/** The exit code of a command that was interrupted. */
export const INTERRUPTED = 130;

export interface Interrupt {
  readonly happened: boolean;
  /** Stops listening. */
  dispose(): void;
}

export function onInterrupt(first: () => void, again: () => void): Interrupt {
  let happened = false;
  const listener = (): void => {
    if (happened) {
      again();
      process.exit(INTERRUPTED);
    }
    happened = true;
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
