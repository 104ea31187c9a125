// The one place in the simulator that touches the host: the hops that let every microtask run, and
// the globals that the guard watches.

interface Port {
  addEventListener(type: "message", listener: () => void): void;
  postMessage(message: undefined): void;
  start(): void;
}

type Later = (callback: () => void) => unknown;

declare const setImmediate: Later | undefined;
declare const setTimeout: (callback: () => void, delayMs: number) => unknown;
declare const MessageChannel:
  | (new () => { readonly port1: Port; readonly port2: Port })
  | undefined;
declare const navigator: { readonly userAgent?: string } | undefined;
declare const process:
  | { readonly versions?: { readonly node?: string }; readonly nextTick?: Later }
  | undefined;

/** The host's globals, by name. */
export const hostGlobals: object = globalThis;

/**
 * Settles when every microtask that was due, however deep, has run. Calls `drained` at that moment
 * and before other code of the host runs, where the host lets it know.
 */
export type Hop = (drained?: () => void) => Promise<void>;

// Everything is taken once, so that a guard which replaces the globals does not stop the run itself.

// What workerd calls `process.nextTick` is a microtask, and so is the delivery of its messages:
// neither waits until the microtasks are over.
const inWorkerd = typeof navigator === "object" && navigator.userAgent === "Cloudflare-Workers";

// The tick queue of Node, Bun and Deno.
const nextTick: Later | undefined =
  typeof process === "object" && process.versions?.node !== undefined && !inWorkerd
    ? process.nextTick
    : undefined;

const settled = Promise.resolve();

/** Calls back once no microtask is left, before any macrotask; undefined where nothing tells. */
export const afterMicrotasks: ((callback: () => void) => void) | undefined =
  nextTick === undefined
    ? undefined
    : (callback) => {
        // From a microtask: a tick that a macrotask itself asks for comes before its microtasks.
        void settled.then(() => void nextTick(callback));
      };

/**
 * As `afterMicrotasks`, for one callback that is called back again and again: nothing but a promise
 * is made each time.
 */
export function recallAfterMicrotasks(callback: () => void): (() => void) | undefined {
  if (nextTick === undefined) {
    return undefined;
  }
  const later = (): void => void nextTick(callback);
  return () => void settled.then(later);
}

function hopBy(later: Later): Hop {
  return (drained) => {
    if (drained === undefined) {
      return new Promise((resolve) => void later(resolve));
    }
    if (afterMicrotasks !== undefined && later !== afterMicrotasks) {
      afterMicrotasks(drained);
      return new Promise((resolve) => void later(resolve));
    }
    return new Promise(
      (resolve) =>
        void later(() => {
          drained();
          resolve();
        }),
    );
  };
}

/**
 * A message to oneself, for browsers: their timers are held back by 4 ms. Of the two listeners of one
 * message the second is called when the microtasks of the first have run, and nothing runs between:
 * that is where an event whose microtasks ran in this task is known to be drained.
 */
function hopByMessage(Channel: new () => { readonly port1: Port; readonly port2: Port }): Hop {
  const waiting: (() => void)[] = [];
  let undrained: (() => void)[] = [];
  const drain = (): void => {
    const due = undrained;
    undrained = [];
    for (const drained of due) {
      drained();
    }
  };
  let sender: Port | undefined;
  const open = (): Port => {
    const { port1, port2 } = new Channel();
    port1.addEventListener("message", () => {
      drain();
      waiting.shift()?.();
    });
    port1.addEventListener("message", drain);
    port1.start();
    return port2;
  };
  return (drained) =>
    new Promise((resolve) => {
      if (drained !== undefined) {
        undrained.push(drained);
      }
      waiting.push(resolve);
      sender ??= open();
      sender.postMessage(undefined);
    });
}

function chooseMacrotaskHop(): Hop {
  if (typeof setImmediate === "function") {
    return hopBy(setImmediate);
  }
  if (typeof MessageChannel === "function" && !inWorkerd) {
    return hopByMessage(MessageChannel);
  }
  const start = setTimeout;
  return hopBy((callback) => start(callback, 0));
}

/** The host's quickest hop through a later macrotask: nothing of any kind escapes it. */
export const macrotaskHop: Hop = chooseMacrotaskHop();

/**
 * A hop through the tick queue of Node, Bun and Deno, which is served when no microtask is left.
 * Code under test that calls `process.nextTick` itself may escape it by one tick. Elsewhere it is
 * `macrotaskHop`.
 */
export const tickHop: Hop = afterMicrotasks === undefined ? macrotaskHop : hopBy(afterMicrotasks);
