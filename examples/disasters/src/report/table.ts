// The one table at the end: what the sinks counted, without and with.

import Table from "cli-table3";
import type { Row } from "../run.js";
import type { Paint } from "./paint.js";

/** From here on what is counted has a column of its own. */
const WIDE = 120;
/** Below this a table would be all wrapping. */
const NARROW = 80;

const PLAIN_CHARS = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "",
};

interface Column {
  readonly head: string;
  /** Padding included; undefined takes what is left. */
  readonly width?: number;
  readonly align?: "left" | "right";
  cell(row: Row): string;
}

export function renderTable(rows: readonly Row[], width: number, paint: Paint): string {
  return width < NARROW ? renderList(rows, paint) : renderColumns(rows, width, paint);
}

const callsText = ({ calls }: Row): string =>
  calls === undefined ? "-" : `${calls.first} / ${calls.duplicate} / ${calls.mean.toFixed(1)}`;

function counts(row: Row, paint: Paint): { without: string; guarded: string } {
  const marked = (count: number | undefined): string =>
    count === row.expected ? paint.green(`${count} ✓`) : paint.red(`${count ?? "-"} ✗`);
  return { without: marked(row.without), guarded: marked(row.with) };
}

function columnsFor(wide: boolean, paint: Paint): Column[] {
  const counted: Column = { head: "Counted", width: 20, cell: (row) => row.counted };
  return [
    {
      head: "Disaster",
      cell: (row) => (wide ? row.title : `${row.title}\n${paint.dim(`  ${row.counted}`)}`),
    },
    ...(wide ? [counted] : []),
    { head: "Must be", width: 9, align: "right", cell: (row) => String(row.expected) },
    { head: "Without", width: 9, align: "right", cell: (row) => counts(row, paint).without },
    { head: "With", width: 9, align: "right", cell: (row) => counts(row, paint).guarded },
    { head: "Algorithm", width: 15, cell: (row) => row.algorithm },
    { head: "Calls *", width: 14, align: "right", cell: callsText },
  ];
}

function renderColumns(rows: readonly Row[], width: number, paint: Paint): string {
  const columns = columnsFor(width >= WIDE, paint);
  const taken = columns.reduce((sum, column) => sum + (column.width ?? 0), 0);
  const longest = Math.max(...rows.map((row) => row.title.length)) + 2;
  const first = Math.min(longest, width - taken);
  const table = new Table({
    head: columns.map(({ head }) => paint.bold(head)),
    colWidths: columns.map((column) => column.width ?? first),
    colAligns: columns.map(({ align = "left" }) => align),
    wordWrap: true,
    chars: PLAIN_CHARS,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 2 },
  });
  table.push(...rows.map((row) => columns.map((column) => column.cell(row))));
  const [head, ...body] = table.toString().split("\n");
  const line = paint.dim("─".repeat(first + taken - 2));
  return [head, line, ...body].map((text) => text?.trimEnd()).join("\n");
}

function renderList(rows: readonly Row[], paint: Paint): string {
  const blocks = rows.map((row) => {
    const { without, guarded } = counts(row, paint);
    return [
      paint.bold(row.title),
      `  ${row.counted}: must be ${row.expected}`,
      `  without ${without}, with ${guarded}`,
      `  ${row.algorithm}, calls * ${callsText(row)}`,
    ].join("\n");
  });
  return blocks.join("\n\n");
}
