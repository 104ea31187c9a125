// The one shape that every disaster has, so that the runner and the report know none of them.

import type { World } from "./world/world.js";

/** Store calls per request. */
export interface Calls {
  /** Of one request that meets nobody. */
  readonly first: number;
  /** Of the same request again. */
  readonly duplicate: number;
  /** On average in the disaster, where requests wait for each other or try again. */
  readonly mean: number;
}

/** What a run left behind. */
export interface Damage {
  /** Counted at the sink, which knows nothing of the service. */
  readonly effects: number;
}

export interface Protected extends Damage {
  readonly calls: Calls;
  /** What went wrong beside the count, such as two clicks that got different receipts. */
  readonly problems: readonly string[];
}

export interface Disaster {
  /** For `--only`. */
  readonly name: string;
  readonly title: string;
  /** What `effects` counts. */
  readonly counted: string;
  /** How many effects there must be. */
  readonly expected: number;
  readonly algorithm: string;
  /** The exports of core that the recipe uses. */
  readonly factories: readonly string[];
  /** The file whose `recipe` regions are the code to copy. */
  readonly source: string;
  /** The code that people write, under this disaster's requests. */
  unprotected(world: World): Promise<Damage>;
  /** The same requests against the same code inside an algorithm. */
  protected(world: World): Promise<Protected>;
}

/** After the disaster: sends one fresh request twice, and counts the store calls of each. */
export async function callsOf(world: World, send: () => Promise<unknown>): Promise<Calls> {
  world.endCount();
  const mean = world.counter.counts().total / world.requests;
  const first = await world.counter.during(send);
  const duplicate = await world.counter.during(send);
  return { first: first.calls.total, duplicate: duplicate.calls.total, mean };
}
