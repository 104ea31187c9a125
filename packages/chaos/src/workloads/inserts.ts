// Registrations that are unique by e-mail and by number at once, of which many want the same: one
// gets both keys, the others neither, and each is told so again when it asks again.
import { createUniqueInsert, type KeySet, type UniqueInsert } from "@onceproof/core";
import type { MultiKeyStore } from "@onceproof/core/advanced";
import { SETTLE_MS, type Workload } from "../worker/lane.js";

const EPOCH_MS = 1_000;
const KEYS = 5;
const ASKS_AGAIN = 3;

export interface InsertAsk {
  readonly requestId: string;
  readonly keys: { readonly email: string; readonly number: string };
}

export function createInserts(store: MultiKeyStore): UniqueInsert<string, string | KeySet> {
  return createUniqueInsert<string>({ store, name: "inserts", settleMs: SETTLE_MS });
}

/** Inserts the request's own id as value. */
export function insertOnce(
  made: UniqueInsert<string, string | KeySet>,
  { keys, requestId }: InsertAsk,
): ReturnType<UniqueInsert<string, KeySet>["insert"]> {
  return made.insert({ keys: { ...keys }, value: requestId, requestId });
}

export const inserts: Workload = (lane) => {
  const { random, multi } = lane;
  if (multi === undefined) return () => lane.pause(1_000);
  const made = createInserts(multi);
  return async () => {
    const epoch = lane.epoch(EPOCH_MS);
    const keys = {
      email: `${epoch}/${random.int(1, KEYS)}`,
      number: `${epoch}/${random.int(1, KEYS)}`,
    };
    const ask: InsertAsk = { requestId: `${lane.by} ${lane.next()}`, keys };
    for (let time = 0; time < ASKS_AGAIN; time += 1) {
      await lane.ask("insert", ask, () => insertOnce(made, ask));
      if (random.chance(0.6)) break;
      await lane.pause(60);
    }
    await lane.pause(60);
  };
};
