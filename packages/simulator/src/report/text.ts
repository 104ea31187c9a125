// The guarantee matrix for a terminal: letters that read without colour, in a given width.

import {
  type Cell,
  type CellVerdict,
  COLUMNS,
  type Column,
  type Matrix,
  type MatrixRow,
} from "../explore/matrix.js";
import { describePlan } from "./fault-words.js";
import { withJudged } from "./judged.js";
import {
  cellsOf,
  cellText,
  countVerdicts,
  groupBy,
  groupRows,
  mutantWarning,
  replayCommand,
  VERDICTS,
} from "./matrix-words.js";
import { counted, grouped } from "./words.js";

export interface MatrixTextOptions {
  /** Whether to use the colours of ANSI terminals. */
  readonly color: boolean;
  /** In characters; less than 40 counts as 40. */
  readonly width: number;
}

const SHADES: Readonly<Record<CellVerdict, string>> = {
  holds: "32",
  lost: "33",
  notLost: "36",
  violated: "1;97;41",
  notFound: "1;97;45",
  untried: "90",
};
const BOLD = "1";
const DIM = "2";

interface Page {
  readonly width: number;
  paint(text: string, shade: string): string;
}

/** Renders the matrix: surprises first, then a block per scenario, then a summary. */
export function renderMatrixText(matrix: Matrix, options: MatrixTextOptions): string {
  const page: Page = {
    width: Math.max(40, Math.floor(options.width)),
    paint: (text, shade) => (options.color ? `\u001b[${shade}m${text}\u001b[0m` : text),
  };
  const warning = mutantWarning(matrix.mutant);
  return [
    ...(warning === undefined ? [] : [...warningOf(warning, page), ""]),
    ...surprisesOf(matrix, page),
    ...groupRows(matrix).flatMap(({ algorithm, scenarios }) => [
      page.paint(algorithm, BOLD),
      ...scenarios.flatMap(({ scenario, title, guarantees }) => [
        ...wrap(`${scenario}: ${title}`, page.width, "  "),
        ...header(page),
        ...guarantees.flatMap(({ guarantee, sentence, rows }) => [
          ...wrap(`${sentence} (${withJudged(guarantee)})`, page.width, "    ").map((line) =>
            page.paint(line, DIM),
          ),
          ...linesOf(rows, page),
        ]),
        "",
      ]),
    ]),
    ...headsLegend(page),
    ...legendOf(page),
    "",
    ...summaryOf(matrix, page),
    ...(warning === undefined ? [] : warningOf(warning, page)),
  ].join("\n");
}

function warningOf(warning: string, page: Page): readonly string[] {
  return wrap(warning, page.width, "").map((line) => page.paint(line, "1;33"));
}

function surprisesOf({ surprises }: Matrix, page: Page): readonly string[] {
  if (surprises.length === 0) {
    return [];
  }
  const lines = surprises.flatMap(({ verdict, guarantee, scenario, profile, column, smallest }) => [
    ...wrap(
      `${VERDICTS[verdict].word}: ${guarantee} in ${scenario} on ${profile}, ${column}`,
      page.width,
      "  ",
    ).map((line) => page.paint(line, verdict === "violated" ? "31" : "35")),
    ...(smallest === undefined
      ? []
      : [
          ...wrap(`${smallest.how}`, page.width, "    "),
          ...wrap(describePlan(smallest.spec.plan), page.width, "    "),
          // In one piece, so that it can be copied.
          `    ${replayCommand(smallest.token)}`,
        ]),
  ]);
  return [page.paint(counted(surprises.length, "surprise"), "1;31"), ...lines, ""];
}

const LABEL = 21;
const INDENT = "    ";
const LEAST_CELL = 7;

function cellWidth({ width }: Page): number {
  return Math.min(10, Math.floor((width - LABEL) / COLUMNS.length));
}

/** Heads for narrow pages: none is longer than five letters. */
const SHORT_HEADS: Readonly<Record<Column, string>> = {
  none: "none",
  messages: "msgs",
  crashes: "crash",
  pauses: "pause",
  clocks: "clock",
  store: "store",
  pairs: "pairs",
  swarm: "swarm",
};

