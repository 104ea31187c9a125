// What a verification and a replay are written as: for a terminal, as Markdown, as a page.

import type { Cell, Matrix, MatrixRow } from "../explore/matrix.js";
import { columnOf, Tally } from "../explore/tally.js";
import { encodeToken } from "../explore/token.js";
import { buildMatrix } from "../explore/verify.js";
import { renderMatrixText, renderReport, type ShownViolation, tellStory } from "../report/index.js";
import type { RunSpec } from "../scenarios/scenario.js";
import { type Rerun, rerun, workloadName } from "./rerun.js";
import { coloured } from "./terminal.js";

/** A page holds so many diagrams: all surprises come first. */
const MOST_DIAGRAMS = 60;
const WIDTH_OF_A_PIPE = 110;

/** The matrix alone: its surprises are told apart, with their stories. */
export function matrixText(matrix: Matrix, stream: NodeJS.WriteStream): string {
  const width = stream.isTTY ? stream.columns : WIDTH_OF_A_PIPE;
  return renderMatrixText(
    { ...matrix, surprises: [] },
    { color: coloured(process.env, stream), width },
  );
}

/** A page with the matrix and the diagrams of its violations. */
export async function matrixPage(matrix: Matrix, store?: string): Promise<string> {
  const found = matrix.rows
    .flatMap(({ cells }) => cells)
    .filter(({ smallest }) => smallest !== undefined)
    .sort((one, other) => rank(one) - rank(other));
  const shown: ShownViolation[] = [];
  for (const cell of found.slice(0, MOST_DIAGRAMS)) {
    if (cell.smallest !== undefined) {
      shown.push(shownRun(cell, await rerun(cell.smallest.spec, store)));
    }
  }
  return renderReport(matrix, shown);
}

function rank({ verdict, column }: Cell): number {
  return verdict === "violated" ? 0 : column === "pairs" || column === "swarm" ? 2 : 1;
}

function shownRun(cell: Cell, { trace, struck }: Rerun): ShownViolation {
  return { cell, trace, struck, story: tellStory(trace) };
}

/** A page with one run: its diagram, and what it violates. */
export function runPage(spec: RunSpec, run: Rerun): string {
  const { scenario, profile, seed } = spec;
  const workload = workloadName(spec);
  const tally = new Tally(run.scenario);
  tally.add(spec, columnOf(spec.plan), run.violations);
  const budget = {
    name: "one run",
    singlesOneIn: { durable: 1, others: 1 },
    pairsOneIn: 0,
    swarm: 0,
  };
  const matrix = buildMatrix(
    { scenarios: [run.scenario], profiles: [profile], seed, budget },
    [
      {
        job: { scenario, profile, workload, seed, part: { part: "singles" } },
        cells: tally.cells,
        runs: 1,
        events: run.events,
        exhaustive: false,
      },
    ],
    { seconds: 0, complete: false },
  );
  const { rows } = lenient(matrix);
  const cells = rows.flatMap((row: MatrixRow) => row.cells);
  const violated = cells.filter(({ smallest }) => smallest !== undefined);
  const how = run.stuck ?? "no guarantee is violated";
  const [calm] = cells.filter(({ column }) => column === columnOf(spec.plan));
  const none = calm && { ...calm, smallest: { how, spec, token: encodeToken(spec) } };
  const shown = violated.length > 0 ? violated : none === undefined ? [] : [none];
  return renderReport(
    { ...lenient(matrix), ...(spec.mutant !== undefined && { mutant: spec.mutant }) },
    shown.map((cell) => shownRun(cell, run)),
    { title: `Onceproof: one run of ${scenario} on ${profile}`, facts: { workload } },
  );
}

/** The matrix of a part: what was not found may be among the plans that were not tried. */
export function lenient(matrix: Matrix): Matrix {
  const ease = (cell: Cell): Cell =>
    cell.verdict === "notFound" ? { ...cell, verdict: "notLost" } : cell;
  return {
    ...matrix,
    rows: matrix.rows.map((row) => ({ ...row, cells: row.cells.map(ease) })),
    surprises: matrix.surprises.filter(({ verdict }) => verdict === "violated"),
  };
}
