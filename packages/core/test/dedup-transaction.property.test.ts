// An effect that shares the store's transaction: record and effect commit together or not at all, so
// it happens once whatever becomes of the commit.

import { createDedup, createMemoryStore } from "@onceproof/core";
import { createFaultyStore, createVirtualRuntime, type PlannedFault } from "@onceproof/simulator";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { propertyRuns, propertyTimeoutMs } from "./support/property-runs.ts";

vi.setConfig({ testTimeout: propertyTimeoutMs() });

const faults: fc.Arbitrary<PlannedFault[]> = fc.array(
  fc.record({
    call: fc.integer({ min: 1, max: 12 }),
    fault: fc.constantFrom("dropRequest" as const, "dropReply" as const, "unavailable" as const),
  }),
  { maxLength: 8 },
);

const callers = fc.array(
  fc.record({
    startMs: fc.integer({ min: 0, max: 3_000 }),
    workMs: fc.integer({ min: 0, max: 500 }),
    /** Some attempts fail, and roll back with what they did. */
    failures: fc.integer({ min: 0, max: 2 }),
    onCrash: fc.constantFrom("park" as const, "rerun" as const),
  }),
  { minLength: 1, maxLength: 4 },
);

test("an effect within the store's transaction happens once, and all get its value", () =>
  fc.assert(
    fc.asyncProperty(callers, faults, async (plan, faultPlan) => {
      const runtime = createVirtualRuntime();
      const memory = createMemoryStore({ runtime });
      const { store } = createFaultyStore(memory, { runtime, plan: faultPlan, latencyMs: 2 });
      const effects: number[] = [];
      const ask = async (
        { startMs, workMs, failures, onCrash }: (typeof plan)[number],
        id: number,
      ) => {
        await runtime.sleep(startMs);
        let failed = 0;
        for (;;) {
          try {
            return await store.transaction(async (tx) => {
              const bound = store.bind(tx);
              const dedup = createDedup({ store: bound, runtime, name: "pay", onCrash });
              return dedup.run("k", async () => {
                await runtime.sleep(workMs);
                if (failed < failures) {
                  failed += 1;
                  throw new Error("roll back");
                }
                tx.onCommit(() => effects.push(id));
                return { by: id };
              });
            });
          } catch {
            // Rolled back, or the commit got no answer: either way the next round finds out.
            await runtime.sleep(50);
          }
        }
      };
      const values = await runtime.run(Promise.all(plan.map(ask)));
      expect(effects).toHaveLength(1);
      expect(values).toEqual(plan.map(() => ({ by: effects[0] })));
    }),
    propertyRuns(150),
  ));
