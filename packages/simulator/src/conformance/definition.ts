// The shape in which the clause files write their cases down.

import type { Need } from "./harness.js";
import type { Lab } from "./lab.js";

export interface CaseDefinition {
  /** Clause, number and a short name; never reused for another law. */
  readonly id: `${string}.${number}-${string}`;
  /** The law, as a sentence. */
  readonly law: string;
  readonly needs?: readonly Need[];
  readonly run: (lab: Lab) => Promise<void>;
}
