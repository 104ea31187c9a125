// The oracles of dedup: what callers are told, and what runs of handlers do.

export {
  dedupMismatch,
  dedupOneOutcome,
  dedupSettles,
  dedupToldToAll,
  dedupValues,
  type SettleOptions,
  type ToldOptions,
} from "./dedup-answers.js";
export {
  dedupMarkKept,
  dedupParks,
  dedupRefusedNotRun,
  dedupTokensIncrease,
  dedupUnclassified,
  dedupUnknownKept,
  type KeptOptions,
} from "./dedup-attempts.js";
export { type BirthOptions, dedupBirths } from "./dedup-births.js";
export { dedupEffectOnce, dedupStepOnce } from "./dedup-effects.js";
export { dedupLateStart, dedupOwnerTold, dedupUnavailableLeavesNothing } from "./dedup-owner.js";
export { dedupResolve } from "./dedup-people.js";
export {
  dedupLateOwner,
  dedupLeaseRespected,
  dedupNeverAgain,
  dedupOneAtATime,
} from "./dedup-runs.js";
