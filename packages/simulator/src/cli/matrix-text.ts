// The matrix as plain text for a terminal.

import {
  type Cell,
  type CellVerdict,
  COLUMNS,
  type Matrix,
  type MatrixRow,
} from "../explore/matrix.js";
import { paint } from "./terminal.js";

const WORDS: { readonly [verdict in CellVerdict]: string } = {
  holds: "holds",
  lost: "lost",
  notLost: "not lost",
  violated: "VIOLATED",
  notFound: "NOT FOUND",
  untried: "-",
};

const WIDTH = 10;
const TITLE = 66;

/** A block for each scenario; profiles on which a guarantee fares alike share a line. */
export function matrixText({ rows }: Matrix): string {
  const lines: string[] = [];
  for (const [scenario, own] of groupBy(rows, (row) => row.scenario)) {
    lines.push("", `${paint.bold(scenario)}: ${own[0]?.scenarioTitle}`);
    lines.push(
      paint.dim(`${"".padEnd(TITLE)}${COLUMNS.map((each) => each.padEnd(WIDTH)).join("")}`),
    );
    for (const [guarantee, alike] of groupBy(own, (row) => row.guarantee)) {
      lines.push(`  ${guarantee}`);
      for (const same of groupBy(alike, verdictsOf).values()) {
        lines.push(...lineOf(same));
      }
    }
  }
  return lines.join("\n").trimStart();
}

function lineOf(same: readonly MatrixRow[]): string[] {
  const [first] = same;
  if (first === undefined) {
    return [];
  }
  const profiles = same.map(({ profile }) => profile).join(", ");
  const name = `    ${profiles}`;
  const cells = first.cells.map(cellText).join("").trimEnd();
  return name.length < TITLE
    ? [`${name.padEnd(TITLE)}${cells}`]
    : [name, `${"".padEnd(TITLE)}${cells}`];
}

function verdictsOf({ cells }: MatrixRow): string {
  return cells.map(({ verdict }) => verdict).join();
}

export function groupBy<T>(all: readonly T[], keyOf: (each: T) => string): Map<string, T[]> {
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

function cellText({ verdict }: Cell): string {
  const word = WORDS[verdict].padEnd(WIDTH);
  switch (verdict) {
    case "violated":
    case "notFound":
      return paint.red(word);
    case "holds":
      return paint.green(word);
    case "lost":
      return paint.yellow(word);
    default:
      return paint.dim(word);
  }
}
