// The same run twice: what the real algorithms do repeats, and what does not repeat is named.
import { describe, expect, test } from "vitest";
import { checkDeterminism } from "../../src/guard/check-determinism.ts";
import { NondeterminismError } from "../../src/guard/nondeterminism-error.ts";
import { createRandom, type Random } from "../../src/random.ts";
import { macrotaskHop, tickHop } from "../../src/runtime.ts";
import { dedupScenario } from "../../src/scenarios/dedup.ts";
import { REAL_CORE, type RunOptions, runScenario } from "../../src/scenarios/run.ts";
import type { CoreModule, RunSpec } from "../../src/scenarios/scenario.ts";
import type { FaultPlan, WorldFault } from "../../src/world/fault-plan.ts";
import { PROFILES } from "../../src/world/profile.ts";
import { planted } from "./planted.ts";

const VARIANTS = (["park", "rerun", "verify"] as const).flatMap((policy) =>
  (["naive", "childKey", "fenced"] as const).map((bank) =>
    dedupScenario(`${policy}-${bank}`, "t", { policy, bank }, []),
  ),
);

const of = <T>(random: Random, from: readonly T[]): T => from[random.int(0, from.length - 1)] as T;

function anyFault(random: Random): WorldFault {
  const forMs = of(random, [5, 150, 400, 1_600, 4_000]);
  const phase = of(random, ["send", "reply"] as const);
  const at = of(random, ["arrive", "apply"] as const);
  const byMs = of(random, [-60_000, -3_000, 3_000, 60_000]);
  const loses = random.int(0, 3);
  return of<WorldFault>(random, [
    { fault: "dropRequest" },
    { fault: "dropReply" },
    { fault: "holdRequest", forMs },
    { fault: "holdReply", forMs },
    { fault: "duplicate", afterMs: forMs },
    { fault: "refuse" },
    { fault: "crash", phase, forMs },
    { fault: "pause", phase, forMs },
    { fault: "suspend", phase, forMs },
    { fault: "cut", legs: of(random, ["requests", "replies", "both"] as const), forMs },
    { fault: "jumpClock", byMs },
    { fault: "jumpStoreClock", byMs },
    { fault: "restartStore", phase: at, loses },
    { fault: "failover", phase: at, loses, lagMs: of(random, [0, 2_000]) },
    { fault: "evict" },
    { fault: "staleReads", forMs },
  ]);
}

function anySpec(random: Random): RunSpec & { readonly at: number } {
  const at = random.int(0, VARIANTS.length - 1);
  const scenario = VARIANTS[at] as (typeof VARIANTS)[number];
  const fault = anyFault(random);
  const from = of(random, ["api-1", "api-2"]);
  const atBank = !["restartStore", "failover", "evict", "staleReads", "jumpStoreClock"].includes(
    fault.fault,
  );
  const to = atBank && random.chance(0.3) ? "bank" : "store";
  const plan: FaultPlan = [{ from, to, nth: random.int(1, to === "bank" ? 1 : 4), ...fault }];
  return {
    at,
    scenario: scenario.id,
    profile: of(random, PROFILES).id,
    workload: of(random, scenario.workloads).id,
    seed: random.int(1, 1_000_000),
    plan,
  };
}

describe("1,000 random runs with a random fault each", () => {
  // In parts, so that a failure names the part and none takes long.
  test.each([...Array(10).keys()])("agree when carried out again, part %s", async (part) => {
    const random = createRandom(4_711, part);
    let struck = 0;
    const hashes = new Set<string>();
    for (let run = 0; run < 100; run += 1) {
      const { at, ...spec } = anySpec(random);
      // The two executions differ in how microtasks are let run: that must not show either.
      const hops = [tickHop, macrotaskHop];
      const verdict = await checkDeterminism(async () => {
        const world = { guard: true, hop: hops.shift() ?? tickHop };
        const result = await runScenario(VARIANTS[at] as never, spec, { world });
        struck += result.struck.length;
        return result;
      });
      expect(verdict, JSON.stringify(spec)).toMatchObject({ outcome: "same" });
      hashes.add(verdict.outcome === "same" ? verdict.hash : "");
    }
    // No fault may be vacuous in most runs, and the runs are not all one.
    expect(struck).toBeGreaterThan(100);
    expect(hashes.size).toBeGreaterThan(90);
  });
});

const SPEC: RunSpec = {
  scenario: "dedup/rerun-naive",
  profile: "durable",
  workload: "double-click",
  seed: 3,
  plan: [],
};
const scenario = dedupScenario("rerun-naive", "t", { policy: "rerun", bank: "naive" }, []);

/** Core whose dedup does something before each handler. */
function coreThat(touch: (key: string) => unknown): CoreModule {
  return {
    ...REAL_CORE,
    createDedup(options) {
      const dedup = REAL_CORE.createDedup(options);
      return {
        ...dedup,
        attempt: (key, handler, ...rest) =>
          dedup.attempt(
            key,
            (ctx) => {
              touch(key);
              return handler(ctx);
            },
            ...rest,
          ),
      };
    },
  };
}

const run = (options: RunOptions) => () => runScenario(scenario, SPEC, options);

test("a handler that lets chance decide is found, and the first event that differs is named", async () => {
  // Stands for Math.random(): it differs from call to call, and this test does not.
  let calls = 0;
  const real = Math.random;
  Math.random = () => (calls++ % 2 === 0 ? 0.2 : 0.8);
  try {
    const core = coreThat(() => {
      if (Math.random() > 0.5) {
        throw new REAL_CORE.Final("unlucky", "chance decided");
      }
    });
    const verdict = await checkDeterminism(run({ core }));
    expect(verdict).toMatchObject({ outcome: "different" });
    if (verdict.outcome === "different") {
      expect(verdict.hashes[0]).not.toBe(verdict.hashes[1]);
      expect(verdict.one).toMatch(/^\d+ span .*handler k1/);
      expect(verdict.other).not.toBe(verdict.one);
      expect(verdict.index).toBeGreaterThan(5);
    }
  } finally {
    Math.random = real;
  }
});

test("a run that ends earlier differs at the first event that it lacks", async () => {
  const { trace } = await run({})();
  const traces = [trace, trace.slice(0, 10)];
  const verdict = await checkDeterminism(async () => ({ trace: traces.shift() ?? [] }));
  expect(verdict).toMatchObject({ outcome: "different", index: 10, other: undefined });
});

test.each(Object.entries(planted))(
  "%s in a handler is reported by the guarded run",
  async (name, touch) => {
    const core = coreThat(touch);
    const error = await run({ core, world: { guard: true } })().catch((caught: unknown) => caught);
    // Dedup has caught the handler's error and recorded it: the run reports it all the same.
    expect(error).toBeInstanceOf(NondeterminismError);
    expect(error).toMatchObject({ code: "nondeterministic", global: name });
    expect((error as NondeterminismError).at).toMatch(/planted\.ts:\d+/);
    expect((error as NondeterminismError).stack).toMatch(/check-determinism\.test\.ts:\d+/);
  },
);
