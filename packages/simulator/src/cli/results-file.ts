// What `verify --json` writes and `verify --merge` reads: the results of jobs, before the matrix.

import { readFileSync } from "node:fs";
import type { JobResult } from "../explore/explore.js";
import type { Matrix } from "../explore/matrix.js";
import { type Budget, planJobs, type Selection } from "../explore/verify.js";
import { scenarioOf } from "../scenarios/catalogue.js";
import type { ProfileId } from "../world/profile.js";
import { UsageError } from "./usage-error.js";

/** The selection as plain data. */
export interface SelectionData {
  readonly scenarios: readonly string[];
  readonly profiles?: readonly ProfileId[];
  readonly seed: number;
  readonly budget: Budget;
}

export interface ResultsFile {
  readonly format: "onceproof-results";
  readonly version: 1;
  readonly selection: SelectionData;
  /** The mutant of core that was explored; absent for core as it is. */
  readonly mutant?: string;
  /** The part that was done, `1/1` for all. */
  readonly shard: string;
  readonly seconds: number;
  readonly complete: boolean;
  /** Jobs that ended in an error instead of a result. */
  readonly errors: readonly string[];
  readonly results: readonly JobResult[];
  /** What they make, for readers; not read back. */
  readonly matrix: Matrix;
}

export function selectionData({ scenarios, ...rest }: Selection): SelectionData {
  return { scenarios: scenarios.map(({ id }) => id), ...rest };
}

/** Reads one file. Fails: UsageError if it is none of ours. */
export function readResults(path: string): ResultsFile {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${(error as Error).message}`);
  }
  let data: Partial<ResultsFile> | null;
  try {
    data = JSON.parse(text);
  } catch {
    data = null;
  }
  if (data?.format !== "onceproof-results" || data.version !== 1) {
    throw new UsageError(`${path} is not a result of \`onceproof verify --json\``);
  }
  return data as ResultsFile;
}

export interface Merged {
  readonly selection: Selection;
  readonly mutant?: string;
  readonly results: readonly JobResult[];
  readonly seconds: number;
  readonly errors: readonly string[];
  readonly complete: boolean;
}

/** Joins the parts of one verification. Fails: UsageError if they are parts of different ones. */
export function mergeResults(
  files: readonly { readonly path: string; readonly data: ResultsFile }[],
): Merged {
  const [first] = files;
  if (first === undefined) {
    throw new UsageError("give the files to merge");
  }
  const { selection, mutant } = first.data;
  const results = new Map<string, JobResult>();
  for (const { path, data } of files) {
    if (JSON.stringify(data.selection) !== JSON.stringify(selection) || data.mutant !== mutant) {
      throw new UsageError(
        `${path} and ${first.path} differ in scenarios, profiles, seed, budget or mutant: ` +
          "merge parts of one verification",
      );
    }
    for (const result of data.results) {
      const key = JSON.stringify(result.job);
      if (results.has(key)) {
        throw new UsageError(`${path} repeats what another file holds: give each part once`);
      }
      results.set(key, result);
    }
  }
  const { scenarios, ...rest } = selection;
  const whole = { ...rest, scenarios: scenarios.map(scenarioOf) };
  return {
    selection: whole,
    ...(mutant !== undefined && { mutant }),
    results: inOrder(whole, [...results.values()]),
    seconds: files.reduce((sum, { data }) => sum + data.seconds, 0),
    errors: files.flatMap(({ data }) => data.errors),
    complete: files.every(({ data }) => data.complete) && results.size === planJobs(whole).length,
  };
}

/** Results in the order of the plan, so that the matrix does not depend on who was done first. */
export function inOrder(selection: Selection, results: readonly JobResult[]): JobResult[] {
  const place = new Map(planJobs(selection).map((job, at) => [JSON.stringify(job), at]));
  const of = ({ job }: JobResult): number => place.get(JSON.stringify(job)) ?? place.size;
  return [...results].sort((one, other) => of(one) - of(other));
}
