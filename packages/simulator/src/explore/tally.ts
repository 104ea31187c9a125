// Counts what runs found, by guarantee and column, and keeps the first violation of each kind.

import type { FaultClass, Loss, RunSpec, Scenario } from "../scenarios/scenario.js";
import type { FaultPlan } from "../world/fault-plan.js";
import { classOf } from "./fault-menu.js";
import type { Column } from "./matrix.js";

/** What was found in one cell so far. Plain data: workers send it. */
export interface CellTally {
  readonly guarantee: string;
  readonly column: Column;
  plans: number;
  violations: number;
  /** The first violation that is declared, and the first that is not. */
  declared?: Found;
  surprise?: Found;
}

export interface Found {
  readonly spec: RunSpec;
  readonly how: string;
}

/** The classes of a plan's faults. */
export function classesOf(plan: FaultPlan): ReadonlySet<FaultClass> {
  return new Set(plan.length === 0 ? (["none"] as const) : plan.map(classOf));
}

/** The column that a plan counts in. */
export function columnOf(plan: FaultPlan): Column {
  const [first] = plan;
  return first === undefined
    ? "none"
    : plan.length === 1
      ? classOf(first)
      : plan.length === 2
        ? "pairs"
        : "swarm";
}

/** Whether a loss speaks of a run like this. */
export function applies(
  loss: Loss,
  { profile, workload, plan }: Pick<RunSpec, "profile" | "workload" | "plan">,
): boolean {
  const { profiles, workloads, faults, together = [] } = loss;
  const classes = classesOf(plan);
  return (
    (profiles === undefined || profiles.includes(profile)) &&
    (workloads === undefined || typeof workload !== "string" || workloads.includes(workload)) &&
    (faults === undefined || faults.some((fault) => classes.has(fault))) &&
    together.every((name) => plan.some(({ fault }) => fault === name))
  );
}

/** The loss that a scenario declares for a guarantee under a plan, if any. */
export function declaredLoss(
  scenario: Scenario,
  guarantee: string,
  spec: Pick<RunSpec, "profile" | "workload" | "plan">,
): Loss | undefined {
  const stated = scenario.states.find((state) => state.guarantee.id === guarantee);
  return stated?.losses?.find((loss) => applies(loss, spec));
}

export class Tally {
  readonly #scenario: Scenario;
  readonly #cells = new Map<string, CellTally>();

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
  }

  get cells(): readonly CellTally[] {
    return [...this.#cells.values()];
  }

  /** Counts one run; returns the violations that no loss declares. */
  add(
    spec: RunSpec,
    column: Column,
    violations: readonly { readonly guarantee: string; readonly how: string }[],
  ): readonly Found[] {
    for (const { guarantee } of this.#scenario.states) {
      this.#cell(guarantee.id, column).plans += 1;
    }
    const surprises: Found[] = [];
    for (const { guarantee, how } of violations) {
      const cell = this.#cell(guarantee, column);
      cell.violations += 1;
      const found = { spec, how };
      if (declaredLoss(this.#scenario, guarantee, spec) !== undefined) {
        cell.declared ??= found;
      } else {
        cell.surprise ??= found;
        surprises.push(found);
      }
    }
    return surprises;
  }

  #cell(guarantee: string, column: Column): CellTally {
    const key = `${guarantee} ${column}`;
    let cell = this.#cells.get(key);
    if (cell === undefined) {
      cell = { guarantee, column, plans: 0, violations: 0 };
      this.#cells.set(key, cell);
    }
    return cell;
  }
}
