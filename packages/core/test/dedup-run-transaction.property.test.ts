// What the handler writes through `tx` takes effect exactly once per key, and every caller is told
// that one outcome: under lost and late commits, contention, errors, rejections, and attempts of
// `run` under the same key.

import { codeOf, createTransactionalDedup, Final, type MemoryTransaction } from "@onceproof/core";
import { createFaultyStore, type PlannedFault } from "@onceproof/simulator";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { propertyRuns, propertyTimeoutMs } from "./support/property-runs.ts";
import { type Commit, createTransactionWorld } from "./support/transaction-world.ts";

vi.setConfig({ testTimeout: propertyTimeoutMs() });

const commits: fc.Arbitrary<Commit[]> = fc.array(
  fc.oneof(
    fc.constantFrom<Commit>("commits", "lostRequest", "lostReply", "contended", "unavailable"),
    fc.record({ lateMs: fc.integer({ min: 0, max: 2_000 }) }),
  ),
  { maxLength: 10 },
);

const faults: fc.Arbitrary<PlannedFault[]> = fc.array(
  fc.record({
    call: fc.integer({ min: 1, max: 12 }),
    fault: fc.constantFrom("dropRequest" as const, "dropReply" as const, "unavailable" as const),
  }),
  { maxLength: 6 },
);

/** How the runs of one caller's handler end, in turn; the last for all that follow. */
const endings = fc.array(fc.constantFrom("returns", "throws", "rejects"), {
  minLength: 1,
  maxLength: 4,
});

const callers = fc.array(
  fc.record({
    startMs: fc.integer({ min: 0, max: 1_500 }),
    workMs: fc.integer({ min: 0, max: 200 }),
    endings: endings.filter((list) => list.at(-1) !== "throws"),
    /** Without a transaction, and without an effect. */
    plain: fc.boolean(),
    settleMs: fc.constantFrom(50, 1_000),
  }),
  { minLength: 1, maxLength: 4 },
);

type Told = { readonly value: unknown } | { readonly rejected: true };

test("what is written through tx takes effect once, and all are told so", () =>
  fc.assert(
    fc.asyncProperty(callers, commits, faults, async (plan, commitPlan, faultPlan) => {
      const world = createTransactionWorld();
      const { runtime } = world;
      world.commits.push(...commitPlan);
      const { store } = createFaultyStore(world.counter.store, {
        runtime,
        plan: faultPlan,
        latencyMs: 2,
      });
      const committed: number[] = [];
      let runs = 0;
      const ask = async (caller: (typeof plan)[number]): Promise<Told> => {
        const { workMs, plain, settleMs } = caller;
        const dedup = createTransactionalDedup({
          store,
          runtime,
          name: "pay",
          onCrash: "rerun",
          settleMs,
          waitMs: 500,
        });
        let turn = 0;
        const handle = async (tx?: MemoryTransaction): Promise<number> => {
          const ending = caller.endings[Math.min(turn, caller.endings.length - 1)];
          turn += 1;
          runs += 1;
          const run = runs;
          tx?.onCommit(() => committed.push(run));
          await runtime.sleep(workMs);
          if (ending === "rejects") {
            throw new Final("declined", "no");
          }
          if (ending === "throws") {
            throw new Error("broken");
          }
          return run;
        };
        await runtime.sleep(caller.startMs);
        for (;;) {
          const before = [...committed];
          try {
            const result = plain
              ? await dedup.attempt("k", () => handle())
              : await dedup.attemptInTransaction("k", handle);
            switch (result.outcome) {
              case "executed":
              case "replayed":
                if (!("recorded" in result) || result.recorded === true) {
                  return { value: result.value };
                }
                break;
              case "failed":
                if (result.recorded === true) {
                  return { rejected: true };
                }
                break;
              case "threw":
              case "contended":
                // Only what others did can have been committed meanwhile.
                expect(plan.length > 1 || committed.length === before.length).toBe(true);
                break;
              default:
            }
          } catch (error) {
            expect(codeOf(error)).toBe("unavailable");
          }
          await runtime.sleep(50);
        }
      };
      const told = await runtime.run(Promise.all(plan.map(ask)));
      await runtime.advance(5_000);
      expect(new Set(told.map((each) => JSON.stringify(each))).size).toBe(1);
      expect(committed.length).toBeLessThanOrEqual(1);
      const [first] = told;
      if (committed.length > 0) {
        expect(first).toEqual({ value: committed[0] });
      }
      if (plan.every(({ plain }) => !plain)) {
        expect(committed).toHaveLength(first && "value" in first ? 1 : 0);
      }
    }),
    propertyRuns(200),
  ));
