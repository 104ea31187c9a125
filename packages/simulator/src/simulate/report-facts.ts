// What a simulation's report says: as data for programs, as text and as a page for people.

import type { ReplayedRun, SimulationFinding } from "./finding.js";
import type { Searched } from "./search.js";
import type { GapRow } from "./tallies.js";

/** What `simulate` resolves with. As a string it is a text for people. */
export interface SimulationReport {
  /** Whether nothing was found. */
  readonly ok: boolean;
  readonly findings: readonly SimulationFinding[];
  /** One row for each gap of the handler and each kind of fault that struck there alone. */
  readonly gaps: readonly GapRow[];
  /** How many plans were tried: without a fault, of one, of two. */
  readonly plans: Searched["plans"];
  /** Whether those are all plans of one fault, and all of two. */
  readonly complete: Searched["complete"];
  readonly seed: number;
  /** With `replay`: the run of the token, also if nothing is wrong in it. */
  readonly run?: ReplayedRun;
  toString(): string;
  /** One self-contained page with stories and diagrams. */
  toHtml(): string;
}

export type ReportFacts = Omit<SimulationReport, "ok" | "toString" | "toHtml">;
