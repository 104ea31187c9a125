// Puts a simulation's report together.

import type { ReportFacts, SimulationReport } from "./report-facts.js";
import { renderSimulationHtml } from "./report-html.js";
import { renderSimulationText } from "./report-text.js";

export function createReport(facts: ReportFacts): SimulationReport {
  const { findings, gaps, plans, complete, seed, run } = facts;
  const own: ReportFacts = {
    findings,
    gaps,
    plans,
    complete,
    seed,
    ...(run !== undefined && { run }),
  };
  return {
    ok: findings.length === 0,
    ...own,
    toString: () => renderSimulationText(own),
    toHtml: () => renderSimulationHtml(own),
  };
}
