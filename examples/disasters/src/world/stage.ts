// What the halves of the disasters stand on: a store, and books. Both are new for a half without
// protection, which is started over if it was interrupted; what the other half keeps is told here.

import { randomUUID } from "node:crypto";
import type { MultiKeyStore } from "@onceproof/core/advanced";
import { openSqlite } from "@onceproof/sql-adapter";
import { inMemory, type Stores } from "../stores/stores.js";
import { type Books, makeBooks, openBooks } from "./books.js";

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

export const newRun = (): string => randomUUID().slice(0, 8);

/** A stage that nothing survives, over stores of any kind. */
export function passingStage(stores: Stores = inMemory): Stage {
  return { run: newRun(), starts: 1, open: () => passingGround(stores.open) };
}

export async function passingGround(openStore: Stores["open"]): Promise<Ground> {
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
