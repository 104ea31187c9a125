// What a verification came to, as it is printed and written.

import type { JobResult } from "../explore/explore.js";
import type { Matrix } from "../explore/matrix.js";
import type { Selection } from "../explore/verify.js";
import { renderMatrixMarkdown } from "../report/index.js";
import { counted, grouped } from "../report/words.js";
import { type Outputs, writeResult } from "./output-file.js";
import { matrixPage, matrixText } from "./reports.js";
import { type ResultsFile, selectionData } from "./results-file.js";
import { surprisesText } from "./surprise-text.js";
import { paint, paintError, print, printError } from "./terminal.js";

/** What a verification came to, before the matrix. */
export interface Outcome {
  readonly selection: Selection;
  /** The mutant of core that ran; absent for core as it is. */
  readonly mutant?: string;
  readonly shard: string;
  readonly results: readonly JobResult[];
  readonly errors: readonly string[];
  readonly seconds: number;
  readonly complete: boolean;
  /** Why it is not complete; absent if it is, or if it is one of several parts and no more. */
  readonly gap?: Gap;
}

export interface Gap {
  readonly why: "interrupted" | "out of time" | "not complete";
  /** What was not covered. */
  readonly what: string;
}

export async function report(
  {
    json,
    html,
    markdown,
    store,
  }: Outputs & {
    readonly json?: string | true;
    readonly store?: string;
  },
  outcome: Outcome,
  matrix: Matrix,
  errors: readonly string[],
): Promise<void> {
  if (json !== undefined) {
    writeResult(json, resultsText(outcome, matrix, errors));
  }
  if (markdown !== undefined) {
    writeResult(markdown, renderMatrixMarkdown(matrix));
  }
  if (html !== undefined) {
    writeResult(html, await matrixPage(matrix, store));
  }
  // What is asked for on standard output must be alone there.
  const say = json === true ? printError : print;
  say(matrixText(matrix, json === true ? process.stderr : process.stdout));
  if (matrix.surprises.length > 0) {
    say(`\n${await surprisesText(matrix, store)}`);
  }
  for (const error of errors) {
    printError(`\n${paintError.red("ERROR")} ${error}`);
  }
  say(`\n${summary(outcome, matrix, errors)}`);
}

function resultsText(outcome: Outcome, matrix: Matrix, errors: readonly string[]): string {
  const { selection, mutant, shard, seconds, complete, results } = outcome;
  const file: ResultsFile = {
    format: "onceproof-results",
    version: 1,
    selection: selectionData(selection),
    ...(mutant !== undefined && { mutant }),
    shard,
    seconds,
    complete: complete || (shard !== "1/1" && outcome.gap === undefined && errors.length === 0),
    errors,
    results,
    matrix,
  };
  return JSON.stringify(file);
}

/** The last lines of a verification. */
export function summary(
  { gap, shard, mutant }: Pick<Outcome, "gap" | "shard" | "mutant">,
  { runs, seconds, surprises }: Pick<Matrix, "runs" | "seconds" | "surprises">,
  errors: readonly string[],
): string {
  const bad = [
    ...(surprises.length > 0 ? [counted(surprises.length, "surprise")] : []),
    ...(errors.length > 0 ? [counted(errors.length, "error")] : []),
  ];
  const rate = seconds > 0 ? `, ${grouped(Math.round(runs / seconds))} plans/s` : "";
  const of = mutant === undefined ? "" : ` with the mutant ${mutant}`;
  const early = gap === undefined ? "" : `${gap.why}: `;
  const last =
    bad.length > 0
      ? paint.red(`${early}${bad.join(", ")}${of}`)
      : gap !== undefined
        ? paint.yellow(
            `${early}${runs === 0 ? "nothing ran" : `nothing surprising in what ran${of}`}`,
          )
        : paint.green(`no surprise${shard === "1/1" ? "" : " in this part"}${of}`);
  return [
    ...(gap === undefined ? [] : [paint.yellow(`${early}${gap.what}`)]),
    ...(shard === "1/1" ? [] : [`this is part ${shard}: --merge joins the parts`]),
    last + rate,
  ].join("\n");
}
