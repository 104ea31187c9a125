// A simulation's report as text: findings with their stories, then the gaps as a table.

import { describePlan } from "../report/fault-words.js";
import { counted } from "../report/words.js";
import type { SimulationFinding } from "./finding.js";
import { GAP_FAULTS } from "./gaps.js";
import type { ReportFacts } from "./report-facts.js";
import type { GapRow } from "./tallies.js";

const NOTHING = "·";

export function renderSimulationText(facts: ReportFacts): string {
  const { findings, gaps, run } = facts;
  const parts = [headline(facts), ...findings.map(renderFinding)];
  if (run !== undefined && findings.length === 0) {
    parts.push(indented(run.story, 2));
  }
  if (gaps.length > 0) {
    parts.push(renderGaps(gaps));
  }
  return parts.join("\n\n");
}

/** `3 findings in 614 plans (8 without a fault, 606 of one: all, 0 of two), seed 1`. */
export function headline({ findings, plans, complete, seed, run }: ReportFacts): string {
  const found = findings.length === 0 ? "nothing found" : counted(findings.length, "finding");
  if (run !== undefined) {
    return `${found} in the run of this token: ${describePlan(run.plan)}`;
  }
  const all = plans.none + plans.one + plans.two;
  const one = `${plans.one} of one${complete.one ? " (all)" : " (a sample)"}`;
  const two = `${plans.two} of two${plans.two === 0 ? "" : complete.two ? " (all)" : " (a sample)"}`;
  return `${found} in ${counted(all, "plan")}: ${plans.none} without a fault, ${one}, ${two}; seed ${seed}`;
}

/** How a finding's run is repeated. */
export function replayCall(token: string): string {
  return `simulate({ ...options, replay: "${token}" })`;
}

function renderFinding(finding: SimulationFinding, index: number): string {
  const { title, where, how, faults, story, token } = finding;
  const others = faults.slice(1);
  return [
    `${index + 1}. ${title}, ${where}`,
    indented(how, 3),
    ...(others.length > 0 ? [`   here also by: ${others.join(", ")}`] : []),
    "",
    indented(story, 3),
    "",
    `   replay: ${replayCall(token)}`,
  ].join("\n");
}

function indented(text: string, by: number): string {
  return text
    .split("\n")
    .map((line) => `${" ".repeat(by)}${line}`)
    .join("\n");
}

/** The gaps as a table: a column for each kind of fault that struck somewhere. */
export function gapTable(gaps: readonly GapRow[]): readonly (readonly string[])[] {
  const faults = (["none", ...GAP_FAULTS] as const).filter((fault) =>
    gaps.some((row) => row.fault === fault),
  );
  const names = [...new Set(gaps.map(({ gap }) => gap))];
  return [
    ["gap", ...faults.map((fault) => (fault === "none" ? "no fault" : fault))],
    ...names.map((name) => [
      name,
      ...faults.map((fault) => {
        const row = gaps.find((each) => each.gap === name && each.fault === fault);
        return row === undefined ? NOTHING : cellOf(row);
      }),
    ]),
  ];
}

function cellOf({ violations }: GapRow): string {
  const kinds = violations.map((id) => id.split(" ")[0]);
  return kinds.length === 0 ? "ok" : [...new Set(kinds)].join("+");
}

function renderGaps(gaps: readonly GapRow[]): string {
  const table = gapTable(gaps);
  const widths = (table[0] ?? []).map((_, at) =>
    Math.max(...table.map((row) => row[at]?.length ?? 0)),
  );
  return table
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