/** The heads that leave a blank between any two: full, short, or numbers. */
function headsOf(page: Page): readonly string[] {
  const each = cellWidth(page);
  const short = COLUMNS.map((column) => SHORT_HEADS[column]);
  const choices: readonly (readonly string[])[] = [COLUMNS, short];
  const fitting = choices.find((heads) => heads.every((head) => head.length < each));
  return fitting ?? COLUMNS.map((_, at) => String(at + 1));
}

function header(page: Page): readonly string[] {
  const names = headsOf(page).map((head) => head.padEnd(cellWidth(page)));
  return [page.paint(`${" ".repeat(LABEL)}${names.join("")}`.trimEnd(), DIM)];
}

/** What shortened heads stand for. */
function headsLegend(page: Page): readonly string[] {
  const shortened = headsOf(page).flatMap((head, at) =>
    head === COLUMNS[at] ? [] : [`${head} ${COLUMNS[at]}`],
  );
  return shortened.length === 0 ? [] : wrap(`columns: ${shortened.join(", ")}`, page.width, "");
}

/** Profiles whose cells say the same share a line. */
function linesOf(rows: readonly MatrixRow[], page: Page): readonly string[] {
  const alike = groupBy(rows, (row) => cellsOf(row).map(cellText).join("|"));
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    const cells = first === undefined ? [] : cellsOf(first);
    const shown = cells
      .map((cell) => paintCell(cell, page))
      .join("")
      .trimEnd();
    const all = group.length === rows.length && rows.length > 1;
    const names = all ? "all stores" : group.map(({ profile }) => profile).join(", ");
    const labels = wrap(names, names.length < LABEL - INDENT.length ? LABEL : page.width, INDENT);
    const last = labels.at(-1) ?? "";
    return last.length < LABEL
      ? [...labels.slice(0, -1), `${last.padEnd(LABEL)}${shown}`]
      : [...labels, `${" ".repeat(LABEL)}${shown}`];
  });
}

function paintCell(cell: Cell | undefined, page: Page): string {
  const each = cellWidth(page);
  const verdict = cell?.verdict ?? "untried";
  const full = cellText(cell);
  const fitting = full.length < each ? full : full.replace(" ", "");
  const text = each < LEAST_CELL ? VERDICTS[verdict].letter.slice(0, each - 1) : fitting;
  return `${page.paint(text, SHADES[verdict])}${" ".repeat(Math.max(0, each - text.length))}`;
}

function legendOf(page: Page): readonly string[] {
  return Object.entries(VERDICTS).flatMap(([verdict, { letter, meaning }]) => {
    const [first = "", ...rest] = wrap(meaning, page.width - 5, "");
    const mark = page.paint(letter, SHADES[verdict as CellVerdict]) + " ".repeat(4 - letter.length);
    return [`${mark}${first}`, ...rest.map((line) => `    ${line}`)];
  });
}

function summaryOf(matrix: Matrix, page: Page): readonly string[] {
  const counts = countVerdicts(matrix);
  const words = Object.entries(VERDICTS)
    .map(([verdict, { word }]) => `${grouped(counts.get(verdict as CellVerdict) ?? 0)} ${word}`)
    .join(", ");
  const runs = `${counted(matrix.runs, "run")} with ${counted(matrix.events, "event")}, seed ${matrix.seed}`;
  const took = `${Math.round(matrix.seconds * 10) / 10} s, budget ${matrix.budget}`;
  const partial = matrix.complete ? "" : "; not carried out to its end";
  return [...wrap(words, page.width, ""), ...wrap(`${runs}, ${took}${partial}`, page.width, "")];
}

/** Breaks a text at blanks; a word that is longer than the width is cut. */
function wrap(text: string, width: number, indent: string): readonly string[] {
  const most = Math.max(8, width - indent.length);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter((each) => each !== "")) {
    for (let rest = word; rest !== ""; rest = rest.slice(most)) {
      const piece = rest.slice(0, most);
      if (line !== "" && line.length + 1 + piece.length > most) {
        lines.push(line);
        line = "";
      }
      line = line === "" ? piece : `${line} ${piece}`;
    }
  }
  return [...lines, ...(line === "" ? [] : [line])].map((each) => `${indent}${each}`);
}
