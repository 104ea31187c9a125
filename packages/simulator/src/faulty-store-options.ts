// Options of the faulty store, and what their defaults mean.

import type { Runtime } from "@onceproof/core/advanced";
import type { FaultRates, PlannedFault } from "./faults.js";
import type { SkewedRuntime } from "./skewed-runtime.js";

/** Options of `createFaultyStore`. */
export interface FaultyStoreOptions {
  /** Whose timers carry delays and timeouts: the client's, usually a virtual runtime. */
  readonly runtime: Runtime;
  /** Determines latencies and drawn faults. @defaultValue 1 */
  readonly seed?: number;
  /** How often each fault strikes; those left out keep their default. Ignored with a `plan`. */
  readonly rates?: Partial<FaultRates>;
  /** Exactly these faults and no drawn ones: what a recorded run or fast-check hands in. */
  readonly plan?: readonly PlannedFault[];
  /** Each way takes up to this long without any fault; at 0 nothing is awaited. @defaultValue 1 */
  readonly latencyMs?: number;
  /** When a caller gives up on an answer. @defaultValue the inner store's */
  readonly operationTimeoutMs?: number;
  /** The longest drawn delay of one way. @defaultValue 1.5 times the operation timeout */
  readonly maxDelayMs?: number;
  /** The latest drawn arrival of a late or doubled request. @defaultValue 20 operation timeouts */
  readonly maxLateMs?: number;
  /** The clock that the inner store runs on; without it there are no clock faults. */
  readonly clock?: SkewedRuntime;
  /**
   * The farthest drawn offset of that clock, either way. Clocks stepping back stay within the
   * clauses below half the tombstone time. @defaultValue 0.4 times the inner store's tombstone time
   */
  readonly maxClockOffsetMs?: number;
}
