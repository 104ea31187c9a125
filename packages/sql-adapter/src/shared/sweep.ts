// Sweeps without an index on the expiry, which every write would pay for: a cursor walks the table
// in short stretches, and each call goes on where the last one ended.

import type { Deadline } from "@onceproof/core/advanced";

/** What one stretch freed, and where the next one begins; no position at the table's end. */
export interface Stretch<Position> {
  readonly freed: number;
  readonly next?: Position;
}

/** Frees what is due of one stretch, at most `limit` rows; the table's start has no position. */
export type SweepStretch<Position> = (
  from: Position | undefined,
  limit: number,
  deadline: Deadline,
) => Promise<Stretch<Position>>;

/** Sweeps at most `limit` rows within the deadline's time; returns how many were freed. */
export type Sweeper = (limit: number, deadline: Deadline) => Promise<number>;

// What is left of an operation's time when no further stretch is begun.
const RESERVE = 0.5;

/**
 * Builds a sweeper with a cursor of its own.
 *
 * Guarantee: 0 means that a pass over the whole table found nothing, or that the time of one
 * operation did not suffice for one; the next call goes on from there.
 * Cost: per stretch, whatever the size of the table.
 */
export function sweeper<Position>(stretch: SweepStretch<Position>, timeoutMs: number): Sweeper {
  let position: Position | undefined;
  return async (limit, deadline) => {
    let freed = 0;
    let wholePass = position === undefined;
    while (freed < limit && deadline.remainingMs() > timeoutMs * RESERVE) {
      const done = await stretch(position, limit - freed, deadline);
      freed += done.freed;
      // A stretch that used up the limit may hold more of it.
      if (freed >= limit) {
        break;
      }
      position = done.next;
      if (position === undefined) {
        if (wholePass) {
          break;
        }
        wholePass = true;
      }
    }
    return freed;
  };
}
