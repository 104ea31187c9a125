// What a mutant is: one small change of core's real source that breaks one guarantee, as data. The
// test runner of core and the simulator both apply it.

/** How mutants go wrong, each in a sentence that tells what such code does. */
export const families = {
  "check-then-act": "What was read is acted on later, although it may have changed since.",
  "owner-not-checked": "What another owner wrote is overwritten or removed.",
  "lease-misjudged": "A lease is judged by the wrong clock, from the wrong moment or by nobody.",
  "evidence-lost": "What shows that an attempt began, or what it did, is forgotten too early.",
  "unknown-taken-for-an-answer": "A reply that never came is taken for a yes or a no.",
  "replay-recomputed": "A request that was answered gets another answer, or runs again.",
  "request-forgotten": "A request or a write that is sent again is not recognised as the same one.",
  "identity-confused": "Two different things pass for the same, or the same for different ones.",
  "token-order": "A newer holder's fencing token is not the larger one, or an older one is let in.",
  "all-or-nothing-broken": "A part of what belongs together is written without the rest.",
  "progress-lost": "What should go on never does, gives up too early, or costs a storm of calls.",
} as const;

export type Family = keyof typeof families;

/** One broken variant of core. */
export interface Mutant {
  /** `algorithm/what-is-broken`; `contract/…` breaks the memory store. */
  readonly id: string;
  readonly family: Family;
  /** The guarantee that it breaks. */
  readonly guarantee: string;
  /** The source file, within core. */
  readonly file: string;
  /** Text that occurs exactly once in that file. */
  readonly find: string;
  readonly replace: string;
  /** The test file of core that must fail; absent if only the simulator notices. */
  readonly test?: string;
  /** A mistake that is written again and again, and that this mutant makes. */
  readonly textbook?: string;
  /** A mistake of somebody who knew the textbook, and that this mutant makes. */
  readonly subtle?: string;
}
