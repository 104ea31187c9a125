// Turns Ctrl-C and its like into an abort, so that what is open is closed before the process ends.

/** 128 plus the signal's number, as a shell reports it. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** Closing takes milliseconds; if it hangs, the promise to stop is kept anyway. */
const GRACE_MS = 2_000;

type Signal = keyof typeof EXIT_CODES;

export interface Interruption {
  readonly signal: AbortSignal;
  /** What to exit with once aborted. */
  readonly exitCode: number;
  /** Gives the signals back. */
  ignore(): void;
}

export function onSignals(): Interruption {
  const controller = new AbortController();
  let exitCode = 0;
  const stop = (name: Signal): void => {
    // One Ctrl-C can arrive twice: from the terminal, and passed on by the program that started us.
    if (controller.signal.aborted) {
      return;
    }
    exitCode = EXIT_CODES[name];
    setTimeout(() => process.exit(exitCode), GRACE_MS).unref();
    controller.abort(new Error(`stopped by ${name}`));
  };
  const names = Object.keys(EXIT_CODES) as Signal[];
  for (const name of names) {
    process.on(name, stop);
  }
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    ignore() {
      for (const name of names) {
        process.off(name, stop);
      }
    },
  };
}
