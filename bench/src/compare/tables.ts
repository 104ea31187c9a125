// The tables of a comparison, as cells: what is printed and what stands in the docs are the same.

import { amount, rounded } from "./amount.js";
import type { Measured } from "./compare.js";
import type { ComparisonResult, ContestantResult, DetailResult } from "./run.js";
import type { Spread } from "./statistics.js";

export interface Table {
  readonly head: readonly string[];
  /** The first cell of a row is a name, the others are numbers or short lists. */
  readonly rows: readonly (readonly string[])[];
}

function share({ median, lower, upper }: Spread): string {
  return `${median.toFixed(2)} (${lower.toFixed(2)} to ${upper.toFixed(2)})`;
}

function atOnce(concurrency: number): string {
  return concurrency === 1 ? "one by one" : `${concurrency} at once`;
}

function goalOf({ goal, measured }: ContestantResult): string {
  const reached = measured.at(-1)?.share?.median;
  if (goal === undefined || reached === undefined) {
    return "";
  }
  return `${goal}${reached >= goal ? "" : " (missed)"}`;
}

/** Rates, and shares of the bare commands' rate with their quartiles. */
export function rateTable({ contestants }: ComparisonResult): Table {
  const columns = contestants[0]?.measured ?? [];
  const cells = (measured: Measured): readonly string[] => [
    rounded(measured.perSecond.median),
    measured.share ? share(measured.share) : "1",
  ];
  return {
    head: [
      "per second",
      "client",
      ...columns.flatMap(({ concurrency }) => [atOnce(concurrency), "of bare"]),
      "goal",
    ],
    rows: contestants.map((each) => [
      each.name,
      each.client,
      ...each.measured.flatMap(cells),
      goalOf(each),
    ]),
  };
}

/** A cost to three digits; one that is not known is left out. */
function cost(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) {
    return "";
  }
  return value < 100 ? value.toFixed(1) : rounded(value);
}

/** What one operation costs: calls, CPU time of server and client, what else the store tells. */
export function costTable({ contestants }: ComparisonResult): Table {
  const concurrency = contestants[0]?.measured.at(-1)?.concurrency ?? 1;
  const told = Object.keys(contestants[0]?.account.costs ?? {});
  return {
    head: [
      "for one operation",
      "client",
      "calls",
      `server CPU, µs, ${atOnce(concurrency)}`,
      "client CPU, µs",
      ...told,
    ],
    rows: contestants.map(({ name, client, account, measured }) => {
      const last = measured.at(-1);
      return [
        name,
        client,
        account.calls.join(", "),
        cost(last?.serverUs),
        cost(last?.clientUs),
        ...told.map((each) => cost(account.costs[each])),
      ];
    }),
  };
}

export function figureTable({ figures }: DetailResult): Table {
  return {
    head: ["", "measured", "goal"],
    rows: figures.map((figure) => [
      figure.name,
      amount(figure),
      figure.goal === undefined
        ? ""
        : `${figure.goal}${figure.value <= figure.goal ? "" : " (missed)"}`,
    ]),
  };
}

/** `name: what it lacks`, once for each name. */
export function lacking({ contestants }: ComparisonResult): readonly string[] {
  const lines = contestants.flatMap(({ name, lacks }) => lacks && `${name}: ${lacks}`);
  return [...new Set(lines.filter((line) => line !== undefined && line !== ""))] as string[];
}

/** For a terminal: names to the left, numbers to the right. */
export function asText({ head, rows }: Table): string {
  const all = [head, ...rows];
  const widths = head.map((_, at) => Math.max(...all.map((row) => (row[at] ?? "").length)));
  const pad = (cell: string, at: number): string =>
    at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0);
  return all.map((row) => `  ${row.map(pad).join("  ").trimEnd()}`).join("\n");
}

export function asMarkdown({ head, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, at) => (at < 2 ? "---" : "--:"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}
