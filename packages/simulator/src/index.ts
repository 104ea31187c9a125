// The public surface. For a first look: `simulate` tries a handler of your own;
// `createFaultyMemoryStore` puts a bad network before a store; `createWorld` is the whole simulated
// world; `runScenario`, `explore` and the matrix verify Onceproof's own guarantees in it.

export {
  type CallCounter,
  type CallCounts,
  countCalls,
} from "./counting-store.js";
export {
  type ExploreOptions,
  explore,
  type Job,
  type JobResult,
  type Part,
} from "./explore/explore.js";
export { classOf, faultMenu, type MenuOptions } from "./explore/fault-menu.js";
export {
  type Cell,
  type CellVerdict,
  COLUMNS,
  type Column,
  type Finding,
  type Matrix,
  type MatrixRow,
} from "./explore/matrix.js";
export { callsOf, Menus, pairPlans, singlePlans, swarmPlan } from "./explore/plans.js";
export { shrink } from "./explore/shrink.js";
export { type CellTally, declaredLoss, type Found } from "./explore/tally.js";
export { decodeToken, encodeToken } from "./explore/token.js";
export {
  type Budget,
  buildMatrix,
  FULL,
  planJobs,
  QUICK,
  type Selection,
  SINGLES,
} from "./explore/verify.js";
export {
  DEFAULT_RATES,
  type Fault,
  type FaultRates,
  NO_FAULTS,
  type PlannedFault,
} from "./faults.js";
export {
  createFaultyMemoryStore,
  createFaultyStore,
  type FaultyMemoryStore,
  type FaultyMemoryStoreOptions,
  type FaultyStore,
} from "./faulty-store.js";
export type { FaultyStoreOptions } from "./faulty-store-options.js";
export { checkDeterminism, type Determinism } from "./guard/check-determinism.js";
export { NondeterminismError } from "./guard/nondeterminism-error.js";
export { createRandom, type Random } from "./random.js";
export { type DiagramOptions, drawDiagram, type Highlight } from "./report/diagram.js";
export { describeFault, describePlan } from "./report/fault-words.js";
export { type ReportMeta, renderReport, type ShownViolation } from "./report/html.js";
export { renderMatrixMarkdown } from "./report/markdown.js";
export { type StoryLine, type StoryOptions, storyLines, tellStory } from "./report/story.js";
export { type MatrixTextOptions, renderMatrixText } from "./report/text.js";
export { type Hop, macrotaskHop, tickHop } from "./runtime.js";
export { SCENARIOS, scenarioOf } from "./scenarios/catalogue.js";
export { type Ask, askAll, type Serve } from "./scenarios/clients.js";
export {
  type RunOptions,
  type RunResult,
  runScenario,
  type Violation,
} from "./scenarios/run.js";
export type {
  Acts,
  CoreModule,
  Drawn,
  FaultClass,
  Guarantee,
  Loss,
  NamedWorkload,
  RunSpec,
  Scenario,
  Setting,
  Stage,
  Stated,
  Target,
  Times,
} from "./scenarios/scenario.js";
export type {
  EffectCalls,
  EffectMap,
  EffectOptions,
  EffectsOption,
  EffectTimes,
  HandlerContext,
  NodeContext,
  RemoteService,
  RemoteServices,
  ServiceMap,
} from "./simulate/context.js";
export type { ReplayedRun, SimulationFinding } from "./simulate/finding.js";
export type { GapFault } from "./simulate/gaps.js";
export type { FindingKind } from "./simulate/judges.js";
export type { ClientOptions, SimulateOptions, Traffic } from "./simulate/options.js";
export type { SimulationReport } from "./simulate/report-facts.js";
export type { Answered, SimulatedHistory, TookPlace } from "./simulate/run-log.js";
export { simulate } from "./simulate/simulate.js";
export type { GapRow } from "./simulate/tallies.js";
export { createSkewedRuntime, type SkewedRuntime } from "./skewed-runtime.js";
export {
  createVirtualRuntime,
  SimulationError,
  type VirtualRuntime,
  type VirtualRuntimeOptions,
} from "./virtual-runtime.js";
export {
  type ChoiceSource,
  enumerateChoices,
  pctChoices,
  recordChoices,
  seededChoices,
  tapeChoices,
} from "./world/choices.js";
export type { CallAt, FaultAt, FaultName, FaultPlan, WorldFault } from "./world/fault-plan.js";
export type { Answer, Effect, History, Operation, Span } from "./world/history.js";
export { PROFILES, type ProfileId, profileOf, type StoreProfile } from "./world/profile.js";
export {
  type DatabaseHost,
  type MakeDatabase,
  type Row,
  type ServedDatabase,
  type ServedTransaction,
  serveStore,
  type WorldTransaction,
} from "./world/served-store.js";
export type { StandingRow, StandingRows } from "./world/standing-rows.js";
export {
  firstDifference,
  formatEvent,
  hashTrace,
  type TraceEvent,
} from "./world/trace.js";
export {
  type Client,
  createWorld,
  type Node,
  SinkError,
  type World,
  type WorldOptions,
} from "./world/world.js";
