// Judges reads and writes over rows seen at one instant, by the very lines of core that judge the
// memory store: no dialect has a judge of its own.

import {
  type CreateWrite,
  type Observation,
  readStep,
  type Slot,
  type SlotView,
  type Write,
  type WriteAll,
  type WriteAllResult,
  type WriteResult,
  writeAllStep,
  writeStep,
} from "@onceproof/core/advanced";

/** Rows seen at one instant, by key; a missing one was not there. */
export interface Sight {
  readonly now: number;
  readonly slots: ReadonlyMap<string, Slot | undefined>;
}

/** What a step answers, and the rows that it would leave behind; none for refusals and replays. */
export interface Judged<Result> {
  readonly result: Result;
  readonly puts: readonly Slot[];
}

/** The sight of one key. */
export function sightOf(key: string, slot: Slot | undefined, now: number): Sight {
  return { now, slots: new Map([[key, slot]]) };
}

/**
 * The slot unless the key is forgotten: by time, as elsewhere, since a row stays until a sweep has
 * deleted it, and what an answer says must not depend on who sweeps when.
 */
export function remembered(slot: Slot | undefined, now: number): Slot | undefined {
  return slot !== undefined && slot.keptUntil < now ? undefined : slot;
}

function viewOf({ now, slots }: Sight, puts: Slot[]): SlotView {
  return {
    tombstoneUs: 0,
    now: () => now,
    lookup: (key) => remembered(slots.get(key), now),
    makeRoom: () => {},
    put: (slot) => void puts.push(slot),
  };
}

/** What a read of the key tells. */
export function observe(sight: Sight, key: string): Observation {
  return readStep(viewOf(sight, []), key);
}

/** What a write does to what was seen. */
export function judge(sight: Sight, write: Write): Judged<WriteResult> {
  const puts: Slot[] = [];
  return { result: writeStep(viewOf(sight, puts), write), puts };
}

/** What several writes in one step do to what was seen. */
export function judgeAll(sight: Sight, all: WriteAll): Judged<WriteAllResult> {
  const puts: Slot[] = [];
  return { result: writeAllStep(viewOf(sight, puts), all), puts };
}

/** Whether a write makes an entry where there is none. */
export function isCreate<W extends { readonly expect: Write["expect"] }>(
  write: W,
): write is Extract<W, { readonly expect: CreateWrite["expect"] }> {
  return write.expect === "absent" || "absentSince" in write.expect;
}
