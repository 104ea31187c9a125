// What the cases need of the simulator. Bundled from its sources, with the built core.
export { NondeterminismError } from "../../../packages/simulator/src/guard/nondeterminism-error.ts";
export { macrotaskHop, tickHop } from "../../../packages/simulator/src/runtime.ts";
export { dedupScenario } from "../../../packages/simulator/src/scenarios/dedup.ts";
export { runScenario } from "../../../packages/simulator/src/scenarios/run.ts";
export { profileOf } from "../../../packages/simulator/src/world/profile.ts";
export { hashTrace } from "../../../packages/simulator/src/world/trace.ts";
export { createWorld } from "../../../packages/simulator/src/world/world.ts";
