// On which of its profiles a scenario is tried most: pairs are enumerated there alone.

import type { Scenario } from "../scenarios/scenario.js";
import type { ProfileId } from "../world/profile.js";

/** The durable store, or for scenarios that do not run on it the first that they list. */
export function mainProfile({ profiles }: Scenario): ProfileId | undefined {
  return profiles.includes("durable") ? "durable" : profiles[0];
}
