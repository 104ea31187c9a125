// The traps: each stands in for one global, throws while a guarded run's code executes, and passes
// everything on at any other time. One set serves all runs of a process.

import { hostGlobals } from "../runtime.js";
import { framesOf, NondeterminismError } from "./nondeterminism-error.js";

/** What is trapped, as paths from the global object. Members come before what holds them. */
export const TRAPPED: readonly string[] = [
  "Date.now",
  "Date",
  "Math.random",
  "performance.now",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "AbortSignal.timeout",
  "performance.mark",
  "process.uptime",
  "crypto.randomUUID",
  "crypto.getRandomValues",
  "process.hrtime.bigint",
  "process.hrtime",
];

/** Told of each trap that was touched while it watches. */
export type Watch = (error: NondeterminismError) => void;

type Callable = (...args: unknown[]) => unknown;
type Constructor = new (...args: unknown[]) => object;

interface Place {
  readonly name: string;
  readonly holder: object;
  readonly key: string;
  readonly before: PropertyDescriptor;
  readonly trap: object;
}

const watches = new Set<Watch>();
let holders = 0;
let places: readonly Place[] = [];

/** Sets the traps if nobody has; each call is undone by one `removeTraps`. */
export function setTraps(): void {
  holders += 1;
  if (holders > 1) {
    return;
  }
  // All are found before the first is set: a trap must not be taken for what it stands in for.
  places = TRAPPED.map(findPlace).filter((place) => place !== undefined);
  for (const { holder, key, before, trap } of places) {
    const { enumerable = false, configurable = false } = before;
    Object.defineProperty(holder, key, {
      value: trap,
      writable: before.writable ?? true,
      enumerable,
      configurable,
    });
  }
}

/** Restores every global when the last run that set traps is over. */
export function removeTraps(): void {
  holders -= 1;
  if (holders > 0) {
    return;
  }
  for (const { holder, key, before, trap } of [...places].reverse()) {
    // Somebody who has replaced it since, as fake timers do, keeps what he put there.
    if (Object.getOwnPropertyDescriptor(holder, key)?.value === trap) {
      Object.defineProperty(holder, key, before);
    }
  }
  places = [];
}

/** From now on whatever touches a trap is stopped and told of. */
export function watchTraps(watch: Watch): void {
  watches.add(watch);
}

export function unwatchTraps(watch: Watch): void {
  watches.delete(watch);
}

/** Where a global lives, if the host has it and lets it be replaced. */
function findPlace(name: string): Place | undefined {
  const path = name.split(".");
  const key = path.pop() ?? name;
  let holder: object | undefined = hostGlobals;
  for (const step of path) {
    holder = Reflect.get(holder, step) as object | undefined;
    if (holder === undefined) {
      return undefined;
    }
  }
  const value: unknown = Reflect.get(holder, key);
  // The method of a prototype is replaced there, so that no way round the instance is left.
  while (holder !== null && !Object.hasOwn(holder, key)) {
    holder = Object.getPrototypeOf(holder) as object;
  }
  const before = holder === null ? undefined : Object.getOwnPropertyDescriptor(holder, key);
  if (
    before === undefined ||
    typeof value !== "function" ||
    !(before.configurable || before.writable)
  ) {
    return undefined;
  }
  const trap = name === "Date" ? trapDate(value as Constructor) : trapCall(name, value as Callable);
  return { name, holder: holder as object, key, before, trap };
}

function trapCall(name: string, real: Callable): object {
  return new Proxy(real, {
    apply(target, self, args) {
      stopIfWatched(`${name}()`);
      return Reflect.apply(target, self, args);
    },
  });
}

/** The constructor, where it would read the clock. */
function trapDate(real: Constructor): object {
  return new Proxy(real, {
    apply(target, self, args) {
      stopIfWatched("Date()");
      return Reflect.apply(target as unknown as Callable, self, args);
    },
    construct(target, args, made) {
      if (args.length === 0) {
        stopIfWatched("new Date()");
      }
      return Reflect.construct(target, args, made) as object;
    },
  });
}

let telling = false;

function stopIfWatched(name: string): void {
  // What formats a stack for the host may look at a clock itself.
  if (watches.size === 0 || telling) {
    return;
  }
  telling = true;
  // Above the caller are this function and the proxy's handler.
  const [at, ...rest] = framesOf(new Error(name)).slice(2);
  telling = false;
  const error = new NondeterminismError(name, at, rest);
  for (const watch of watches) {
    watch(error);
  }
  throw error;
}
