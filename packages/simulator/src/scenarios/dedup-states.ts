// What the scenarios of dedup state, and where each sentence is given up.

import * as oracle from "../oracles/index.js";
import type { DedupVariant } from "./dedup.js";
import { dedupScenario, MAX_SKEW_MS } from "./dedup.js";
import { dedupTransactionScenario, TRANSACTION_WAIT_MS } from "./dedup-transaction.js";
import { BOTH_CLOCKS, LOSSY, STORE_AHEAD } from "./losses.js";
import type { Guarantee, Loss, Scenario, Stated } from "./scenario.js";

const state = (guarantee: Guarantee, losses: readonly Loss[] = []): Stated => ({
  guarantee,
  losses,
});

/** What holds under every policy and at every sink. */
function common({ policy }: DedupVariant): readonly Stated[] {
  const mayPark = policy === "park";
  const forgetsCrashes = policy === "rerun";
  return [
    state(oracle.dedupOneOutcome, LOSSY),
    state(oracle.dedupToldToAll({ asksSink: policy === "verify" }), LOSSY),
    state(oracle.dedupMismatch, LOSSY),
    state(oracle.dedupValues, LOSSY),
    state(oracle.dedupOneAtATime, LOSSY),
    state(oracle.dedupNeverAgain, [STORE_AHEAD, BOTH_CLOCKS, ...LOSSY]),
    state(oracle.dedupLeaseRespected, [STORE_AHEAD, BOTH_CLOCKS, ...LOSSY]),
    state(oracle.dedupLateOwner, LOSSY),
    state(oracle.dedupOwnerTold, LOSSY),
    state(oracle.dedupLateStart, [STORE_AHEAD, BOTH_CLOCKS, ...LOSSY]),
    state(oracle.dedupUnknownKept({ forgetsCrashes }), LOSSY),
    ...(policy === "rerun" ? [state(oracle.dedupMarkKept, LOSSY)] : []),
    state(oracle.dedupUnavailableLeavesNothing, [STORE_AHEAD, ...LOSSY]),
    state(oracle.dedupResolve, [STORE_AHEAD, ...LOSSY]),
    state(oracle.dedupBirths({ maxSkewMs: MAX_SKEW_MS }), LOSSY),
    state(oracle.dedupTokensIncrease, LOSSY),
    state(oracle.dedupUnclassified),
    state(oracle.dedupRefusedNotRun),
    state(oracle.dedupStepOnce, [STORE_AHEAD, BOTH_CLOCKS, ...LOSSY]),
    state(oracle.dedupSettles({ mayPark }), LOSSY),
    state(oracle.generalEveryCallSettles),
    state(oracle.generalUnavailableIsHonest),
  ];
}

const EXTERNAL =
  "an external effect can repeat after a crash or pause, or an answer that is lost, between the effect and its record";
const FENCE_ONLY = "a fencing token alone orders effects; it does not dedup them";

const repeats = (why: string): readonly Loss[] => [
  { faults: ["crashes"], mustBeFound: true, why },
  { faults: ["pauses"], mustBeFound: true, why },
  { faults: ["messages"], mustBeFound: true, why },
  { faults: ["clocks", "store"], mustBeFound: false, why },
  {
    // Their handlers fail after the effect, or owners are late by themselves.
    workloads: ["errors", "leftovers", "outages", "late-finish"],
    mustBeFound: false,
    why,
  },
];

function scenario(
  id: string,
  title: string,
  variant: DedupVariant,
  more: readonly Stated[],
): Scenario {
  const states = [...common(variant), ...more];
  return dedupScenario(id, title, variant, states) as unknown as Scenario;
}

export const dedupScenarios: readonly Scenario[] = [
  scenario(
    "park",
    "what is not known is left to a person; a bank that takes all",
    {
      policy: "park",
      bank: "naive",
    },
    [state(oracle.dedupParks, LOSSY), state(oracle.dedupEffectOnce, LOSSY)],
  ),
  scenario(
    "rerun",
    "what is not known runs again; a bank that takes all",
    {
      policy: "rerun",
      bank: "naive",
    },
    [state(oracle.dedupEffectOnce, repeats(EXTERNAL))],
  ),
  scenario(
    "rerun-child-key",
    "what is not known runs again; a bank that dedups by child key",
    {
      policy: "rerun",
      bank: "childKey",
    },
    [state(oracle.dedupEffectOnce)],
  ),
  scenario(
    "rerun-fenced",
    "what is not known runs again; a bank that refuses older tokens",
    {
      policy: "rerun",
      bank: "fenced",
    },
    [state(oracle.dedupEffectOnce, repeats(FENCE_ONLY))],
  ),
  scenario(
    "verify",
    "the bank is asked, and raises its fence as it answers",
    {
      policy: "verify",
      bank: "fenced",
    },
    [state(oracle.dedupEffectOnce, LOSSY)],
  ),
  dedupTransactionScenario([
    state(oracle.transactionOnce),
    state(oracle.transactionToldIsCommitted),
    state(oracle.transactionOneOutcome),
    state(oracle.transactionHonest),
    state(oracle.transactionValues),
    state(oracle.transactionSettles),
    state(oracle.transactionFree),
    state(oracle.transactionGoesOn({ waitMs: TRANSACTION_WAIT_MS })),
    state(oracle.transactionWaitsForRun),
    state(oracle.transactionMode),
    state(oracle.transactionRejects),
    state(oracle.transactionBirths),
    state(oracle.generalEveryCallSettles),
  ]) as unknown as Scenario,
];
