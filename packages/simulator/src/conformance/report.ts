// What a run of the whole kit found, as data and as plain text.

import type { StoreCapabilities } from "@onceproof/core/advanced";
import { CATALOGUE } from "./catalogue.js";
import type { Clause } from "./harness.js";

/** How one case ended. */
export type ConformanceOutcome =
  | "passed"
  | "failed"
  | "skipped"
  | "knownGap"
  /** A known gap that passed: take it out of `knownGaps`. */
  | "gapClosed"
  /** The run was aborted before it. */
  | "notRun";

/** One case of a report. */
export interface CaseReport {
  readonly id: string;
  readonly clause: Clause;
  /** The law, as a sentence. */
  readonly law: string;
  readonly outcome: ConformanceOutcome;
  /** What went wrong, or why it was skipped, is a known gap or was not run. */
  readonly message?: string;
  /** What a failed case threw. */
  readonly error?: Error;
  /** In real time. */
  readonly tookMs: number;
}

/** What `runStoreConformance` found. */
export interface ConformanceReport {
  /** Whether every case passed, was skipped for a stated reason, or is a known gap. */
  readonly ok: boolean;
  readonly counts: Readonly<Record<ConformanceOutcome, number>>;
  readonly cases: readonly CaseReport[];
  /** What the store declares; absent if no data set could be made. */
  readonly capabilities?: StoreCapabilities;
  /** What the harness' `destroy` threw; it says nothing about the store, so `ok` is as it is. */
  readonly destroyError?: Error;
  readonly seed: number;
  /** In real time. */
  readonly tookMs: number;
  /** The report as plain text, without colours. */
  toString(): string;
}

const WORDS: Readonly<Record<ConformanceOutcome, string>> = {
  passed: "passed",
  failed: "failed",
  skipped: "skipped",
  knownGap: "known gaps",
  gapClosed: "known gaps that pass",
  notRun: "not run",
};
const OUTCOMES = Object.keys(WORDS) as ConformanceOutcome[];

/** The cases of each outcome, counted. */
export function countOutcomes(
  cases: readonly CaseReport[],
): Readonly<Record<ConformanceOutcome, number>> {
  const counts = { passed: 0, failed: 0, skipped: 0, knownGap: 0, gapClosed: 0, notRun: 0 };
  for (const { outcome } of cases) {
    counts[outcome] += 1;
  }
  return counts;
}

/** Whether a store with these counts may be called conforming. */
export function isOk({ failed, gapClosed, notRun }: ConformanceReport["counts"]): boolean {
  return failed + gapClosed + notRun === 0;
}

/** Writes a report as plain text: a line for each clause, then whatever did not pass, and why. */
export function formatConformance(report: ConformanceReport): string {
  const { ok, cases, counts, seed, tookMs } = report;
  const seconds = (tookMs / 1000).toFixed(1);
  return [
    `Store conformance: ${ok ? "ok" : "NOT OK"}. ${cases.length} cases: ${summary(counts)}.`,
    `seed ${seed}, ${seconds} s${declared(report.capabilities)}`,
    "",
    ...clauseLines(cases),
    ...section("Failed", cases, "failed"),
    ...section("Known gaps that pass: take them out of knownGaps", cases, "gapClosed"),
    ...section("Known gaps", cases, "knownGap"),
    ...skippedLines(cases),
    ...section("Not run", cases, "notRun"),
    ...(report.destroyError ? ["", `The harness' destroy threw ${report.destroyError}`] : []),
    "",
  ].join("\n");
}

function summary(counts: ConformanceReport["counts"]): string {
  const told = OUTCOMES.filter((outcome) => outcome === "passed" || counts[outcome] > 0);
  return told.map((outcome) => `${counts[outcome]} ${WORDS[outcome]}`).join(", ");
}

function declared(capabilities: StoreCapabilities | undefined): string {
  if (capabilities === undefined) {
    return "";
  }
  const { clock, durability, failoverMayLoseWrites } = capabilities;
  const failover = failoverMayLoseWrites ? ", a failover may lose writes" : "";
  return `; the store declares: clock "${clock}", durability "${durability}"${failover}`;
}

function clauseLines(cases: readonly CaseReport[]): string[] {
  const rows = CATALOGUE.map(({ clause, about }) => {
    const counts = countOutcomes(cases.filter((each) => each.clause === clause));
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return { name: `${clause} ${about}`, total, text: summary(counts) };
  }).filter(({ total }) => total > 0);
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  return rows.map(({ name, text }) => `  ${name.padEnd(width)}  ${text}`);
}

function section(
  title: string,
  cases: readonly CaseReport[],
  outcome: ConformanceOutcome,
): string[] {
  const told = cases.filter((each) => each.outcome === outcome);
  return told.length === 0
    ? []
    : ["", `${title}:`, ...told.flatMap(({ id, law, message = "" }) => entry(id, law, message))];
}

function entry(id: string, law: string, message: string): string[] {
  const lines = message.split("\n").map((line) => `      ${line}`.trimEnd());
  return [`  ${id}: ${law}`, ...lines];
}

/** One line for each reason, as one missing hook skips many cases. */
function skippedLines(cases: readonly CaseReport[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { outcome, message = "", id } of cases) {
    if (outcome === "skipped") {
      byReason.set(message, [...(byReason.get(message) ?? []), id.split("-", 1)[0] ?? id]);
    }
  }
  const lines = [...byReason].map(([reason, ids]) => `  ${reason}: ${ids.join(", ")}`);
  return lines.length === 0 ? [] : ["", "Skipped:", ...lines];
}
