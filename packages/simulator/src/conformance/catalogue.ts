// Every clause with its cases, in the order in which they are run and reported.

import { multiKey } from "./clauses/multi-key.js";
import { multiKeyLaws } from "./clauses/multi-key-laws.js";
import { s0 } from "./clauses/s0-conditions.js";
import { s1 } from "./clauses/s1-linearizable.js";
import { s2 } from "./clauses/s2-expiry.js";
import { s3 } from "./clauses/s3-revisions.js";
import { s4 } from "./clauses/s4-refusals.js";
import { s5 } from "./clauses/s5-replays.js";
import { s6 } from "./clauses/s6-unknown.js";
import { s7 } from "./clauses/s7-time.js";
import { s8 } from "./clauses/s8-keys.js";
import { s9 } from "./clauses/s9-values.js";
import { s10 } from "./clauses/s10-ttl.js";
import { s11 } from "./clauses/s11-close.js";
import { sweepable } from "./clauses/sweepable.js";
import { transactional } from "./clauses/transactional.js";
import { watchable } from "./clauses/watchable.js";
import type { CaseDefinition } from "./definition.js";
import type { Clause } from "./harness.js";

/** A clause, or an optional capability, and the cases that judge it. */
export interface ClauseCases {
  readonly clause: Clause;
  /** What it is about, in a few words. */
  readonly about: string;
  readonly definitions: readonly CaseDefinition[];
}

export const CATALOGUE: readonly ClauseCases[] = [
  { clause: "S0", about: "what a write expects", definitions: s0 },
  { clause: "S1", about: "linearizability", definitions: s1 },
  { clause: "S2", about: "expiry", definitions: s2 },
  { clause: "S3", about: "revisions", definitions: s3 },
  { clause: "S4", about: "refusals", definitions: s4 },
  { clause: "S5", about: "replays", definitions: s5 },
  { clause: "S6", about: "answers that do not come", definitions: s6 },
  { clause: "S7", about: "the store's time", definitions: s7 },
  { clause: "S8", about: "keys and namespaces", definitions: s8 },
  { clause: "S9", about: "values", definitions: s9 },
  { clause: "S10", about: "times to live", definitions: s10 },
  { clause: "S11", about: "settling and closing", definitions: s11 },
  {
    clause: "multiKey",
    about: "several keys in one step",
    definitions: [...multiKey, ...multiKeyLaws],
  },
  { clause: "transactional", about: "transactions", definitions: transactional },
  { clause: "watchable", about: "wake-ups", definitions: watchable },
  { clause: "sweepable", about: "sweeping", definitions: sweepable },
];
