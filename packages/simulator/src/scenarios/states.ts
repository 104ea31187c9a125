// What the scenarios of every algorithm but dedup state, and where each sentence is given up.

import * as oracle from "../oracles/index.js";
import { fenceScenario } from "./fence.js";
import { lockScenario } from "./lock.js";
import { LOSSY } from "./losses.js";
import { registerScenario } from "./register.js";
import type { Guarantee, Loss, Scenario, Stated } from "./scenario.js";
import { tokensScenario } from "./tokens.js";
import { TOKEN_MS } from "./tokens-workloads.js";
import { uniqueInsertScenario } from "./unique-insert.js";

const state = <W>(guarantee: Guarantee<W>, losses: readonly Loss[] = []): Stated<W> => ({
  guarantee,
  losses,
});

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
    why: `${MARGIN}; a write to it may be under way for longer`,
  },
  ...LOSSY,
];

export const lockScenarios: readonly Scenario[] = [
  lockScenario(
    "two-workers",
    "two workers, a disk that checks tokens, a printer that checks nothing",
    [
      state(oracle.lockFencedSink, LOSSY),
      state(oracle.lockTokensIncrease, LOSSY),
      state(oracle.lockTokenConstant),
      state(oracle.lockMutualExclusion, unchecked),
      state(oracle.lockNaiveExclusion, unchecked),
      state(oracle.lockLeaseRespected, LOSSY),
      state(oracle.lockLostStaysLost, LOSSY),
      state(oracle.lockSettles),
      ...everyCall,
    ],
  ) as unknown as Scenario,
];

export const fenceScenarios: readonly Scenario[] = [
  fenceScenario("two-gates", "tokens that reach two gates of one fence in any order", [
    state(oracle.fenceNeverDecreases, LOSSY),
    state(oracle.fenceStaleIsStale),
    state(oracle.fenceSettles),
    ...everyCall,
  ]) as unknown as Scenario,
];

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
  state(oracle.tokensRunFirstResult, LOSSY),
  state(oracle.tokensRunOnce, LOSSY),
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
  ) as unknown as Scenario,
  tokensScenario(
    "stored-rerun",
    "stored tokens; a run whose end is not known runs again",
    { kind: "stored", onCrash: "rerun" },
    tokens(false),
  ) as unknown as Scenario,
  tokensScenario(
    "signed-park",
    "signed tokens; a run whose end is not known is left to a person",
    { kind: "signed", onCrash: "park" },
    tokens(true, SKEW_MS),
  ) as unknown as Scenario,
];

const register = (memory: { readonly window?: number }): readonly Stated[] =>
  [
    state(oracle.registerSameAnswer(memory), LOSSY),
    state(oracle.registerNeverBelowZero),
    state(oracle.registerOneOrder(memory), LOSSY),
    state(oracle.registerSum(memory), LOSSY),
    state(oracle.registerExpiredNeedsSnapshot),
    state(oracle.registerSettles),
    ...everyCall,
  ] as unknown as readonly Stated[];

export const registerScenarios: readonly Scenario[] = [
  registerScenario(
    "plain",
    "each request on its own",
    "plain",
    register({}) as never,
  ) as unknown as Scenario,
  registerScenario(
    "snapshot",
    "each request with the snapshot that was taken when it was made",
    "snapshot",
    register({ window: 2 }) as never,
  ) as unknown as Scenario,
  registerScenario(
    "forgotten",
    "requests beyond the window or the retention",
    "forgotten",
    register({ window: 2 }) as never,
  ) as unknown as Scenario,
];

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
  uniqueInsertScenario(
    "one-key",
    "one unique key",
    "oneKey",
    unique as never,
  ) as unknown as Scenario,
  uniqueInsertScenario(
    "two-keys",
    "an order number and a transaction number",
    "twoKeys",
    unique as never,
  ) as unknown as Scenario,
];
