// What the scenarios of every algorithm but dedup state, and where each sentence is given up.

import * as oracle from "../oracles/index.js";
import { fenceScenario } from "./fence.js";
import { lockScenario } from "./lock.js";
import { BOTH_CLOCKS, FORGOTTEN, LOSSY, STORE_AHEAD } from "./losses.js";
import { registerScenario } from "./register.js";
import type { RegisterWorkload } from "./register-workloads.js";
import type { Guarantee, Loss, Scenario, Stated } from "./scenario.js";
import { stateMachineScenario } from "./state-machine.js";
import type { MachineWorkload } from "./state-machine-workloads.js";
import { tokensScenario } from "./tokens.js";
import { TOKEN_MS } from "./tokens-workloads.js";
import { uniqueInsertScenario } from "./unique-insert.js";

const state = <W>(guarantee: Guarantee<W>, losses: readonly Loss[] = []): Stated<W> => ({
  guarantee,
  losses,
});

/** A scenario whatever its workload: only its own parts look into that. */
function asScenario<W>(scenario: Scenario<W>): Scenario {
  return scenario as unknown as Scenario;
}

const everyCall: readonly Stated[] = [
  state(oracle.generalEveryCallSettles),
  state(oracle.generalUnavailableIsHonest),
];

const MARGIN =
  "exclusion towards a sink that checks nothing holds only while pauses and clock drift stay inside the margin";

const unchecked: readonly Loss[] = [
  { faults: ["pauses"], mustBeFound: true, why: MARGIN },
  {
    faults: ["messages"],
    mustBeFound: false,
    why: "what a holder has sent to a sink that checks nothing may be under way for longer than the lease",
  },
  ...LOSSY,
];

export const lockScenarios: readonly Scenario[] = [
  lockScenario(
    "workers",
    "workers that contend, a disk that checks tokens, a printer that checks nothing",
    [
      state(oracle.lockFencedSink, LOSSY),
      state(oracle.lockTokensIncrease, LOSSY),
      state(oracle.lockTokenConstant),
      state(oracle.lockViewWithinLease, [STORE_AHEAD, BOTH_CLOCKS, ...LOSSY]),
      state(oracle.lockMutualExclusion, [STORE_AHEAD, BOTH_CLOCKS, ...unchecked]),
      state(oracle.lockNaiveExclusion, [STORE_AHEAD, BOTH_CLOCKS, ...unchecked]),
      state(oracle.lockLeaseRespected, [STORE_AHEAD, BOTH_CLOCKS, ...LOSSY]),
      state(oracle.lockLostStaysLost, LOSSY),
      state(oracle.lockReleaseIsHonest, [STORE_AHEAD, ...LOSSY]),
      state(oracle.lockSettles, LOSSY),
      ...everyCall,
    ],
  ),
].map(asScenario);

export const fenceScenarios: readonly Scenario[] = [
  fenceScenario("two-gates", "tokens that reach two gates of one fence in any order", [
    state(oracle.fenceNeverDecreases, LOSSY),
    state(oracle.fenceStaleIsStale),
    state(oracle.fenceSettles),
    ...everyCall,
  ]),
].map(asScenario);

// A signed token ends by the clock of the node that issued it.
const SKEW_MS = 75_000;

const tokens = (mayPark: boolean, aheadMs?: number): readonly Stated[] => [
  state(oracle.tokensConsumedOnce, LOSSY),
  state(oracle.tokensUsedByOther, LOSSY),
  state(
    oracle.tokensValidUntilExpiry({
      ttlMs: TOKEN_MS,
      ...(aheadMs !== undefined && { aheadMs }),
    }),
    LOSSY,
  ),
  state(oracle.tokensWrongIsInvalid),
  state(oracle.tokensRunFirstResult, [BOTH_CLOCKS, ...LOSSY]),
  state(oracle.tokensRunOnce, [BOTH_CLOCKS, ...LOSSY]),
  state(oracle.tokensRunValues),
  state(oracle.tokensSettle({ mayPark })),
  ...everyCall,
];

