// Shrinks the first violation of each cell, in the worker processes.

import type { JobResult } from "../explore/explore.js";
import type { Cell, Matrix } from "../explore/matrix.js";
import { declaredLoss, type Found } from "../explore/tally.js";
import { cellKey } from "../explore/verify.js";
import { scenarioOf } from "../scenarios/catalogue.js";
import type { Pool } from "./pool.js";

/** More would take long and tell little: what is left keeps the plan that was found first. */
const MOST_SHRINKS = 300;

export interface Shrunk {
  readonly smallest: ReadonlyMap<string, Found>;
  /**
   * The results; what nothing declares any more, once the faults are gone that a loss speaks of, is a
   * surprise of its cell now.
   */
  readonly results: readonly JobResult[];
  readonly errors: readonly string[];
}

export async function shrinkCells(
  pool: Pool,
  matrix: Matrix,
  results: readonly JobResult[],
  variant: { readonly store?: string } = {},
): Promise<Shrunk> {
  const smallest = new Map<string, Found>();
  const surprises = new Map<string, Found>();
  const errors: string[] = [];
  await Promise.all(
    worthShrinking(matrix).map(async (cell) => {
      const { smallest: found, guarantee } = cell;
      if (found === undefined) {
        return;
      }
      const { spec, how } = found;
      const ended = await pool.run({ task: "shrink", found: { spec, how }, guarantee, ...variant });
      if (ended.end === "failed") {
        errors.push(`shrinking ${cellKey(cell)}: ${ended.message}`);
      }
      if (ended.end !== "done") {
        return;
      }
      smallest.set(cellKey(cell), ended.answer);
      if (cell.verdict !== "violated" && !isDeclared(cell, ended.answer)) {
        surprises.set(cellKey(cell), ended.answer);
      }
    }),
  );
  return { smallest, results: withSurprises(results, surprises), errors };
}

/** Cells with a violation, surprises first. */
function worthShrinking({ rows }: Matrix): readonly Cell[] {
  const found = rows.flatMap(({ cells }) => cells.filter(({ smallest }) => smallest !== undefined));
  const surprises = found.filter(({ verdict }) => verdict === "violated");
  const declared = found.filter(({ verdict }) => verdict !== "violated");
  return [...surprises, ...declared].slice(0, MOST_SHRINKS);
}

function isDeclared({ guarantee }: Cell, { spec }: Found): boolean {
  return declaredLoss(scenarioOf(spec.scenario), guarantee, spec) !== undefined;
}

/** The results with the surprises in their cells. */
function withSurprises(
  results: readonly JobResult[],
  surprises: ReadonlyMap<string, Found>,
): readonly JobResult[] {
  if (surprises.size === 0) {
    return results;
  }
  return results.map((result) => {
    const { scenario, profile } = result.job;
    const cells = result.cells.map((cell) => {
      const surprise = surprises.get(cellKey({ ...cell, scenario, profile }));
      return surprise === undefined ? cell : { surprise, ...cell };
    });
    return { ...result, cells };
  });
}
