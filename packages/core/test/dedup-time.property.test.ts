// What must outlive what: the evidence of an unknown end every retention, the record of a key that
// bears its birth time the moment in which the key itself is expired.

import { createDedup } from "@onceproof/core";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { holdsAlways } from "./support/dedup-oracles.ts";
import { KEYS, scripts } from "./support/dedup-script.ts";
import { keyOf, play } from "./support/dedup-theatre.ts";
import { propertyRuns, propertyTimeoutMs } from "./support/property-runs.ts";
import { createSwarm, TOMBSTONE_MS } from "./support/swarm.ts";

vi.setConfig({ testTimeout: propertyTimeoutMs() });

// Longer than any script with its retries, so that nothing is forgotten while it is played.
const RETENTION_MS = 300_000;

describe.each([
  { title: "the memory store", direct: true, runs: 40 },
  { title: "the memory store behind a bad network", direct: false, runs: 120 },
])("over $title", ({ direct, runs }) => {
  test.each(["park", "rerun"] as const)(
    "%s: evidence of an unknown end outlives every retention, an outcome its own",
    (policy) =>
      fc.assert(
        fc.asyncProperty(scripts({ faulty: !direct }), async (script) => {
          const played = await play(script, {
            policy,
            sink: "naive",
            direct,
            retentionMs: RETENTION_MS,
            idleMs: 5 * RETENTION_MS,
          });
          for (let index = 0; index < KEYS; index += 1) {
            const key = keyOf(index);
            const before = played.healed.get(key);
            const { result, runs: last } = played.settled.get(key)!;
            const unresolved =
              (before?.state === "running" && policy === "park") ||
              (before !== undefined && "unresolved" in before && before.unresolved);
            if (!unresolved) {
              // It was forgotten, or never there: the key is as good as new.
              expect(result).toMatchObject({ outcome: "executed", attempt: 1 });
            } else if (policy === "park") {
              expect(result).toEqual({ outcome: "indeterminate", reason: "parked" });
            } else {
              expect(last[0]).toMatchObject({ takeover: true, attempt: before.attempt + 1 });
            }
          }
          // The last calls begin anew what was forgotten; everything before them holds as always.
          const lastRuns = new Set([...played.settled.values()].flatMap((answer) => answer.runs));
          holdsAlways({
            ...played,
            runs: played.runs.filter((run) => !lastRuns.has(run)),
            answers: played.answers.filter((answer) => answer !== played.settled.get(answer.key)),
            history: new Map(
              [...played.history].map(([key, moments]) => [
                key,
                moments.slice(0, played.healedAt.get(key)),
              ]),
            ),
          });
        }),
        propertyRuns(runs),
      ),
  );
});

describe("a key that bears its birth time", () => {
  const SKEW_MS = 5_000;
  const WINDOW_MS = 60_000;

  interface Visit {
    /** Time that passes before it. */
    readonly afterMs: number;
    /** Where the store's clock stands before the call, and when its outcome is written. */
    readonly offsetMs: number;
    readonly laterOffsetMs: number;
  }

  // Around what matters: the age at which it is expired, and where its record ends.
  const gap = fc.oneof(
    { arbitrary: fc.integer({ min: 0, max: 2_000 }), weight: 2 },
    { arbitrary: fc.integer({ min: WINDOW_MS - SKEW_MS, max: WINDOW_MS + SKEW_MS }), weight: 3 },
    { arbitrary: fc.integer({ min: 0, max: 2 * WINDOW_MS }), weight: 1 },
  );
  const birth = fc.oneof(
    fc.integer({ min: 0, max: 3 * SKEW_MS }),
    fc.integer({ min: -WINDOW_MS, max: 0 }),
  );
  // Together less than the tombstone time, within which the clauses hold.
  const offset = fc.oneof(
    fc.constantFrom(0, 0.9 * TOMBSTONE_MS),
    fc.integer({ min: 0, max: 0.9 * TOMBSTONE_MS }),
  );
  const visits: fc.Arbitrary<Visit[]> = fc.array(
    fc.record({ afterMs: gap, offsetMs: offset, laterOffsetMs: offset }),
    { minLength: 2, maxLength: 8 },
  );

  test("runs at most once in all time, never before its skew or after the retention", () =>
    fc.assert(
      fc.asyncProperty(
        visits,
        birth,
        fc.constantFrom("park" as const, "rerun" as const),
        async (plan, birthInMs, onCrash) => {
          const swarm = createSwarm({ seed: 1, plan: [] });
          const { clock, runtime } = swarm;
          const issuedAtMs = clock.wallNow() + birthInMs;
          const dedup = createDedup({
            ...{ store: swarm.direct, runtime, name: "t", onCrash, leaseMs: 1_000 },
            ...{ retentionMs: WINDOW_MS, maxSkewMs: SKEW_MS },
          });
          let runs = 0;
          for (const { afterMs, offsetMs, laterOffsetMs } of plan) {
            await runtime.advance(afterMs);
            clock.setOffset(offsetMs);
            const ageMs = clock.wallNow() - issuedAtMs;
            const { outcome } = await runtime.run(
              dedup.attempt(
                "k",
                () => {
                  runs += 1;
                  clock.setOffset(laterOffsetMs);
                },
                { issuedAtMs },
              ),
            );
            expect(runs, "a key runs once in all time").toBeLessThanOrEqual(1);
            if (outcome === "executed") {
              expect(ageMs).toBeGreaterThanOrEqual(-SKEW_MS);
              expect(ageMs).toBeLessThanOrEqual(WINDOW_MS);
            }
            expect(["executed", "replayed", "expired", "notYetValid"]).toContain(outcome);
          }
        },
      ),
      propertyRuns(400),
    ));
});
