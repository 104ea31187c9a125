// Where programs run on real stores, and what gets lost on the way there.

import {
  type AtomicStore,
  type MultiKeyStore,
  systemRuntime,
  type Write,
  type WriteAll,
} from "@onceproof/core/advanced";
import { createFaultyStore, NO_FAULTS } from "../../../src/index.js";
import { overlay } from "../../../src/overlay.js";

/** What becomes of a request. */
export type Passage = "pass" | "loseRequest" | "loseReply";

/** Stores of one data set, each on a client of its own. */
export interface Place {
  readonly stores: readonly AtomicStore[];
  /** Lets the next requests to it fare so, and all later ones pass. Returns what lifts it. */
  lose?(passages: Iterable<Passage>): () => void;
  close(): Promise<unknown>;
}

/** Tells how each request fares, one after the other. */
export function inTurn(passages: Iterable<Passage>): () => Passage {
  const drawn = passages[Symbol.iterator]();
  return () => {
    const { done, value } = drawn.next();
    return done === true ? "pass" : value;
  };
}

interface Unreliable {
  readonly stores: readonly AtomicStore[];
  readonly lose: NonNullable<Place["lose"]>;
}

/** Stores without a server, behind a network that is made up, since no proxy can stand before them. */
export function unreliable(
  inner: readonly AtomicStore[],
  options: { readonly latencyMs: number; readonly operationTimeoutMs: number },
): Unreliable {
  let passage = inTurn([]);
  const stores = inner.map((store, index) => {
    const faulty = createFaultyStore(store, {
      ...options,
      runtime: systemRuntime,
      rates: NO_FAULTS,
      seed: index + 1,
    });
    // What it lacks, the overlay leaves out.
    const behind = faulty.store as MultiKeyStore;
    const struck =
      <A, R>(call: (argument: A) => R) =>
      (argument: A): R => {
        const fares = passage();
        if (fares !== "pass") {
          faulty.inject({ fault: fares === "loseReply" ? "dropReply" : "dropRequest" });
        }
        return call(argument);
      };
    return overlay(behind, {
      read: struck((key: string) => behind.read(key)),
      write: struck((write: Write) => behind.write(write)),
      writeAll: struck((all: WriteAll) => behind.writeAll(all)),
    });
  });
  return {
    stores,
    lose(passages) {
      passage = inTurn(passages);
      return () => {
        passage = inTurn([]);
      };
    },
  };
}
