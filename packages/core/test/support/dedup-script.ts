// Scripts for the properties of dedup, as plain data that shrinks: who calls which key when, what
// its handler does, which process crashes or pauses, and what the network does to which call.

import type { PlannedFault } from "@onceproof/simulator";
import fc from "fast-check";
import { faultPlan } from "./swarm.ts";

export const LEASE_MS = 1_500;
export const WAIT_MS = 800;
export const PROCESSES = 3;
export const KEYS = 2;

/** How a handler ends; the effect happens unless it says otherwise. */
export type End =
  | "returns"
  /** Before any effect. */
  | "throwsRetryable"
  /** Before any effect. */
  | "throwsFinal"
  | "throwsBeforeEffect"
  | "throwsAfterEffect";

export interface ScriptedCall {
  readonly process: number;
  readonly key: number;
  readonly startMs: number;
  /** Work before the effect, and after it. */
  readonly beforeMs: number;
  readonly afterMs: number;
  /** How long each way to the sink takes. */
  readonly sinkMs: number;
  readonly end: End;
  readonly step: boolean;
  readonly fingerprint: "a" | "b" | undefined;
  readonly retries: number;
  readonly gapMs: number;
}

/** What befalls a process. */
export interface Trouble {
  readonly process: number;
  readonly atMs: number;
  readonly kind: "crash" | "pause" | "suspend";
  readonly forMs: number;
}

/** Somebody who resolves a key, rightly or not. */
export interface Person {
  readonly key: number;
  readonly atMs: number;
  readonly outcome: "done" | "failed" | "notDone";
}

/** How the sink answers the next question of a verify. */
export type Mood = "answers" | "throws" | "saysUnknown" | "isSlow";

export interface Script {
  readonly seed: number;
  readonly calls: readonly ScriptedCall[];
  readonly troubles: readonly Trouble[];
  readonly plan: readonly PlannedFault[];
  readonly moods: readonly Mood[];
  readonly people: readonly Person[];
  /** How far each process's wall clock is off. */
  readonly skewsMs: readonly number[];
}

const ms = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });

/** A duration that is mostly short, sometimes around the lease, sometimes beyond it. */
const work = fc.oneof(
  { arbitrary: ms(200), weight: 4 },
  { arbitrary: fc.integer({ min: 0.7 * LEASE_MS, max: 1.3 * LEASE_MS }), weight: 1 },
  { arbitrary: ms(3 * LEASE_MS), weight: 1 },
);

const call: fc.Arbitrary<ScriptedCall> = fc.record({
  process: fc.integer({ min: 0, max: PROCESSES - 1 }),
  // The first key meets most calls, since calls of different keys never meet.
  key: fc.oneof(
    { arbitrary: fc.constant(0), weight: 3 },
    { arbitrary: fc.integer({ min: 0, max: KEYS - 1 }), weight: 1 },
  ),
  startMs: ms(2 * LEASE_MS),
  beforeMs: work,
  afterMs: work,
  sinkMs: ms(300),
  end: fc.constantFrom<End>(
    ...(["returns", "returns", "throwsRetryable", "throwsFinal"] as const),
    ...(["throwsBeforeEffect", "throwsAfterEffect"] as const),
  ),
  step: fc.boolean(),
  fingerprint: fc.constantFrom("a", "a", "b", undefined),
  retries: ms(2),
  gapMs: ms(LEASE_MS),
});

const trouble: fc.Arbitrary<Trouble> = fc.record({
  process: fc.integer({ min: 0, max: PROCESSES - 1 }),
  atMs: ms(4 * LEASE_MS),
  kind: fc.constantFrom("crash", "pause", "suspend"),
  forMs: fc.oneof(ms(LEASE_MS), ms(4 * LEASE_MS)),
});

const person: fc.Arbitrary<Person> = fc.record({
  key: fc.integer({ min: 0, max: KEYS - 1 }),
  atMs: ms(6 * LEASE_MS),
  outcome: fc.constantFrom("done", "failed", "notDone"),
});

/** Random scripts; `faulty: false` leaves the network and the store's clock alone. */
export function scripts({
  faulty,
  people = false,
}: {
  readonly faulty: boolean;
  readonly people?: boolean;
}): fc.Arbitrary<Script> {
  const skew = fc.integer({ min: -60_000, max: 60_000 });
  return fc.record({
    seed: fc.integer({ min: 1, max: 1_000_000 }),
    calls: fc.array(call, { minLength: 1, maxLength: 6 }),
    troubles: fc.array(trouble, { maxLength: 3 }),
    plan: faulty ? faultPlan({ calls: 40, clockJumps: true }) : fc.constant([]),
    moods: fc.array(fc.constantFrom<Mood>("answers", "throws", "saysUnknown", "isSlow"), {
      maxLength: 4,
    }),
    people: people ? fc.array(person, { maxLength: 4 }) : fc.constant([]),
    skewsMs: fc.array(skew, { minLength: PROCESSES, maxLength: PROCESSES }),
  });
}
