// The guarantee of `createFence` as properties: admissions in an order that no reordering within
// their calls can mend must not decrease, whatever the network does.

import { type Admission, createFence } from "@onceproof/core";
import type { PlannedFault } from "@onceproof/simulator";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { propertyRuns, propertyTimeoutMs } from "./support/property-runs.ts";
import {
  answerOf,
  createSwarm,
  faultPlan,
  type Node,
  SETTLE_MS,
  type Swarm,
} from "./support/swarm.ts";

vi.setConfig({ testTimeout: propertyTimeoutMs() });

const MOST_TOKENS = 12;
const CODES = ["unavailable", "contended"];

interface Ask {
  readonly restMs: number;
  readonly token: number;
  /** The process stands still for so long while the call is under way. */
  readonly pauseMs: number;
}

interface FenceRun {
  readonly seed: number;
  readonly plan: readonly PlannedFault[];
  readonly workers: readonly (readonly Ask[])[];
}

/** One call as the oracles see it: when it began and ended, and what it was told. */
interface Call {
  readonly token: number;
  readonly beganMs: number;
  readonly endedMs: number;
  readonly answer: Admission | { readonly outcome: unknown };
}

function fenceRuns({ faults }: { readonly faults: boolean }): fc.Arbitrary<FenceRun> {
  const ask = fc.record({
    restMs: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 4_000 })),
    token: fc.integer({ min: 1, max: MOST_TOKENS }),
    pauseMs: fc.constantFrom(0, 0, 0, 30, 3_000),
  });
  return fc.record({
    seed: fc.nat(),
    plan: faults ? faultPlan({ calls: 40, clockJumps: true }) : fc.constant([]),
    workers: fc.array(fc.array(ask, { minLength: 1, maxLength: 6 }), {
      minLength: 2,
      maxLength: 4,
    }),
  });
}

async function admitAll(
  swarm: Swarm,
  node: Node,
  asks: readonly Ask[],
  calls: Call[],
): Promise<void> {
  const { machine, store } = node;
  const fence = createFence({ store, name: "f", runtime: machine.runtime, settleMs: SETTLE_MS });
  for (const { restMs, token, pauseMs } of asks) {
    await machine.sleep(restMs);
    const beganMs = swarm.runtime.monotonicNow();
    const asking = answerOf(fence.admit("r", token));
    if (pauseMs > 0) {
      machine.pause();
      swarm.runtime.setTimer(machine.resume, pauseMs);
    }
    const told = await asking;
    const answer = "value" in told ? told.value : { outcome: told.code };
    calls.push({ token, beganMs, endedMs: swarm.runtime.monotonicNow(), answer });
  }
}

async function play(run: FenceRun): Promise<{ calls: Call[]; last: Admission; swarm: Swarm }> {
  const swarm = createSwarm(run);
  const calls: Call[] = [];
  await swarm.runAll(
    run.workers.map((asks) => {
      const node = swarm.node(0);
      return [node, admitAll(swarm, node, asks, calls)] as const;
    }),
  );
  await swarm.heal();
  const { machine, store } = swarm.node(0);
  const fence = createFence({ store, name: "f", runtime: machine.runtime });
  const last = await swarm.runtime.run(fence.admit("r", MOST_TOKENS));
  return { calls, last, swarm };
}

const admitted = (calls: readonly Call[]): Call[] =>
  calls.filter(({ answer }) => answer.outcome === "admitted");

describe.each([
  { name: "the memory store", faults: false },
  { name: "a bad network and a store clock that steps", faults: true },
])("over $name", ({ faults }) => {
  const always = (law: (seen: Awaited<ReturnType<typeof play>>) => void): Promise<void> =>
    fc.assert(
      fc.asyncProperty(fenceRuns({ faults }), async (run) => {
        law(await play(run));
      }),
      propertyRuns(300),
    );

  test("tokens admitted for a resource never decrease", async () => {
    await always(({ calls }) => {
      for (const later of admitted(calls)) {
        for (const earlier of admitted(calls)) {
          if (earlier.endedMs < later.beganMs) {
            expect(later.token).toBeGreaterThanOrEqual(earlier.token);
          }
        }
      }
    });
  });

  test("a token is stale only beside a newer one that someone brought before", async () => {
    await always(({ calls }) => {
      for (const { token, endedMs, answer } of calls) {
        if (answer.outcome === "stale" && "newest" in answer) {
          const { newest } = answer;
          expect(newest).toBeGreaterThan(token);
          const brought = calls.filter((call) => call.token === newest && call.beganMs <= endedMs);
          expect(brought).not.toEqual([]);
        }
      }
    });
  });

  test("a call is told admitted, stale or indeterminate, or fails with a documented code", async () => {
    await always(({ calls }) => {
      for (const { answer } of calls) {
        expect(["admitted", "stale", "indeterminate", ...CODES]).toContain(answer.outcome);
      }
    });
  });

  test("once the faults are lifted the largest token is admitted", async () => {
    await always(({ last }) => {
      expect(last).toEqual({ outcome: "admitted" });
    });
  });
});
