// Histories of one key of the memory store, whose steps are run without its promises: they are the
// reference for the model of the contract.

import type { Applied, Entry, Ttl, Write } from "@onceproof/core/advanced";
import type { Random } from "@onceproof/simulator";
import type { StoreInput, StoreOutput } from "@onceproof/simulator/checker";
import type { Slot } from "../../../../core/src/memory/slot.ts";
import { readStep, type SlotView, writeStep } from "../../../../core/src/memory/steps.ts";
import type { World } from "./histories.ts";

interface StoreWorldState {
  readonly slot: Slot | undefined;
  readonly now: number;
  readonly sent: readonly Write[];
  readonly stamps: readonly { readonly revision: number; readonly opId: string }[];
}

const KEY = "key";

const pick = <T>(random: Random, items: readonly T[]): T =>
  items[random.int(0, items.length - 1)] as T;

function drawWrite(random: Random, { slot, sent, stamps }: StoreWorldState): Write {
  const again = sent.at(-1);
  if (again !== undefined && random.chance(0.25)) {
    return random.chance(0.6) ? again : pick(random, sent);
  }
  const opId = `op${sent.length}`;
  const value = pick(random, ["x", "y"]);
  const ttlMs: Ttl = pick(random, ["never", 0.003, 0.006]);
  const latest = slot === undefined ? undefined : { revision: slot.revision, opId: slot.opId };
  const stamp = random.chance(0.8) ? latest : pick(random, [undefined, ...stamps]);
  if (stamp === undefined || random.chance(0.35)) {
    const absentSince = random.chance(0.5) ? 0 : (slot?.revision ?? 0) - random.int(0, 1);
    const expect = random.chance(0.5) ? "absent" : { absentSince: Math.max(0, absentSince) };
    return { key: KEY, opId, expect, next: { value, ttlMs } };
  }
  const next = pick<Extract<Write, { expect: { opId: string } }>["next"]>(random, [
    { value, ttlMs },
    { value, ttlMs: "keep" },
    { touch: true, ttlMs },
    "removed",
  ]);
  return { key: KEY, opId, expect: stamp, next };
}

/** The store with a clock that goes on by little, and sometimes back. */
export const storeWorld: World<StoreWorldState, StoreInput, StoreOutput> = {
  initial: { slot: undefined, now: 10, sent: [], stamps: [] },
  input: (random, state) =>
    random.chance(0.3)
      ? { kind: "read", key: KEY }
      : { kind: "write", write: drawWrite(random, state) },
  apply(state, input, random) {
    const now = state.now + (random.chance(0.1) ? -2 : random.int(0, 3));
    let { slot } = state;
    const view: SlotView = {
      tombstoneUs: Infinity,
      now: () => now,
      lookup: () => slot,
      makeRoom() {},
      put(next) {
        slot = next;
      },
    };
    if (input.kind === "read") {
      return [readStep(view, KEY), { ...state, now }];
    }
    const { write } = input;
    const output = writeStep(view, write) as StoreOutput;
    const sent = state.sent.some(({ opId }) => opId === write.opId)
      ? state.sent
      : [...state.sent, write];
    const stamps =
      slot === undefined ? [] : [...state.stamps, { revision: slot.revision, opId: slot.opId }];
    return [output, { slot, now, sent, stamps }];
  },
  wrong: (random, _, right) => spoil(random, right),
};

/** The answer with one thing changed. */
function spoil(random: Random, right: StoreOutput): StoreOutput {
  const by = random.int(1, 4);
  if ("outcome" in right && right.outcome === "applied") {
    return spoilApplied(random, right, by);
  }
  const { entry, ...rest } = right;
  if (entry === undefined) {
    const { revision, ...without } = right;
    return revision === undefined || random.chance(0.4)
      ? { ...right, revision: (revision ?? 10) + by }
      : without;
  }
  return random.chance(0.3) ? rest : { ...right, ...spoilEntry(random, entry, by) };
}

function spoilApplied(random: Random, right: Applied, by: number): StoreOutput {
  return pick<() => StoreOutput>(random, [
    () => ({ ...right, replayed: !right.replayed }),
    () => ({ ...right, revision: right.revision - by }),
    () => ({ ...right, writtenAt: right.writtenAt + by }),
    () => ({ ...right, expiresAt: (right.expiresAt ?? right.now) + by }),
    () => ({ outcome: "refused", now: right.now }),
  ])();
}

function spoilEntry(random: Random, entry: Entry, by: number) {
  const { revision, opId } = entry.stamp;
  const changed = pick<Entry>(random, [
    { ...entry, value: entry.value === "x" ? "y" : "x" },
    { ...entry, stamp: { revision: revision + by, opId } },
    { ...entry, stamp: { revision, opId: "op1" } },
    { ...entry, expiresAt: (entry.expiresAt ?? entry.writtenAt) + by },
  ]);
  return { entry: changed, revision: changed.stamp.revision };
}
