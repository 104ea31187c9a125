// What everybody saw while a script was played: handlers, callers, the sink, the people who resolved
// keys, and the store.

import type { DedupResult, Inspection, ResolveResult, VerifyAnswer } from "@onceproof/core";
import type { End, Person, Script, ScriptedCall } from "./dedup-script.ts";
import type { Sink } from "./dedup-sinks.ts";

/** One run of a handler. */
export interface Run {
  readonly id: number;
  readonly key: string;
  readonly call: ScriptedCall;
  readonly attempt: number;
  readonly takeover: boolean;
  readonly fencingToken: number;
  /** How the handler ended; undefined if it never did. */
  ended?: End;
  value?: unknown;
}

/** One answer to a caller. */
export interface Answer {
  readonly call: ScriptedCall;
  readonly key: string;
  /** The runs of this very call. */
  readonly runs: readonly Run[];
  readonly result?: DedupResult<unknown>;
  /** The code of what was thrown instead. */
  readonly code?: unknown;
  /** What the store held at that moment. */
  readonly stored: Inspection;
}

/** What the store held under a key, by its own clock. */
export interface Moment {
  readonly storeMs: number;
  readonly seen: Inspection;
}

/** One answer to a person. */
export interface Resolved {
  readonly key: string;
  readonly person: Person;
  readonly result: ResolveResult;
  /** What the store held when it was answered. */
  readonly stored: Inspection;
}

/** One answer of the sink to a verify. */
export interface Verified {
  readonly key: string;
  readonly answer: VerifyAnswer["answer"];
  readonly fencingToken: number;
}

export interface Play {
  readonly script: Script;
  readonly runs: readonly Run[];
  readonly answers: readonly Answer[];
  readonly sink: Sink;
  /** What the store held under each key after each applied write, in order. */
  readonly history: ReadonlyMap<string, readonly Moment[]>;
  /** What verify was answered, and the token that the sink's fence was raised to. */
  readonly verified: readonly Verified[];
  /** What people were told whose resolution had an answer. */
  readonly resolved: readonly Resolved[];
  /** What the store held when everything had healed, before the time that `idleMs` lets pass. */
  readonly healed: ReadonlyMap<string, Inspection>;
  /** How many moments of each key's history came before that. */
  readonly healedAt: ReadonlyMap<string, number>;
  /** What a fresh process was told last, once everything had healed, and the store then held. */
  readonly settled: ReadonlyMap<string, Answer>;
  /** The steps that were run though the store held them when their attempt began. */
  readonly repeatedSteps: readonly string[];
}