export const tokensScenarios: readonly Scenario[] = [
  tokensScenario(
    "stored-park",
    "stored tokens; a run whose end is not known is left to a person",
    { kind: "stored", onCrash: "park" },
    tokens(true),
  ),
  tokensScenario(
    "stored-rerun",
    "stored tokens; a run whose end is not known runs again",
    { kind: "stored", onCrash: "rerun" },
    tokens(false),
  ),
  tokensScenario(
    "signed-park",
    "signed tokens; a run whose end is not known is left to a person",
    { kind: "signed", onCrash: "park" },
    tokens(true, SKEW_MS),
  ),
].map(asScenario);

/** Judges of remembered requests need the window that a workload's entities have. */
interface WithWindow {
  readonly requestWindow: number;
}

function byWindow<W>(
  guaranteeOf: (memory: { readonly window: number }) => Guarantee<W>,
): Guarantee<W & WithWindow> {
  return {
    ...guaranteeOf({ window: 0 }),
    judge: (history, setting) =>
      guaranteeOf({ window: setting.workload.requestWindow }).judge(history, setting),
  };
}

const lossesOf = (variant: string): readonly Loss[] => (variant === "forgotten" ? FORGOTTEN : []);

const machine = (more: readonly Loss[]): readonly Stated<MachineWorkload>[] => [
  state(byWindow(oracle.machineSameAnswer), [...LOSSY, ...more]),
  state(byWindow(oracle.machineMovesOnce), [...LOSSY, ...more]),
  state(byWindow(oracle.machineHistory), [...LOSSY, ...more]),
  state(byWindow(oracle.machineStates), [...LOSSY, ...more]),
  state(oracle.machineIllegal, LOSSY),
  state(oracle.machineAlreadyThere, LOSSY),
  state(oracle.machineOneCreator, LOSSY),
  state(oracle.machineOneEvent, LOSSY),
  state(oracle.machineExpiredNeedsSnapshot, LOSSY),
  state(oracle.machineSettles),
  ...everyCall,
];

export const stateMachineScenarios: readonly Scenario[] = (
  [
    ["plain", "each event on its own"],
    ["snapshot", "each event with the snapshot that was taken when it was made"],
    ["forgotten", "events beyond the window or the retention, without a snapshot"],
  ] as const
)
  .map(([variant, title]) =>
    stateMachineScenario(variant, title, variant, machine(lossesOf(variant))),
  )
  .map(asScenario);

const register = (more: readonly Loss[]): readonly Stated<RegisterWorkload>[] => [
  state(byWindow(oracle.registerSameAnswer), [...LOSSY, ...more]),
  state(oracle.registerNeverBelowZero),
  state(byWindow(oracle.registerOneOrder), [...LOSSY, ...more]),
  state(byWindow(oracle.registerSum), [...LOSSY, ...more]),
  state(oracle.registerExpiredNeedsSnapshot, LOSSY),
  state(oracle.registerSettles),
  ...everyCall,
];

export const registerScenarios: readonly Scenario[] = (
  [
    ["plain", "each request on its own"],
    ["snapshot", "each request with the snapshot that was taken when it was made"],
    ["forgotten", "requests beyond the window or the retention, without a snapshot"],
  ] as const
)
  .map(([variant, title]) => registerScenario(variant, title, variant, register(lossesOf(variant))))
  .map(asScenario);

const unique: readonly Stated[] = [
  state(oracle.uniqueOneValue, LOSSY),
  state(oracle.uniqueOneCreator, LOSSY),
  state(oracle.uniqueAllOrNone, LOSSY),
  state(oracle.uniqueFromInsert),
  state(oracle.uniqueCreatorRecognised, LOSSY),
  state(oracle.uniqueConflictIsReal),
  state(oracle.uniqueSettles),
  ...everyCall,
];

export const uniqueInsertScenarios: readonly Scenario[] = [
  uniqueInsertScenario("one-key", "one unique key", "oneKey", unique),
  uniqueInsertScenario("two-keys", "an order number and a transaction number", "twoKeys", unique),
].map(asScenario);
