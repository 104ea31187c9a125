// A preflight report as text, for a log or a terminal.

import type { PreflightReport } from "./preflight.js";

/** Formats a report: the verdict, then a line and a remedy for each finding, the worst first. */
export function formatPreflight({ findings, fit, servers }: PreflightReport): string {
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
