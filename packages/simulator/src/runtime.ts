// The one place in the simulator that touches the host: the hop that lets every microtask run.

declare const setImmediate: ((callback: () => void) => unknown) | undefined;
declare const setTimeout: (callback: () => void, delayMs: number) => unknown;

/** Settles in a later macrotask, when every microtask that was due, however deep, has run. */
export type Hop = () => Promise<void>;

/** The host's quickest hop. */
export const macrotaskHop: Hop = () =>
  new Promise((resolve) => {
    if (typeof setImmediate === "function") {
      setImmediate(resolve);
    } else {
      setTimeout(resolve, 0);
    }
  });
