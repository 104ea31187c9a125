// The guarantee matrix as data: scenario × guarantee × store profile × fault class. What the command
// prints, what docs/guarantee-matrix.md and the HTML report are made of.

import type { FaultClass, RunSpec } from "../scenarios/scenario.js";
import type { ProfileId } from "../world/profile.js";

/**
 * Columns: plans of no fault and of one fault by its class, plans of two faults, and random ones of
 * several faults (`swarm`).
 */
export type Column = FaultClass | "pairs" | "swarm";

export const COLUMNS: readonly Column[] = [
  "none",
  "messages",
  "crashes",
  "pauses",
  "clocks",
  "store",
  "pairs",
  "swarm",
];

/** What a cell found, beside what is declared. */
export type CellVerdict =
  /** Declared to hold, and no plan violated it. */
  | "holds"
  /** Declared lost here, and a violation was found. */
  | "lost"
  /** Declared that it may be lost here, and no plan violated it. */
  | "notLost"
  /** Declared to hold, and violated: a surprise. */
  | "violated"
  /** Declared lost here, and no plan showed it: a surprise, the oracle or the sentence is wrong. */
  | "notFound"
  /** No plan of this kind exists here, or none was tried yet. */
  | "untried";

/** A violation with the smallest plan that was found for it. */
export interface Finding {
  readonly how: string;
  readonly spec: RunSpec;
  /** Replays it: `onceproof replay <token>`. */
  readonly token: string;
}

export interface Cell {
  readonly scenario: string;
  readonly guarantee: string;
  readonly profile: ProfileId;
  readonly column: Column;
  readonly verdict: CellVerdict;
  /** How many plans were tried, and whether those are all of them. */
  readonly plans: number;
  readonly exhaustive: boolean;
  readonly violations: number;
  /** Why it is given up here, where it is. */
  readonly why?: string;
  readonly smallest?: Finding;
}

/** A row: one guarantee of one scenario on one profile. */
export interface MatrixRow {
  readonly scenario: string;
  readonly scenarioTitle: string;
  readonly algorithm: string;
  readonly guarantee: string;
  readonly sentence: string;
  readonly profile: ProfileId;
  readonly cells: readonly Cell[];
}

export interface Matrix {
  readonly rows: readonly MatrixRow[];
  /** The mutant of core that ran; absent for core as it is. */
  readonly mutant?: string;
  readonly seed: number;
  /** Runs carried out, events in them, and wall time in seconds; printed, never written to docs. */
  readonly runs: number;
  readonly events: number;
  readonly seconds: number;
  /** `quick`, `full` or the time that was given. */
  readonly budget: string;
  /** False if it was interrupted or out of time: then some cells are not exhaustive. */
  readonly complete: boolean;
  /** The cells that are `violated` or `notFound`. */
  readonly surprises: readonly Cell[];
}
