// What the network needs from its world: time, choices, the trace, and the power to stop a process.

import type { Timer } from "../timers.js";
import type { ChoiceSource } from "./choices.js";
import type { FaultAt } from "./fault-plan.js";
import type { Party } from "./party.js";
import type { Ask, TraceEvent } from "./trace.js";

/** What the network needs from its world. */
export interface NetworkHost {
  elapsedUs(): number;
  at(delayUs: number, callback: () => void): Timer;
  cancel(timer: Timer): void;
  note(event: TraceEvent): void;
  choices: ChoiceSource;
  /** Travel times to choose from, in microseconds. */
  latenciesUs: readonly number[];
  crash(party: Party, forMs: number): void;
  stop(party: Party, state: "paused" | "suspended", forMs: number): void;
  /** Faults of the store: true if the request is lost by it. */
  strikeStore(fault: FaultAt, ask: Ask): boolean;
}
