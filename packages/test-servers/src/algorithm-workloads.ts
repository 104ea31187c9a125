// The first two algorithms under a race, on any stores: many callers of one dedup key, and many
// contenders for one lock. They count what a sink that checks nothing would see.
import { setTimeout as sleep } from "node:timers/promises";
import { createDedup, createLock } from "@onceproof/core";
import type { AtomicStore } from "@onceproof/core/advanced";

const RETRY_MS = 50;

export interface DedupRace {
  readonly key: string;
  readonly callers: number;
  /** How long the effect takes. */
  readonly workMs: number;
}

export interface DedupRaceResult {
  /** How often the effect happened. */
  readonly effects: number;
  /** What each caller got. */
  readonly values: readonly unknown[];
}

/** As a user's own client does: asks again after a failure of the store. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (code !== "unavailable" && code !== "indeterminate" && code !== "inProgress") throw error;
      await sleep(RETRY_MS);
    }
  }
}

/** Runs one dedup key from many callers at once, spread over the stores. */
export async function raceDedup(
  stores: readonly AtomicStore[],
  { key, callers, workMs }: DedupRace,
): Promise<DedupRaceResult> {
  let effects = 0;
  const dedups = stores.map((store) => createDedup({ store, name: "race", onCrash: "park" }));
  const values = await Promise.all(
    Array.from({ length: callers }, (_, caller) =>
      patiently(async () =>
        dedups[caller % dedups.length]?.run(key, async ({ fencingToken }) => {
          effects += 1;
          await sleep(workMs);
          return { caller, fencingToken, at: new Date(0), none: undefined };
        }),
      ),
    ),
  );
  return { effects, values };
}

export interface LockRace {
  readonly resource: string;
  readonly contenders: number;
  readonly workMs: number;
  readonly leaseMs: number;
}

export interface LockRaceResult {
  /** The tokens in the order in which their holders began. */
  readonly tokens: readonly number[];
  /** How often a holder began while another had not ended. */
  readonly overlaps: number;
}

/** Acquires one lock from many contenders at once, spread over the stores. */
export async function raceLock(
  stores: readonly AtomicStore[],
  { resource, contenders, workMs, leaseMs }: LockRace,
): Promise<LockRaceResult> {
  const tokens: number[] = [];
  let overlaps = 0;
  let holders = 0;
  const locks = stores.map((store) => createLock({ store, name: "race", leaseMs, waitMs: 60_000 }));
  await Promise.all(
    Array.from({ length: contenders }, (_, contender) =>
      patiently(async () =>
        locks[contender % locks.length]?.run(resource, async ({ token }) => {
          if (holders > 0) overlaps += 1;
          holders += 1;
          tokens.push(token);
          await sleep(workMs);
          holders -= 1;
        }),
      ),
    ),
  );
  return { tokens, overlaps };
}
