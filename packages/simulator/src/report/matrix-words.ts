// What the cells of the guarantee matrix say, and in which order its rows stand: the page, the
// document and the terminal show the same.

import {
  type Cell,
  type CellVerdict,
  COLUMNS,
  type Column,
  type Matrix,
  type MatrixRow,
} from "../explore/matrix.js";
import { grouped } from "./words.js";

export interface VerdictWords {
  readonly letter: string;
  readonly word: string;
  readonly meaning: string;
}

/** All verdicts, in the order of legends. */
export const VERDICTS: Readonly<Record<CellVerdict, VerdictWords>> = {
  holds: { letter: "H", word: "holds", meaning: "declared to hold, and no plan violated it" },
  lost: { letter: "L", word: "lost", meaning: "declared lost here, and a plan shows how" },
  notLost: {
    letter: "m",
    word: "may be lost",
    meaning: "declared that it may be lost here, and no plan showed it",
  },
  violated: {
    letter: "V!",
    word: "violated",
    meaning: "a surprise: declared to hold, and a plan violated it",
  },
  notFound: {
    letter: "N!",
    word: "not found",
    meaning: "a surprise: declared lost here, and no plan showed it",
  },
  untried: { letter: "–", word: "untried", meaning: "no plan of this kind exists or was tried" },
};

export const COLUMN_WORDS: Readonly<Record<Column, string>> = {
  none: "no fault",
  messages: "one fault of messages",
  crashes: "one crash",
  pauses: "one pause",
  clocks: "one clock jump",
  store: "one fault of the store",
  pairs: "two faults",
  swarm: "several faults, random",
};

/** `L 120`, `H all`: the letter and how many plans were tried. */
export function cellText(cell: Cell | undefined): string {
  if (cell === undefined || cell.verdict === "untried") {
    return VERDICTS.untried.letter;
  }
  const { letter } = VERDICTS[cell.verdict];
  return `${letter} ${cell.exhaustive ? "all" : shortCount(cell.plans)}`;
}

/** `999`, `1.2k`, `15k`. */
function shortCount(count: number): string {
  if (count < 1_000) {
    return String(count);
  }
  const thousands = count / 1_000;
  return `${thousands < 9.95 ? Math.round(thousands * 10) / 10 : grouped(Math.round(thousands))}k`;
}

/** A row's cells, one for each column. */
export function cellsOf({ cells }: MatrixRow): readonly (Cell | undefined)[] {
  return COLUMNS.map((column) => cells.find((cell) => cell.column === column));
}

export interface GuaranteeGroup {
  readonly guarantee: string;
  readonly sentence: string;
  readonly rows: readonly MatrixRow[];
}

export interface ScenarioGroup {
  readonly scenario: string;
  readonly title: string;
  readonly guarantees: readonly GuaranteeGroup[];
}

export interface AlgorithmGroup {
  readonly algorithm: string;
  readonly scenarios: readonly ScenarioGroup[];
}

/** Rows by algorithm, scenario and guarantee, each in the order in which it first appears. */
export function groupRows({ rows }: Matrix): readonly AlgorithmGroup[] {
  return [...groupBy(rows, ({ algorithm }) => algorithm)].map(([algorithm, ofAlgorithm]) => ({
    algorithm,
    scenarios: [...groupBy(ofAlgorithm, ({ scenario }) => scenario)].map(([scenario, all]) => ({
      scenario,
      title: all[0]?.scenarioTitle ?? "",
      guarantees: [...groupBy(all, ({ guarantee }) => guarantee)].map(([guarantee, own]) => ({
        guarantee,
        sentence: own[0]?.sentence ?? "",
        rows: own,
      })),
    })),
  }));
}

export function groupBy<T>(
  all: Iterable<T>,
  keyOf: (each: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const each of all) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, [each]);
    } else {
      group.push(each);
    }
  }
  return groups;
}

/** How many cells there are of each verdict. */
export function countVerdicts({ rows }: Matrix): ReadonlyMap<CellVerdict, number> {
  const counts = new Map<CellVerdict, number>();
  for (const { cells } of rows) {
    for (const { verdict } of cells) {
      counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    }
  }
  return counts;
}

/** The sentence that a cell is about. */
export function sentenceOf({ rows }: Matrix, { scenario, guarantee }: Cell): string {
  const row = rows.find((each) => each.scenario === scenario && each.guarantee === guarantee);
  return row?.sentence ?? guarantee;
}

/** Says of what else than Onceproof as it is a matrix tells; undefined if of nothing else. */
export function mutantWarning(mutant: string | undefined): string | undefined {
  return mutant === undefined
    ? undefined
    : `core with the mutant ${mutant} — this is not Onceproof as it is`;
}

/** `npx onceproof replay …`. */
export function replayCommand(token: string): string {
  return `npx onceproof replay ${token}`;
}
