// The matrix as plain text for a terminal.

import { type Cell, type CellVerdict, COLUMNS, type Matrix } from "../explore/matrix.js";
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

/** A block for each scenario, a line for each guarantee and profile. */
export function matrixText({ rows }: Matrix): string {
  const left = Math.max(0, ...rows.map((row) => row.guarantee.length));
  const middle = Math.max(0, ...rows.map((row) => row.profile.length));
  const head = `${"".padEnd(left + middle + 4)}${COLUMNS.map((each) => each.padEnd(WIDTH)).join("")}`;
  const lines: string[] = [];
  let scenario = "";
  for (const row of rows) {
    if (row.scenario !== scenario) {
      scenario = row.scenario;
      lines.push("", `${paint.bold(scenario)}: ${row.scenarioTitle}`, paint.dim(head.trimEnd()));
    }
    const cells = row.cells.map(cellText).join("").trimEnd();
    lines.push(`  ${row.guarantee.padEnd(left)}  ${row.profile.padEnd(middle)}${cells}`);
  }
  return lines.join("\n").trimStart();
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
