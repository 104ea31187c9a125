// Stores that are odd, and correct: the kit must accept them, as it judges the fields that the
// contract names, and nothing of how an answer is made.
import type {
  AtomicStore,
  Entry,
  MultiKeyStore,
  Observation,
  Write,
  WriteAll,
} from "@onceproof/core/advanced";
import { runStoreConformance } from "@onceproof/simulator/conformance";
import { expect, test } from "vitest";
import { overlay } from "../src/overlay.js";
import { faultyMemory, type Wrap } from "./support/memory-harness.js";

/** Makes each entry that the store answers with another object. */
function withEntries(map: (entry: Entry) => Entry): Wrap {
  const mapped = async <R extends object>(answer: Promise<R>): Promise<R> => {
    const { entry } = (await answer) as Partial<Observation>;
    return entry === undefined ? answer : { ...(await answer), entry: map(entry) };
  };
  return <S extends AtomicStore>(store: S) =>
    overlay(store, {
      read: (key: string) => mapped(store.read(key)),
      write: (write: Write) => mapped(store.write(write)),
      writeAll: (all: WriteAll) => mapped((store as unknown as MultiKeyStore).writeAll(all)),
    });
}

/** An entry that never expires has the getter all the same. */
class Row {
  readonly #entry: Entry;
  constructor(entry: Entry) {
    this.#entry = entry;
  }
  get value(): string {
    return this.#entry.value;
  }
  get stamp(): Entry["stamp"] {
    return this.#entry.stamp;
  }
  get writtenAt(): number {
    return this.#entry.writtenAt;
  }
  get expiresAt(): number | undefined {
    return this.#entry.expiresAt;
  }
}

const odd: Readonly<Record<string, (entry: Entry) => Entry>> = {
  "an entry with a field of the store's own": (entry) => ({ ...entry, etag: "x" }) as Entry,
  "a stamp with a field of the store's own": (entry) =>
    ({ ...entry, stamp: { shard: 1, ...entry.stamp } }) as Entry,
  "an entry of a class with getters": (entry) => new Row(entry) as Entry,
  "an expiry that is there and undefined": (entry) =>
    ({ expiresAt: undefined, ...entry }) as unknown as Entry,
  "frozen entries": (entry) => Object.freeze({ ...entry }),
};

test.each(Object.entries(odd))("%s is accepted by every case", async (_, map) => {
  const { cases } = await runStoreConformance(faultyMemory(() => withEntries(map)));
  const failed = cases.filter(({ outcome }) => outcome === "failed");
  expect(failed.map(({ id, message }) => `${id}: ${message}`)).toEqual([]);
});
