// The oracles of dedup: what callers are told, and what runs of handlers do.

export {
  dedupMismatch,
  dedupOneOutcome,
  dedupSettles,
  dedupToldToAll,
  dedupValues,
  type SettleOptions,
} from "./dedup-answers.js";
export {
  dedupParks,
  dedupRefusedNotRun,
  dedupTokensIncrease,
  dedupUnclassified,
  dedupUnknownKept,
} from "./dedup-attempts.js";
export { dedupEffectOnce, dedupStepOnce } from "./dedup-effects.js";
export {
  dedupLateOwner,
  dedupLeaseRespected,
  dedupNeverAgain,
  dedupOneAtATime,
} from "./dedup-runs.js";
