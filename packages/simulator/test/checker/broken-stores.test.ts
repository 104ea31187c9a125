// The broken stores of the conformance kit, in random use by three clients: the model finds each
// that breaks a clause it judges, and finds no fault with the store as it is.

import { createMemoryStore } from "@onceproof/core";
import type { AtomicStore, Stamp, Write } from "@onceproof/core/advanced";
import { createRandom, createVirtualRuntime, type Random } from "@onceproof/simulator";
import {
  atomicStoreModel,
  checkHistory,
  createRecorder,
  createRecordingStore,
  type StoreInput,
  type StoreOutput,
} from "@onceproof/simulator/checker";
import { type BrokenStore, brokenStores } from "@onceproof/simulator/conformance";
import { expect, test } from "vitest";

const SEEDS = 60;
const JUDGED = ["S0", "S1", "S2", "S3", "S4", "S5"];

const pick = <T>(random: Random, items: readonly T[]): T =>
  items[random.int(0, items.length - 1)] as T;

function drawWrite(random: Random, opId: string, stamps: readonly Stamp[]): Write {
  // Now and then the value that stands already.
  const value = random.chance(0.2) ? "same" : opId;
  const next = { value, ttlMs: pick(random, ["never" as const, 20, 200]) };
  const stamp = random.chance(0.75) ? stamps.at(-1) : pick(random, [undefined, ...stamps]);
  if (stamp === undefined || random.chance(0.3)) {
    const absentSince = random.chance(0.5) ? 0 : (stamp?.revision ?? 0);
    return { key: "k", opId, expect: pick(random, ["absent", { absentSince }]), next };
  }
  // Now and then a stamp that never was: its revision with another opId, or with its own in lower case.
  const never = pick(random, [opId.replace("A", "B"), stamp.opId.replace("A", "a")]);
  const expect = random.chance(0.15) ? { ...stamp, opId: never } : stamp;
  return { key: "k", opId, expect, next: random.chance(0.4) ? "removed" : next };
}

async function verdictOn(seed: number, wrap: <S extends AtomicStore>(store: S) => S) {
  const runtime = createVirtualRuntime({ seed });
  const memory = createMemoryStore({ runtime });
  const recorder = createRecorder<StoreInput, StoreOutput>();
  const stamps: Stamp[] = [];
  const client = async (process: number): Promise<void> => {
    const random = createRandom(seed, process);
    const wrapped = wrap(process === 0 ? memory : memory.peer());
    const pause = () => new Promise<void>((go) => runtime.setTimer(go, random.int(0, 3)));
    const slow: AtomicStore = {
      capabilities: memory.capabilities,
      close: async () => {},
      async read(key) {
        await pause();
        return wrapped.read(key);
      },
      async write(write) {
        // Without a pause two writes that are sent at once meet in the store.
        await (random.chance(0.5) ? pause() : undefined);
        const result = await wrapped.write(write);
        return random.chance(0.1) ? { outcome: "unknown", cause: "lost" } : result;
      },
    };
    const store = createRecordingStore(slow, { recorder, process });
    for (let round = 0; round < 8; round += 1) {
      // Twice now and then, with writes of others between and none of its own.
      for (let reads = pick(random, [0, 0, 1, 2]); reads > 0; reads -= 1) {
        await pause();
        const { entry } = await store.read("k");
        stamps.push(...(entry === undefined ? [] : [entry.stamp]));
      }
      if (random.chance(0.15)) {
        runtime.jumpWall(random.int(10, 300));
      }
      const send = async (opId: string): Promise<void> => {
        const write = drawWrite(random, opId.padEnd(22, "A"), stamps);
        for (let sends = random.int(1, 2); sends > 0; sends -= 1) {
          const result = await store.write(write);
          if (result.outcome === "applied") {
            stamps.push({ revision: result.revision, opId: write.opId });
          }
        }
      };
      await Promise.all([
        send(`${process}${round}`),
        // Its opId differs from the other's in the case of one letter.
        random.chance(0.3) ? send(`${process}${round}a`) : undefined,
      ]);
    }
  };
  await runtime.run(Promise.all([0, 1, 2].map(client)));
  return checkHistory(atomicStoreModel(), recorder.history());
}

test("finds no fault with the store as it is", async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const verdict = await verdictOn(seed, (store) => store);
    const said = verdict.verdict === "violated" ? verdict.counterexample.text : verdict.verdict;
    expect(`seed ${seed}: ${said}`).toBe(`seed ${seed}: linearizable`);
  }
}, 60_000);

async function findsFault({ create }: BrokenStore): Promise<boolean> {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    if ((await verdictOn(seed, create())).verdict === "violated") {
      return true;
    }
  }
  return false;
}

// Nothing is restarted here, so what a restart breaks is whole.
const judged = brokenStores.filter(
  ({ clause, id }) => JUDGED.includes(clause) && !id.startsWith("restart-"),
);

test.each(judged)(
  "finds the store that breaks $clause: $flaw",
  async (broken) => expect(await findsFault(broken)).toBe(true),
  60_000,
);
