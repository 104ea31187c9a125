// What the tests of scenarios share: single runs, runs under sampled single faults, and checks of
// what a run recorded.

import { expect } from "vitest";
import { callsOf, Menus, singlePlans } from "../../src/explore/plans.ts";
import type { RunResult } from "../../src/scenarios/run.ts";
import { runScenario } from "../../src/scenarios/run.ts";
import type { RunSpec, Scenario } from "../../src/scenarios/scenario.ts";
import { mix } from "../../src/world/choices.ts";
import type { FaultPlan } from "../../src/world/fault-plan.ts";
import type { Operation } from "../../src/world/history.ts";
import { type ProfileId, profileOf } from "../../src/world/profile.ts";
import { hashTrace } from "../../src/world/trace.ts";

/** A scenario of any workload, as the runner takes it. */
export type AnyScenario = Scenario<never>;

export function play(
  scenario: AnyScenario,
  workload: string,
  profile: ProfileId,
  seed: number,
  plan: FaultPlan = [],
): Promise<RunResult> {
  const spec: RunSpec = { scenario: scenario.id, profile, workload, seed, plan };
  return runScenario(scenario as unknown as Scenario, spec);
}

/** Every workload on every profile. */
export function cellsOf(
  scenario: AnyScenario,
): { readonly workload: string; readonly profile: ProfileId }[] {
  return scenario.profiles.flatMap((profile) =>
    scenario.workloads.map(({ id }) => ({ workload: id, profile })),
  );
}

/** Runs 50 seeds twice and compares the traces. */
export async function expectRepeatable(scenario: AnyScenario): Promise<void> {
  const cells = cellsOf(scenario);
  for (let seed = 0; seed < 50; seed += 1) {
    const { workload, profile } = cells[seed % cells.length]!;
    const [one, other] = [
      await play(scenario, workload, profile, seed),
      await play(scenario, workload, profile, seed),
    ];
    expect(hashTrace(one.trace), `${workload} on ${profile}, seed ${seed}`).toBe(
      hashTrace(other.trace),
    );
  }
}

/** Runs plans of one fault, spread over calls and faults; `check` is told of each. */
export async function underSingleFaults(
  scenario: AnyScenario,
  runs: number,
  check: (result: RunResult, what: string) => void,
): Promise<void> {
  const cells = cellsOf(scenario);
  const each = Math.ceil(runs / cells.length);
  for (const [at, { workload, profile }] of cells.entries()) {
    const named = scenario.workloads.find(({ id }) => id === workload)!;
    const plain = scenario as unknown as Scenario;
    const menus = new Menus(plain, profileOf(profile), named);
    const base = await play(scenario, workload, profile, at);
    const plans = [...singlePlans(callsOf(plain, base.trace), menus)];
    for (let run = 0; run < each; run += 1) {
      const plan = plans[mix(at, run) % plans.length]!;
      const what = `${workload} on ${profile}, seed ${at}, ${JSON.stringify(plan)}`;
      const result = await play(scenario, workload, profile, at, plan).catch((error: unknown) => {
        throw new Error(what, { cause: error });
      });
      expect(result.struck, what).toEqual(plan);
      check(result, what);
    }
  }
}

/** Answers as they may be recorded, by method: each returns whether what was returned is one. */
export type Shapes = Readonly<
  Record<string, { readonly input: readonly string[]; returned(value: unknown): boolean }>
>;

/** Every operation has a known method, the documented input and answer, or a node that crashed. */
export function expectShapes({ history, trace }: RunResult, shapes: Shapes, what: string): void {
  const crashed = new Set(
    trace.flatMap((event) =>
      event.type === "node" && event.change === "crashed" ? [event.node] : [],
    ),
  );
  for (const operation of history.operations) {
    const { method, input, answer, by } = operation;
    const told = `${JSON.stringify(operation)} of ${what}`;
    const shape = shapes[method];
    expect(shape, told).toBeDefined();
    expect(
      Object.keys(input).filter((name) => !shape!.input.includes(name)),
      told,
    ).toEqual([]);
    if (answer === undefined) {
      expect(crashed.has(by), told).toBe(true);
    } else if ("threw" in answer) {
      expect(answer.threw.code, told).toBe("unavailable");
    } else {
      expect(shape!.returned(answer.returned), told).toBe(true);
    }
  }
}

/** The fields of an answer beside its outcome, sorted. */
export function fieldsOf(value: unknown): string {
  const { outcome, ...rest } = value as Record<string, unknown>;
  return [outcome, ...Object.keys(rest).sort()].join(" ");
}

/** Operations of the clients' requests, without look-ups, as lines. */
export function linesOf(
  { history }: RunResult,
  line: (operation: Operation, returned: Record<string, unknown>) => string | undefined,
): { readonly main: string[]; readonly last: string[] } {
  const main: string[] = [];
  const last: string[] = [];
  for (const operation of history.operations) {
    const { answer, by } = operation;
    const returned = answer && "returned" in answer ? answer.returned : { outcome: "no answer" };
    const text = line(operation, (returned ?? {}) as Record<string, unknown>);
    if (text !== undefined) {
      (by === "last" ? last : main).push(text);
    }
  }
  return { main, last };
}
