// What the scenarios of dedup state.

import { dedupScenario } from "./dedup.js";
import type { Scenario } from "./scenario.js";

export const dedupScenarios: readonly Scenario[] = [
  dedupScenario(
    "park",
    "what is not known is left to a person",
    { policy: "park", bank: "naive" },
    [],
  ),
].map((scenario) => scenario as unknown as Scenario);
