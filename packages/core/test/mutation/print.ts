// What the mutant runner prints: a line per mutant while it works, a table at the end.

import type { Tried } from "./run.ts";
import type { Verdict } from "./verdict.ts";

const colored = process.stdout.isTTY === true && !process.env.NO_COLOR;

const COLORS = { killed: 32, survived: 31, broken: 33 } as const;

const paint = (verdict: Verdict["verdict"], text: string): string =>
  colored ? `\u001B[${COLORS[verdict]}m${text}\u001B[0m` : text;

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

function explain(verdict: Verdict): string {
  switch (verdict.verdict) {
    case "killed":
      return `${verdict.by}${verdict.hard ? " (with more runs)" : ""}`;
    case "survived":
      return "no test failed";
    case "broken":
      return verdict.why;
  }
}

/** One line for a mutant that has just been tried. */
export function progress({ mutant, verdict, ms }: Tried, done: number, of: number): void {
  const word = paint(verdict.verdict, verdict.verdict.padEnd(8));
  console.log(
    `[${`${done}`.padStart(`${of}`.length)}/${of}] ${word} ${mutant.id} (${seconds(ms)})`,
  );
}

/** All mutants with the guarantee that each breaks and the test that noticed. */
export function table(tried: readonly Tried[]): void {
  const rows = tried.map(({ mutant, verdict, ms }) => ({
    verdict: verdict.verdict,
    cells: [mutant.id, mutant.guarantee, explain(verdict), seconds(ms)],
  }));
  const head = ["mutant", "guarantee it breaks", "killed by", "time"];
  const widths = head.map((title, column) =>
    Math.min(72, Math.max(title.length, ...rows.map(({ cells }) => cells[column]?.length ?? 0))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return (cell.length > width ? `${cell.slice(0, width - 1)}…` : cell).padEnd(width);
      })
      .join("  ")
      .trimEnd();
  console.log(`\n${line(head)}\n${widths.map((width) => "-".repeat(width)).join("  ")}`);
  for (const { verdict, cells } of rows) console.log(paint(verdict, line(cells)));
  const count = (word: Verdict["verdict"]): number =>
    rows.filter(({ verdict }) => verdict === word).length;
  console.log(
    `\n${rows.length} mutants: ${count("killed")} killed, ${count("survived")} survived, ` +
      `${count("broken")} broken`,
  );
}
