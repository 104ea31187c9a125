// The rows of the table as core's judge sees them inside one transaction: it looks a row up when it
// needs it, and puts what it decides.

import type { Slot, SlotView } from "@onceproof/core/advanced";
import { remembered } from "../shared/judge.js";
import type { Statements } from "./statements.js";

/** The rows under the write lock. */
export interface Rows extends SlotView {
  /** Deletes a row by its id in the table. */
  free(id: number): void;
  /** Whether anything was put or freed. */
  touched(): boolean;
}

/** Rows to be judged at `now`; only for use inside a transaction that holds the write lock. */
export function rowsAt(now: number, statements: Statements): Rows {
  const held = new Map<string, Slot | undefined>();
  let touched = false;
  return {
    tombstoneUs: 0,
    now: () => now,
    lookup(key) {
      if (!held.has(key)) {
        held.set(key, statements.read(key));
      }
      return remembered(held.get(key), now);
    },
    makeRoom() {},
    put(slot) {
      touched = true;
      const before = held.get(slot.key);
      held.set(slot.key, slot);
      if (before?.value !== undefined && before.value === slot.value) {
        statements.renew(slot);
      } else {
        statements.put(slot);
      }
    },
    free(id) {
      touched = true;
      statements.free(id);
    },
    touched: () => touched,
  };
}
