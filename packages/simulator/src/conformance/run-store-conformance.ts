// Runs the whole kit against one store and reports, without a test runner.

import { ArgumentError, systemRuntime } from "@onceproof/core/advanced";
import { overlay } from "../overlay.js";
import { CATALOGUE } from "./catalogue.js";
import { checkHarness } from "./check-harness.js";
import { checkNames } from "./check-names.js";
import { Interrupted } from "./checks.js";
import type { CaseDefinition } from "./definition.js";
import { type Examined, examine } from "./examine.js";
import type { Clause, ConformanceHarness } from "./harness.js";
import {
  type CaseReport,
  type ConformanceReport,
  countOutcomes,
  formatConformance,
  isOk,
} from "./report.js";

/** Where a run is. */
export type ConformanceProgress =
  | { readonly event: "started"; readonly id: string; readonly index: number; readonly of: number }
  | {
      readonly event: "ended";
      readonly result: CaseReport;
      readonly index: number;
      readonly of: number;
    };

/** Options of `runStoreConformance`. */
export interface RunConformanceOptions {
  /** The only clauses to judge. @defaultValue all */
  readonly clauses?: readonly Clause[];
  /** How long a case may take, in ms of real time, before it fails by name. @defaultValue 60_000 */
  readonly caseTimeoutMs?: number;
  /** Told when a case starts and when it has ended; `index` counts from 0. */
  readonly onProgress?: (progress: ConformanceProgress) => void;
  /** Ends the run: what has not ended by then is reported as not run. */
  readonly signal?: AbortSignal;
}

const OPTION_NAMES: Readonly<Record<keyof RunConformanceOptions, true>> = {
  clauses: true,
  caseTimeoutMs: true,
  onProgress: true,
  signal: true,
};

const DEFAULT_CASE_TIMEOUT_MS = 60_000;

/**
 * Runs every case against one store, one after the other, and reports how each ended.
 *
 * Guarantee: it settles, whatever the store does: a case that hangs fails by name once its time is
 * over, and the run goes on. Nothing the store does makes it reject.
 * Fails: ArgumentError `optionInvalid`, before anything runs, for a harness or an option that says
 * something wrong.
 */
export async function runStoreConformance(
  harness: ConformanceHarness,
  options: RunConformanceOptions = {},
): Promise<ConformanceReport> {
  checkHarness(harness);
  checkNames("run", options, Object.keys(OPTION_NAMES));
  const { caseTimeoutMs = DEFAULT_CASE_TIMEOUT_MS, signal, onProgress } = options;
  const chosen = choose(options.clauses);
  if (!(caseTimeoutMs > 0)) {
    throw new ArgumentError("optionInvalid", `caseTimeoutMs must be above 0, got ${caseTimeoutMs}`);
  }
  const { harness: observed, seen } = observing(harness);
  const startedAt = systemRuntime.monotonicNow();
  const cases: CaseReport[] = [];
  for (const [index, { clause, definition }] of chosen.entries()) {
    const { id, law } = definition;
    const at = { index, of: chosen.length };
    if (signal?.aborted === true) {
      cases.push({ id, clause, law, outcome: "notRun", message: "the run was aborted", tookMs: 0 });
      continue;
    }
    onProgress?.({ event: "started", id, ...at });
    const result = await timed({ clause, definition }, observed, caseTimeoutMs, signal);
    cases.push(result);
    onProgress?.({ event: "ended", result, ...at });
  }
  const destroyError = await destroy(harness, caseTimeoutMs);
  const counts = countOutcomes(cases);
  const report: ConformanceReport = {
    ok: isOk(counts),
    counts,
    cases,
    ...seen(),
    ...(destroyError && { destroyError }),
    seed: harness.seed ?? 1,
    tookMs: systemRuntime.monotonicNow() - startedAt,
    toString: () => formatConformance(report),
  };
  return report;
}

/** Returns what the harness could not do, if anything: the verdict on the store is another matter. */
async function destroy(harness: ConformanceHarness, limitMs: number): Promise<Error | undefined> {
  try {
    await withTimeLimit(limitMs, undefined, (over) => Promise.race([harness.destroy?.(), over]));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

interface Chosen {
  readonly clause: Clause;
  readonly definition: CaseDefinition;
}

function choose(clauses: readonly Clause[] | undefined): Chosen[] {
  const known = CATALOGUE.map(({ clause }) => clause);
  for (const clause of clauses ?? []) {
    if (!known.includes(clause)) {
      const message = `there is no clause "${clause}": there are ${known.join(", ")}`;
      throw new ArgumentError("optionInvalid", message);
    }
  }
  return CATALOGUE.filter(({ clause }) => clauses?.includes(clause) ?? true).flatMap(
    ({ clause, definitions }) => definitions.map((definition) => ({ clause, definition })),
  );
}

/** The harness, and what the stores that it makes declare. */
function observing(harness: ConformanceHarness): {
  readonly harness: ConformanceHarness;
  readonly seen: () => Pick<ConformanceReport, "capabilities">;
} {
  let seen: Pick<ConformanceReport, "capabilities"> = {};
  const create: ConformanceHarness["create"] = async () => {
    const fixture = await harness.create();
    const capabilities = fixture?.store?.capabilities;
    seen = capabilities === undefined ? seen : { capabilities };
    return fixture;
  };
  return { harness: overlay(harness, { create }), seen: () => seen };
}

async function timed(
  { clause, definition }: Chosen,
  harness: ConformanceHarness,
  caseTimeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<CaseReport> {
  const { id, law } = definition;
  const startedAt = systemRuntime.monotonicNow();
  const examined = await withTimeLimit(caseTimeoutMs, signal, (over) =>
    examine(definition, harness, over),
  );
  const tookMs = systemRuntime.monotonicNow() - startedAt;
  const aborted = signal?.aborted === true && examined.outcome !== "passed";
  return aborted
    ? { id, clause, law, outcome: "notRun", message: "the run was aborted in it", tookMs }
    : { id, clause, law, ...told(examined), tookMs };
}

function told(examined: Examined): Pick<CaseReport, "outcome" | "message" | "error"> {
  const { outcome } = examined;
  switch (outcome) {
    case "passed":
      return { outcome };
    case "failed":
      return { outcome, message: examined.message, error: examined.error };
    case "knownGap":
      return { outcome, message: `${examined.reason}\n(${examined.message})` };
    default:
      return { outcome, message: examined.reason };
  }
}

/** Does something until it ends, its time is over, or the signal aborts. */
async function withTimeLimit<T>(
  limitMs: number,
  signal: AbortSignal | undefined,
  work: (over: Promise<never>) => Promise<T>,
): Promise<T> {
  let free = (): void => {};
  const over = new Promise<never>((_, reject) => {
    const interrupt = (why: string): void => reject(new Interrupted(why));
    const abort = (): void => interrupt("the run was aborted");
    // Of the machine, even where the store's time is virtual: what hangs there moves no clock.
    const cancel = systemRuntime.setTimer(
      () => interrupt(`it had not ended after ${limitMs} ms, and was given up`),
      limitMs,
    );
    signal?.addEventListener("abort", abort);
    if (signal?.aborted === true) {
      abort();
    }
    free = () => {
      cancel();
      signal?.removeEventListener("abort", abort);
    };
  });
  over.catch(() => {});
  try {
    return await work(over);
  } finally {
    free();
  }
}
