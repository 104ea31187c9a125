// What a run of the tests found, as a file that the mutant runner reads: which test failed, and
// whether it failed by judging or because the code could not even run.

import { writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

export interface FailedTest {
  readonly name: string;
  /** An expectation did not hold, or the world can't go on: the test has judged. */
  readonly judged: boolean;
  readonly message: string;
}

export interface RunReport {
  readonly passed: number;
  readonly failed: readonly FailedTest[];
  /** Files that could not be loaded, and errors that belong to no test. */
  readonly broken: readonly string[];
}

interface Thrown {
  readonly name?: string | undefined;
  readonly message?: string | undefined;
  readonly code?: unknown;
  readonly cause?: unknown;
}

/** The error and what caused it, outermost first. */
function chainOf(error: unknown): Thrown[] {
  const chain: Thrown[] = [];
  for (let at = error; typeof at === "object" && at !== null && chain.length < 10; ) {
    chain.push(at as Thrown);
    at = (at as Thrown).cause;
  }
  return chain;
}

/**
 * An assertion; a world that can't go on (a deadlock is a key that never settles); or an error of
 * ours where the test expected a value. A ReferenceError or a plain TypeError judges nothing.
 */
function isJudgement(error: unknown): boolean {
  return chainOf(error).some(
    ({ name, code }) =>
      name === "AssertionError" ||
      name === "SimulationError" ||
      (typeof code === "string" && /^[a-z][A-Za-z]+$/.test(code)),
  );
}

const firstLine = (error: Thrown): string =>
  `${error.name ?? "Error"}: ${(error.message ?? "").split("\n")[0]}`;

function reportOf(
  modules: readonly TestModule[],
  unhandled: readonly SerializedError[],
): RunReport {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  return {
    passed: tests.filter((test) => test.result().state === "passed").length,
    failed: tests
      .filter((test) => test.result().state === "failed")
      .map((test) => {
        const errors = test.result().errors ?? [];
        const message = errors.flatMap(chainOf).map(firstLine).join(" <- ");
        return { name: test.fullName, judged: errors.some(isJudgement), message };
      }),
    broken: [...modules.flatMap((module) => module.errors()), ...unhandled].map(firstLine),
  };
}

export class MutationReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const path = process.env.ONCEPROOF_MUTANT_REPORT;
    const report = reportOf(modules, unhandled);
    if (path === undefined) {
      console.log(JSON.stringify(report, undefined, 2));
    } else {
      writeFileSync(path, JSON.stringify(report));
    }
  }
}
