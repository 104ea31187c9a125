// The one place in the simulator that touches the host: the hops that let every microtask run.

declare const setImmediate: ((callback: () => void) => unknown) | undefined;
declare const setTimeout: (callback: () => void, delayMs: number) => unknown;
declare const process:
  | {
      readonly versions?: { readonly node?: string; readonly bun?: string; readonly deno?: string };
      readonly nextTick?: (callback: () => void) => void;
    }
  | undefined;

/** Settles when every microtask that was due, however deep, has run. */
export type Hop = () => Promise<void>;

// Taken once, so that a guard which replaces the globals during a run does not stop the run itself.
const later: (callback: () => void) => unknown =
  typeof setImmediate === "function"
    ? setImmediate
    : (
        (start) => (callback: () => void) =>
          start(callback, 0)
      )(setTimeout);

/** The host's quickest hop through a later macrotask: nothing of any kind escapes it. */
export const macrotaskHop: Hop = () => new Promise((resolve) => void later(resolve));

const nextTick =
  typeof process === "object" && process.versions?.bun === undefined
    ? process.versions?.node !== undefined && process.versions.deno === undefined
      ? process.nextTick
      : undefined
    : undefined;

/**
 * A hop through Node's tick queue, which is served when no microtask is left: three times as fast.
 * Code under test that calls `process.nextTick` itself may escape it by one tick. Elsewhere it is
 * `macrotaskHop`.
 */
export const tickHop: Hop =
  nextTick === undefined ? macrotaskHop : () => new Promise((resolve) => nextTick(resolve));

declare const btoa: (text: string) => string;
declare const atob: (text: string) => string;

/** Base64 of ASCII text. */
export const encodeBase64 = (text: string): string => btoa(text);
export const decodeBase64 = (text: string): string => atob(text);
