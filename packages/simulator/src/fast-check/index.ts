// For property-based tests with fast-check, which the user's project brings.

export {
  type FaultPlansOptions,
  faultPlans,
  runSpecs,
  workloads,
} from "./arbitraries.js";
export { type AssertOptions, assertGuarantees, GuaranteeViolated } from "./assert-guarantees.js";
