// A client whose answers are at least answers. One that resolves to nothing would else be met where
// a case looks into it, as a TypeError that names none of the store's calls.

import type { AtomicStore, MultiKeyStore, Write, WriteAll } from "@onceproof/core/advanced";
import { overlay } from "../overlay.js";
import { check } from "./checks.js";

const OUTCOMES = 'it must answer with an outcome: "applied", "refused" or "unknown"';

/** The same client; a call that resolves to no answer fails the case by name. */
export function answering(store: AtomicStore): AtomicStore {
  return overlay(store, {
    read: (key: string) => answered(store.read(key), "read", "it must answer with the store's now"),
    write: (write: Write) => answered(store.write(write), "write", OUTCOMES, "outcome"),
    writeAll: (all: WriteAll) =>
      answered((store as MultiKeyStore).writeAll(all), "writeAll", OUTCOMES, "outcome"),
  });
}

// Not async: what a call throws, instead of rejecting, has to be met as thrown.
function answered<T>(call: Promise<T>, name: string, must: string, field?: string): Promise<T> {
  const thenable = typeof (call as Partial<Promise<T>> | undefined)?.then === "function";
  check(thenable, `${name} returned no promise; ${must}`, call ?? String(call));
  return call.then((answer: unknown) => {
    const whole =
      typeof answer === "object" && answer !== null && (field === undefined || field in answer);
    check(
      whole,
      `${name} resolved to ${answer === undefined ? "undefined" : "what is no answer"}; ${must}`,
      answer,
    );
    return answer as T;
  });
}
