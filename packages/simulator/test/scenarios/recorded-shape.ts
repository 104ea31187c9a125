// Whether what a run recorded has the shape that src/scenarios/recorded.ts documents, for the
// methods of lock, fence and tokens; and runs under random single faults to try it on.

import { expect } from "vitest";
import { callsOf, Menus, singlePlans } from "../../src/explore/plans.ts";
import type { Method } from "../../src/scenarios/recorded.ts";
import { type RunResult, runScenario } from "../../src/scenarios/run.ts";
import type { RunSpec, Scenario } from "../../src/scenarios/scenario.ts";
import type { History, Operation } from "../../src/world/history.ts";
import { type ProfileId, profileOf } from "../../src/world/profile.ts";
import { hashTrace } from "../../src/world/trace.ts";

type Plain = Readonly<Record<string, unknown>>;
type Shape = { readonly input: Plain; readonly returned: (value: unknown) => boolean };

const oneOf =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value);

/** A tagged union: by outcome, which other fields there are and of which type. */
const tagged =
  (cases: Readonly<Record<string, Plain>>) =>
  (value: unknown): boolean => {
    const { outcome, ...rest } = value as { readonly outcome: string };
    const fields = cases[outcome];
    return fields !== undefined && sameFields(rest, fields);
  };

/** Whether an object has exactly these fields, each of the type named; `any` goes with any. */
function sameFields(value: unknown, fields: Plain): boolean {
  const names = Object.keys(fields);
  const own = value as Plain;
  return (
    Object.keys(own).every((name) => names.includes(name)) &&
    names.every((name) => fields[name] === "any" || typeof own[name] === fields[name])
  );
}

const SHAPES: { readonly [method in Method]?: Shape } = {
  "lock.acquire": {
    input: { client: "string" },
    returned: tagged({ acquired: { token: "number" }, held: {}, indeterminate: {} }),
  },
  "lock.extend": {
    input: { token: "number", leaseMs: "number" },
    returned: oneOf("extended", "lost", "unknown"),
  },
  "lock.release": { input: { token: "number" }, returned: oneOf("released", "lost", "unknown") },
  "fence.admit": {
    input: { token: "number" },
    returned: tagged({
      admitted: {},
      stale: { newest: "number" },
      indeterminate: { cause: "any" },
    }),
  },
  "tokens.issue": { input: { client: "string" }, returned: (value) => typeof value === "string" },
  "tokens.consume": {
    input: { client: "string", token: "string", subject: "string", requestId: "string" },
    returned: tagged({
      consumed: { replayed: "boolean" },
      used: {},
      invalid: {},
      expired: {},
      indeterminate: { cause: "any" },
    }),
  },
  "tokens.run": {
    input: { client: "string", token: "string", subject: "string" },
    returned: (value) => sameFields(value, { key: "string", run: "number" }),
  },
};

const SPAN_DETAILS: Readonly<Record<string, Plain>> = {
  holds: { others: "object" },
  handler: { run: "number", attempt: "number", takeover: "boolean" },
};

const SPAN_RESULTS: Readonly<Record<string, readonly unknown[]>> = {
  holds: ["released", "notHeld", "signal"],
  handler: ["returned", "threw"],
};

/** What in a history is not as documented. */
export function shapeProblems(history: History): readonly string[] {
  const problems = history.operations.flatMap(problemsOf);
  for (const span of history.spans) {
    const { kind, detail, untilUs, result, operation, fencingToken } = span;
    if (!sameFields(detail, SPAN_DETAILS[kind] ?? { unknownKind: "any" })) {
      problems.push(`span ${kind} has the detail ${JSON.stringify(detail)}`);
    }
    if (untilUs !== undefined && !SPAN_RESULTS[kind]?.includes(result)) {
      problems.push(`span ${kind} ended with ${JSON.stringify(result)}`);
    }
    if (history.operations[operation ?? -1] === undefined || typeof fencingToken !== "number") {
      problems.push(`span ${kind} has no operation or no fencing token`);
    }
  }
  for (const { sink, operation, fencingToken, value } of history.effects) {
    const numbers = [operation, fencingToken, value].every((each) => typeof each === "number");
    if (!numbers || history.operations[operation ?? -1] === undefined) {
      problems.push(`an effect at ${sink} lacks its operation, fencing token or value`);
    }
  }
  return problems;
}

function problemsOf({ method, input, answer, by, life }: Operation): readonly string[] {
  const shape = SHAPES[method as Method];
  if (shape === undefined) {
    return [`${method} is not among the methods`];
  }
  const who = `${method} by ${by} (life ${life})`;
  const problems: string[] = [];
  if (!sameFields(input, shape.input)) {
    problems.push(`${who} has the input ${JSON.stringify(input)}`);
  }
  if (answer !== undefined && "returned" in answer && !shape.returned(answer.returned)) {
    problems.push(`${who} returned ${JSON.stringify(answer.returned)}`);
  }
  if (answer !== undefined && "threw" in answer && typeof answer.threw.code !== "string") {
    problems.push(`${who} threw ${answer.threw.message}`);
  }
  return problems;
}

/** One of a scenario's workloads on one of its profiles. */
export interface Cell {
  readonly profile: ProfileId;
  readonly workload: string;
}

/** All workloads on all profiles that a scenario declares. */
export function cellsOf(scenario: Scenario): readonly Cell[] {
  return scenario.profiles.flatMap((profile) =>
    scenario.workloads.map(({ id }) => ({ profile, workload: id })),
  );
}

/** A run without faults. */
export function quietRun(scenario: Scenario, cell: Cell, seed: number): Promise<RunResult> {
  return runScenario(scenario, { ...cell, scenario: scenario.id, seed, plan: [] });
}

/** Runs twice under 50 seeds and expects the same traces. */
export async function expectRepeatable(scenario: Scenario): Promise<void> {
  const cells = cellsOf(scenario);
  for (let seed = 1; seed <= 50; seed += 1) {
    const cell = cells[seed % cells.length];
    if (cell !== undefined) {
      const one = await quietRun(scenario, cell, seed);
      const other = await quietRun(scenario, cell, seed);
      expect(hashTrace(other.trace), `seed ${seed}, ${JSON.stringify(cell)}`).toBe(
        hashTrace(one.trace),
      );
    }
  }
}

/** Runs under so many single faults, drawn from all there are; each must settle and be in shape. */
export async function expectSettledUnderFaults(
  scenario: Scenario,
  runs: number,
): Promise<ReadonlySet<string>> {
  const cells = cellsOf(scenario);
  const struck = new Set<string>();
  for (let seed = 1; seed <= runs; seed += 1) {
    const cell = cells[seed % cells.length];
    const workload = scenario.workloads.find(({ id }) => id === cell?.workload);
    if (cell === undefined || workload === undefined) {
      continue;
    }
    const quiet = await quietRun(scenario, cell, seed);
    const menus = new Menus(scenario, profileOf(cell.profile), workload);
    const plans = [...singlePlans(callsOf(scenario, quiet.trace), menus)];
    // A large prime step, so that neighbouring seeds draw faults far apart.
    const plan = plans[(seed * 7919) % plans.length] ?? [];
    const spec: RunSpec = { ...cell, scenario: scenario.id, seed, plan };
    const what = JSON.stringify(spec);
    const run = await runScenario(scenario, spec).catch((error: unknown) => {
      throw new Error(`did not settle: ${what}`, { cause: error });
    });
    expect(run.struck, what).toEqual(plan);
    expect(shapeProblems(run.history), what).toEqual([]);
    for (const { fault } of run.struck) {
      struck.add(fault);
    }
  }
  return struck;
}
