// What the halves of the disasters stand on: a store, and books. Both are new for a half without
// protection, which is started over if it was interrupted; what the other half keeps is told here.

import { randomUUID } from "node:crypto";
import { createMemoryStore } from "@onceproof/core";
import type { MultiKeyStore } from "@onceproof/core/advanced";
import { openSqlite } from "@onceproof/sql-adapter";
import { type Books, makeBooks, openBooks } from "./books.js";
import { withRoundTrips } from "./round-trips.js";

export interface Ground {
  readonly store: MultiKeyStore;
  readonly books: Books;
  close(): Promise<void>;
}

export interface Stage {
  /** Names the run. Ids bear it, so that no run meets what another has recorded. */
  readonly run: string;
  /** How often this run was started: more than once if it was killed, or has company. */
  readonly starts: number;
  open(disaster: string, half: "without" | "with"): Promise<Ground>;
}

/** Opens a store; closing it frees all that it took. */
export type OpenStore = () => Promise<MultiKeyStore>;

export const newRun = (): string => randomUUID().slice(0, 8);

/** A stage that nothing survives, over a store of any kind. */
export function passingStage(openStore: OpenStore = inMemory): Stage {
  return { run: newRun(), starts: 1, open: () => passingGround(openStore) };
}

export async function passingGround(openStore: OpenStore = inMemory): Promise<Ground> {
  const store = await openStore();
  const { database, close } = await openSqlite(":memory:");
  makeBooks(database);
  return {
    store,
    books: openBooks(database, ""),
    async close() {
      await Promise.all([store.close(), close()]);
    },
  };
}

async function inMemory(): Promise<MultiKeyStore> {
  return withRoundTrips(createMemoryStore());
}
