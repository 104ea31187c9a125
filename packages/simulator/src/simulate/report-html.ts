// A simulation's report as one page: it loads nothing, and follows the reader's colour scheme.

import { describePlan } from "../report/fault-words.js";
import type { SimulationFinding } from "./finding.js";
import type { ReportFacts } from "./report-facts.js";
import { gapTable, headline, replayCall } from "./report-text.js";

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.5rem; }
pre { overflow-x: auto; padding: .75rem; border: 1px solid #8884; border-radius: 6px; }
.diagram { overflow-x: auto; }
.token { overflow-wrap: anywhere; font: 12px/1.4 ui-monospace, monospace; }
.table { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid #8884; padding: .2rem .5rem; text-align: left; white-space: nowrap; }
td.wrong { background: #d339; font-weight: 600; }
`;

export function renderSimulationHtml(facts: ReportFacts): string {
  const { findings, gaps, run } = facts;
  const shown =
    run !== undefined && findings.length === 0
      ? `<pre>${escapeHtml(run.story)}</pre><div class="diagram">${run.diagram}</div>`
      : "";
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<title>Simulation: ${findings.length === 0 ? "ok" : findings.length}</title>`,
    `<style>${STYLE}</style></head><body>`,
    "<h1>Simulation of a handler</h1>",
    `<p>${escapeHtml(headline(facts))}</p>`,
    ...findings.map(renderFinding),
    shown,
    gaps.length > 0 ? renderGaps(facts) : "",
    "</body></html>",
  ].join("\n");
}

function renderFinding(finding: SimulationFinding, index: number): string {
  const { title, where, how, faults, plan, story, diagram, token } = finding;
  return [
    `<section><h2>${index + 1}. ${escapeHtml(title)}</h2>`,
    `<p>${escapeHtml(where)}.<br>${escapeHtml(how)}.</p>`,
    `<p>Plan: ${escapeHtml(describePlan(plan))}.`,
    faults.length > 1 ? ` Here also by: ${escapeHtml(faults.slice(1).join(", "))}.` : "",
    "</p>",
    `<pre>${escapeHtml(story)}</pre>`,
    `<div class="diagram">${diagram}</div>`,
    `<p class="token">replay: ${escapeHtml(replayCall(token))}</p></section>`,
  ].join("\n");
}

function renderGaps({ gaps }: ReportFacts): string {
  const [head = [], ...rows] = gapTable(gaps);
  const cell = (text: string): string =>
    `<td${/^(ok|·)$/.test(text) ? "" : ' class="wrong"'}>${escapeHtml(text)}</td>`;
  return [
    '<h2>Gaps</h2><div class="table"><table>',
    `<tr>${head.map((text) => `<th>${escapeHtml(text)}</th>`).join("")}</tr>`,
    ...rows.map(
      ([name = "", ...cells]) => `<tr><th>${escapeHtml(name)}</th>${cells.map(cell).join("")}</tr>`,
    ),
    "</table></div>",
  ].join("\n");
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
