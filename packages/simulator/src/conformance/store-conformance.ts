// The cases of the catalogue for one harness and any test runner.

import { CATALOGUE } from "./catalogue.js";
import { checkHarness } from "./check-harness.js";
import { ConformanceError, ConformanceSkip } from "./checks.js";
import type { CaseDefinition } from "./definition.js";
import { examine } from "./examine.js";
import type { Clause, ConformanceCase, ConformanceHarness, SkipContext } from "./harness.js";

/**
 * The contract's clauses as cases for one store:
 * `for (const c of storeConformance(harness)) test(c.title, c.run)`.
 *
 * Guarantee: each case runs on a data set of its own. A case that passes says nothing more than
 * that this law held this time; one that fails has found a store that breaks it.
 * Fails: ArgumentError `optionInvalid` for a harness that says something wrong, such as a known gap
 * without a reason or with an id that no case has.
 */
export function storeConformance(harness: ConformanceHarness): ConformanceCase[] {
  checkHarness(harness);
  return CATALOGUE.flatMap(({ clause, definitions }) =>
    definitions.map((definition) => toCase(clause, definition, harness)),
  );
}

function toCase(
  clause: Clause,
  definition: CaseDefinition,
  harness: ConformanceHarness,
): ConformanceCase {
  const { id, law, needs = [] } = definition;
  const conformanceCase: ConformanceCase = {
    id,
    clause,
    title: `${id.slice(0, id.indexOf("-"))} ${law}`,
    needs,
    async run(context) {
      const examined = await examine(definition, harness);
      switch (examined.outcome) {
        case "passed":
          return;
        case "failed":
          throw examined.error;
        case "gapClosed":
          throw new ConformanceError(
            `${id} (${law}): it passes; take it out of knownGaps ("${examined.reason}")`,
          );
        case "knownGap":
          skip(conformanceCase, `known gap: ${examined.reason}`, harness, context);
          return;
        case "skipped":
          skip(conformanceCase, examined.reason, harness, context);
      }
    },
  };
  return conformanceCase;
}

function skip(
  conformanceCase: ConformanceCase,
  reason: string,
  harness: ConformanceHarness,
  context: SkipContext | undefined,
): void {
  if (typeof context?.skip === "function") {
    context.skip(reason);
  } else if (harness.onSkip !== undefined) {
    harness.onSkip(conformanceCase, reason);
  } else {
    throw new ConformanceSkip(`${conformanceCase.id} was skipped: ${reason}`);
  }
}
