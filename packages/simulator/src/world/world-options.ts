// What a world is made of: everything that determines a run, beside the programs of its nodes.

import type { Hop } from "../runtime.js";
import type { ChoiceSource } from "./choices.js";
import type { FaultPlan } from "./fault-plan.js";
import type { StoreProfile } from "./profile.js";
import type { MakeDatabase } from "./served-store.js";
import type { StoreSteps } from "./store-server.js";

/** Options of `createWorld`. */
export interface WorldOptions {
  /** Determines latencies, clocks and random bytes. @defaultValue 1 */
  readonly seed?: number;
  readonly profile: StoreProfile;
  /** What goes wrong. @defaultValue nothing */
  readonly plan?: FaultPlan;
  /** Decides how long each message takes. @defaultValue the choices of the seed */
  readonly choices?: ChoiceSource;
  /** Travel times to choose from, each way, in ms. @defaultValue 0.3 to 1.7 in eight steps */
  readonly latenciesMs?: readonly number[];
  /** @defaultValue 200 */
  readonly operationTimeoutMs?: number;
  /** @defaultValue 10_000 */
  readonly tombstoneMs?: number;
  /** How far the nodes' wall clocks may differ from true time, in ms. @defaultValue 60_000 */
  readonly maxSkewMs?: number;
  /** How much the nodes' clocks may run fast or slow. @defaultValue 0.0005 */
  readonly maxDrift?: number;
  /** How pending microtasks are let run. @defaultValue `tickHop` */
  readonly hop?: Hop;
  /** Lets microtasks run after every event, though it ran no code of a node. @defaultValue false */
  readonly hopAlways?: boolean;
  /**
   * Stops code that touches real time or randomness while a run lasts: `run` rejects with a
   * NondeterminismError that names the place, even if the code swallowed it. @defaultValue false
   */
  readonly guard?: boolean;
  /** After so many events the run counts as stuck. @defaultValue 200_000 */
  readonly maxEvents?: number;
  /**
   * Whether events are kept for people to read. Without, the trace stays empty: for worlds that last
   * so long that memory bounds them. @defaultValue true
   */
  readonly trace?: boolean;
  /** The store's steps, for broken variants. @defaultValue those of core */
  readonly steps?: StoreSteps;
  /**
   * What a store with transactions runs on, e.g. `serveStore` over a store of your own.
   * @defaultValue as the profile has it
   */
  readonly database?: MakeDatabase;
  /** After so long without a statement the store rolls a transaction back. @defaultValue 2_500 */
  readonly idleInTransactionMs?: number;
}
