// The store that records, in front of the memory store behind a bad network.

import { createMemoryStore } from "@onceproof/core";
import type { AtomicStore, Write, WriteResult } from "@onceproof/core/advanced";
import { createFaultyMemoryStore, createRandom, createVirtualRuntime } from "@onceproof/simulator";
import {
  atomicStoreModel,
  checkHistory,
  createRecorder,
  createRecordingStore,
  type StoreInput,
  type StoreOutput,
} from "@onceproof/simulator/checker";
import { describe, expect, test } from "vitest";

const KEY = "k";

describe("the memory store behind a bad network", () => {
  /** Three clients who create, replace, remove and read one key, and send again what got lost. */
  async function record(seed: number, spoil: (result: WriteResult) => WriteResult) {
    const runtime = createVirtualRuntime({ seed });
    const faulty = createFaultyMemoryStore({ runtime, seed });
    const recorder = createRecorder<StoreInput, StoreOutput>();
    const client = async (process: number): Promise<void> => {
      const random = createRandom(seed, process);
      const inner: AtomicStore = {
        capabilities: faulty.store.capabilities,
        read: (key) => faulty.store.read(key),
        write: async (write) => spoil(await faulty.store.write(write)),
        close: () => faulty.store.close(),
      };
      const store = createRecordingStore(inner, { recorder, process, lateDuplicates: true });
      for (let round = 0; round < 6; round += 1) {
        const opId = `${process}${round}`.padEnd(22, "A");
        const { entry } = await store.read(KEY).catch(() => ({ entry: undefined }));
        const expect = entry?.stamp ?? ("absent" as const);
        const next =
          entry !== undefined && random.chance(0.3)
            ? "removed"
            : { value: opId, ttlMs: random.chance(0.5) ? "never" : 50 };
        for (let send = 0; send < 3; send += 1) {
          const write = { key: KEY, opId, expect, next } as Write;
          const result = await store.write(write).catch(() => undefined);
          if (result?.outcome === "applied" || result?.outcome === "refused") {
            break;
          }
        }
      }
    };
    await runtime.run(Promise.all([1, 2, 3].map(client)));
    return recorder.history();
  }

  test("is linearizable", async () => {
    let unknown = 0;
    for (let seed = 1; seed <= 60; seed += 1) {
      const history = await record(seed, (result) => result);
      unknown += history.filter(({ returnedAt }) => returnedAt === undefined).length;
      const verdict = checkHistory(atomicStoreModel(), history);
      const text = verdict.verdict === "violated" ? verdict.counterexample.text : verdict.verdict;
      expect(`seed ${seed}: ${text}`).toBe(`seed ${seed}: linearizable`);
    }
    expect(unknown).toBeGreaterThan(500);
  }, 60_000);

  test("is violated when refusals are told as applied", async () => {
    const lie = (result: WriteResult): WriteResult =>
      result.outcome === "refused"
        ? {
            outcome: "applied",
            revision: result.now,
            writtenAt: result.now,
            now: result.now,
            replayed: false,
          }
        : result;
    const verdicts = [];
    for (let seed = 1; seed <= 20; seed += 1) {
      verdicts.push(checkHistory(atomicStoreModel(), await record(seed, lie)).verdict);
    }
    expect(verdicts.filter((verdict) => verdict === "violated").length).toBeGreaterThan(15);
  });
});

test("a recording store passes on what it is told", async () => {
  const recorder = createRecorder<StoreInput, StoreOutput>();
  const memory = createMemoryStore();
  const store = createRecordingStore(memory, { recorder, process: "p" });
  const next = { value: "x", ttlMs: "never" } as const;
  const write: Write = { key: KEY, opId: "a".repeat(22), expect: "absent", next };
  await expect(store.write(write)).resolves.toMatchObject({ outcome: "applied" });
  await expect(store.read(KEY)).resolves.toMatchObject({ entry: { value: "x" } });
  await store.close();
  await expect(store.read(KEY)).rejects.toMatchObject({ code: "closed" });
  await expect(store.write(write)).rejects.toMatchObject({ code: "closed" });
  expect(recorder.history().map(({ returnedAt }) => returnedAt)).toEqual([2, 4, undefined]);
});
