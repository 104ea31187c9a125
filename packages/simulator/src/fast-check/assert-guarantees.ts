// One call for a property-based test: every guarantee that a scenario states, under drawn plans and
// workloads; a violation is told by its smallest plan, as a story with a replay token.

import fc from "fast-check";
import { declaredLoss } from "../explore/tally.js";
import { encodeToken } from "../explore/token.js";
import { describePlan } from "../report/fault-words.js";
import { tellStory } from "../report/story.js";
import { type RunOptions, runScenario, type Violation } from "../scenarios/run.js";
import type { RunSpec, Scenario } from "../scenarios/scenario.js";
import { type FaultPlansOptions, runSpecs } from "./arbitraries.js";

/** Options of `assertGuarantees`. */
export interface AssertOptions extends FaultPlansOptions, RunOptions {
  /** @defaultValue 300 */
  readonly numRuns?: number;
  /** Repeats a search. @defaultValue a random one, printed on failure */
  readonly seed?: number;
}

/** A guarantee was violated; the message tells the story. */
export class GuaranteeViolated extends Error {
  override readonly name = "GuaranteeViolated";
  readonly code = "guaranteeViolated";
  readonly violations: readonly Violation[];
  readonly spec: RunSpec;
  /** Replays the run: `onceproof replay <token>`. */
  readonly token: string;

  constructor(message: string, violations: readonly Violation[], spec: RunSpec) {
    super(message);
    this.violations = violations;
    this.spec = spec;
    this.token = encodeToken(spec);
  }
}

/**
 * Searches for a run that violates a guarantee where the scenario does not declare it lost.
 *
 * Guarantee: what it reports is a run that violates a sentence; finding none proves nothing.
 * Fails: GuaranteeViolated, with the smallest run that fast-check found.
 */
export async function assertGuarantees(
  scenario: Scenario,
  options: AssertOptions = {},
): Promise<void> {
  const { numRuns = 300, seed } = options;
  const surprises = async (spec: RunSpec): Promise<readonly Violation[]> => {
    const { violations } = await runScenario(scenario, spec, options);
    return violations.filter(
      ({ guarantee }) => declaredLoss(scenario, guarantee, spec) === undefined,
    );
  };
  const details = await fc.check(
    fc.asyncProperty(runSpecs(scenario, options), async (spec) => {
      return (await surprises(spec)).length === 0;
    }),
    { numRuns, ...(seed !== undefined && { seed }) },
  );
  if (!details.failed) {
    return;
  }
  if (details.counterexample === null) {
    throw details.errorInstance ?? new Error("fast-check gave up without a counterexample");
  }
  const [drawn] = details.counterexample;
  const result = await runScenario(scenario, drawn, options);
  // What found no call did not take part.
  const spec: RunSpec = { ...drawn, plan: result.struck };
  const violations = await surprises(spec);
  const message = [
    ...violations.map(({ guarantee, how }) => `${guarantee}: ${how}`),
    `when ${describePlan(spec.plan)}`,
    "",
    tellStory(result.trace),
    "",
    `replay: onceproof replay ${encodeToken(spec)}`,
    `search: seed ${details.seed}, ${details.numRuns} runs, ${details.numShrinks} shrinks`,
  ].join("\n");
  throw new GuaranteeViolated(message, violations, spec);
}
