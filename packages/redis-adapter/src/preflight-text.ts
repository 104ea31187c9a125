// A preflight report as text, for a log or a terminal.

import { ArgumentError } from "@onceproof/core/advanced";
import type { PreflightReport } from "./preflight.js";

/**
 * Formats a report: the verdict, then a line and a remedy for each finding, the worst first.
 *
 * Fails: ArgumentError if it is given no report.
 */
export function formatPreflight(report: PreflightReport): string {
  const { findings, fit, servers } = Object(report) as Partial<PreflightReport>;
  if (!Array.isArray(findings) || !Array.isArray(servers)) {
    throw new ArgumentError(
      "optionInvalid",
      "formatPreflight takes the report of a preflight: formatPreflight(await preflight(store))",
    );
  }
  const count = (severity: string): string =>
    `${findings.filter((finding) => finding.severity === severity).length} ${severity}`;
  const where = servers
    .map(({ address, software }) => `${address} (${software ?? "version not told"})`)
    .join(", ");
  const verdict = `preflight: ${fit ? "fit" : "not fit"} (${count("fatal")}, ${count("warning")}, ${count("info")})`;
  return [
    where === "" ? verdict : `${verdict}: ${where}`,
    ...findings.flatMap(({ id, severity, finding, remedy }) => [
      `${severity.padEnd(7)} ${id}: ${finding}`,
      `        -> ${remedy}`,
    ]),
  ].join("\n");
}
