// What is printed when all is done: the table, the verdict, and how to use the one that fits.

import type { StoreChoice } from "../cli-options.js";
import type { Disaster } from "../disaster.js";
import type { Row } from "../run.js";
import type { Paint } from "./paint.js";
import { prelude, recipeOf } from "./recipes.js";
import { renderTable } from "./table.js";

export interface Report {
  readonly seed: number;
  readonly tookMs: number;
  readonly rows: readonly Row[];
  readonly disasters: readonly Disaster[];
  readonly store: StoreChoice["kind"];
  /** How often the run was started until it was finished. */
  readonly starts: number;
}

export const held = (rows: readonly Row[]): boolean =>
  rows.every(({ problems }) => problems.length === 0);

export async function renderText(report: Report, width: number, paint: Paint): Promise<string> {
  const { rows, seed, tookMs, starts } = report;
  return [
    "",
    renderTable(rows, width, paint),
    "",
    paint.dim("* store calls per request: alone / the same again / on average in the disaster"),
    "",
    verdict(rows, paint),
    `Seed ${seed}, ${(tookMs / 1000).toFixed(1)} s. Again with --seed ${seed}.`,
    ...(starts > 1
      ? [`It took ${starts} starts; each went on where the last one was stopped.`]
      : []),
    "",
    paint.bold("How to use the one that fits"),
    "",
    await recipes(report, paint),
    "",
    // Once more: the table may have scrolled away.
    verdict(rows, paint),
    "",
  ].join("\n");
}

function verdict(rows: readonly Row[], paint: Paint): string {
  if (held(rows)) {
    const each = rows.length === 1 ? "The disaster" : `All ${rows.length} disasters`;
    return paint.green(`${each} happened without protection, and not with it.`);
  }
  return rows
    .flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`))
    .map((line) => paint.red(line))
    .join("\n");
}

async function recipes({ disasters }: Report, paint: Paint): Promise<string> {
  const blocks = await Promise.all(
    disasters.map(async (disaster) => {
      const { title, algorithm, code } = await recipeOf(disaster);
      return `${paint.dim(`// ${title}: ${algorithm}`)}\n${code}`;
    }),
  );
  return indent([await prelude(disasters), ...blocks].join("\n\n"));
}

const indent = (text: string): string => text.replace(/^(?=.)/gm, "  ");

/** The same facts for programs. */
export async function renderJson(report: Report): Promise<string> {
  const { seed, tookMs, rows, disasters, store, starts } = report;
  const codes = await Promise.all(disasters.map(recipeOf));
  const results = rows.map((row, index) => ({ ...row, recipe: codes[index]?.code.split("\n") }));
  const facts = { ok: held(rows), seed, tookMs, store, starts, node: process.version };
  return `${JSON.stringify({ ...facts, disasters: results }, undefined, 2)}\n`;
}
