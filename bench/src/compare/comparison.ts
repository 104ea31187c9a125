// What is compared: the same operation done by bare commands, by us and by others, on one store.

import type { Spread } from "./statistics.js";

/** One way to do a comparison's operation. */
export interface Contestant {
  /** Name and version. */
  readonly name: string;
  /** The client library it runs on; a contestant is measured against the bare commands on the same. */
  readonly client: string;
  readonly kind: "bare" | "ours" | "peer";
  /** The share of the bare commands' rate that it should reach, many at a time. */
  readonly goal?: number;
  /** What it does not do that others in the comparison do. */
  readonly lacks?: string;
  /** Does the operation once; an index never comes twice between two calls of `prepare`. */
  readonly operate: (index: number) => Promise<unknown>;
  /** Called once after the store was emptied, for what the operation needs to find there. */
  readonly prepare?: () => Promise<unknown>;
  /** Does the half of the operation after which the store holds most. */
  readonly hold?: (index: number) => Promise<unknown>;
}

/** One operation and everyone who does it. */
export interface Comparison {
  /** Begins with the store's name, as `redis: `. */
  readonly name: string;
  readonly contestants: readonly Contestant[];
}

/** What one operation of a contestant costs the store, by the store's own account. */
export interface Account {
  /** The calls that the client sent, in order, as in `["SET", "EVALSHA"]`. */
  readonly calls: readonly string[];
  /** What else the store tells of one operation, by name and unit; the same for all contestants. */
  readonly costs: Readonly<Record<string, number>>;
}

/** A number that is not a rate, such as what one call costs a server; goals are upper bounds. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly goal?: number;
  /** The quartiles, if it is a median of rounds. */
  readonly spread?: Spread;
}

/** What a detail is told of the run. */
export interface DetailRun {
  /** For how long each thing is measured, in milliseconds. */
  readonly timeMs: number;
  readonly seed: number;
  readonly concurrency: number;
  readonly onProgress: (done: number, total: number, now: string) => void;
}

/** Figures that belong together. */
export interface Detail {
  /** Begins with the store's name, as `redis: `. */
  readonly name: string;
  measure(run: DetailRun): Promise<readonly Figure[]>;
}

/** What a comparison is measured in. */
export interface Ground {
  /** Empties the store. */
  clear(): Promise<unknown>;
  /**
   * Whether the store is emptied once and not in each round: a database that lost its rows plans
   * everyone's statements anew.
   */
  readonly keepsRows?: boolean;
  /** CPU time that the server has used so far, in microseconds; NaN where there is none. */
  serverCpuUs(): Promise<number>;
}

/** A store that was started for the comparisons, and what can be asked of it. */
export interface Arena extends Ground, AsyncDisposable {
  /** The store and its settings in one line. */
  readonly setting: string;
  readonly comparisons: readonly Comparison[];
  readonly details: readonly Detail[];
  account(contestant: Contestant): Promise<Account>;
}

/** Why a store cannot be measured here, in words that say what to do. */
export class CannotMeasure extends Error {
  override readonly name = "CannotMeasure";
}
