// What a search keeps: the first plan for each thing that goes wrong in each gap, and a count of
// what was tried where.

import type { RunSpec } from "../scenarios/scenario.js";
import type { GapFault } from "./gaps.js";

/** The first plan that showed one violation in one gap. */
export interface Candidate {
  /** `double charge`. */
  readonly id: string;
  readonly gap: string;
  readonly where: string;
  readonly spec: RunSpec;
  /** All kinds of faults that show it in this gap. */
  readonly faults: Set<GapFault>;
}

/** What one kind of fault did in one gap. */
export interface GapRow {
  readonly gap: string;
  readonly fault: GapFault | "none";
  /** How many plans were tried here. */
  readonly plans: number;
  /** What went wrong, as `double charge`; nothing, if all went well. */
  readonly violations: readonly string[];
}

export class Candidates {
  readonly #byKey = new Map<string, Candidate>();

  get all(): readonly Candidate[] {
    return [...this.#byKey.values()];
  }

  has(id: string, gap: string): boolean {
    return this.#byKey.has(`${id} ${gap}`);
  }

  note(found: Omit<Candidate, "faults">, fault?: GapFault): void {
    const key = `${found.id} ${found.gap}`;
    const known = this.#byKey.get(key) ?? { ...found, faults: new Set() };
    this.#byKey.set(key, known);
    if (fault !== undefined) {
      known.faults.add(fault);
    }
  }
}

export class GapTally {
  readonly #rows = new Map<
    string,
    { gap: string; fault: GapFault | "none"; plans: number; violations: Set<string> }
  >();

  count(gap: string, fault: GapFault | "none", violations: Iterable<string>): void {
    const key = `${gap} ${fault}`;
    const row = this.#rows.get(key) ?? { gap, fault, plans: 0, violations: new Set() };
    this.#rows.set(key, row);
    row.plans += 1;
    for (const id of violations) {
      row.violations.add(id);
    }
  }

  /** The rows in the order of these gaps; what is not among them comes last. */
  rows(order: readonly string[]): readonly GapRow[] {
    const place = ({ gap }: { readonly gap: string }): number => {
      const at = order.indexOf(gap);
      return at === -1 ? order.length : at;
    };
    return [...this.#rows.values()]
      .map((row) => ({ ...row, violations: [...row.violations] }))
      .sort((one, other) => place(one) - place(other));
  }
}
