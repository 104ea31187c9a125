// Every scenario with the guarantees that it states, and where each is given up. The matrix and the
// mutants are made of this list.

import { ArgumentError } from "@onceproof/core/advanced";
import { contractScenarios } from "./contract.js";
import { dedupScenarios } from "./dedup-states.js";
import type { Scenario } from "./scenario.js";
import {
  fenceScenarios,
  lockScenarios,
  registerScenarios,
  stateMachineScenarios,
  tokensScenarios,
  uniqueInsertScenarios,
} from "./states.js";

/** All scenarios, by algorithm. */
export const SCENARIOS: readonly Scenario[] = [
  ...dedupScenarios,
  ...lockScenarios,
  ...fenceScenarios,
  ...tokensScenarios,
  ...stateMachineScenarios,
  ...registerScenarios,
  ...uniqueInsertScenarios,
  ...contractScenarios,
];

/**
 * The scenario of an id.
 *
 * Fails: ArgumentError `optionInvalid` if there is none.
 */
export function scenarioOf(id: string): Scenario {
  const found = SCENARIOS.find((scenario) => scenario.id === id);
  if (found === undefined) {
    throw new ArgumentError(
      "optionInvalid",
      `there is no scenario ${JSON.stringify(id)}: choose one of ` +
        SCENARIOS.map((scenario) => scenario.id).join(", "),
    );
  }
  return found;
}
