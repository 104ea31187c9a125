// What is judged under sentences that several guarantees quote, each in one line: the sentence alone
// does not tell them apart.

const JUDGED: { readonly [guarantee: string]: string } = {
  "dedup/one-outcome": "all that are told a recorded outcome of a key are told the same one",
  "dedup/told-to-all":
    "once a caller was told a recorded outcome, nobody who asks later is told that there is none",
  "dedup/settles": "without faults, every key that is asked for gets an outcome",
  "dedup/one-at-a-time":
    "while an owner's lease is not taken over, no other handler of its key runs",
  "dedup/never-again": "once somebody was told a recorded outcome, no handler of that key starts",
  "dedup/lease-respected": "nobody takes over before the lease of a running handler has lapsed",
  "dedup/late-owner": "an owner that was taken over does not say that its own value was recorded",
  "dedup/owner-told":
    "an owner whose handler has run is told its value or what is recorded, not that telling failed",
  "dedup/unknown-kept":
    "a run after an attempt whose outcome is not known is a takeover, with a higher attempt",
  "dedup/mark-kept": "attempts that say that they did nothing say nothing of the one before them",
  "dedup/unavailable-leaves-nothing":
    "a key has an attempt to be taken over, or parked for, only if some call may have left one",
  "dedup/births":
    "an old key is expired, a young one is not, and neither an old nor a future one runs",
  "dedup/refused-not-run": "who is told that the handler did not run had no run",
  "dedup/transaction-once":
    "the committed rows of a key are those of one run, each once and all of them",
  "dedup/transaction-told-is-committed":
    "what a caller is told as done was committed before, by the run that it is told of",
  "dedup/transaction-one-outcome":
    "all that are told the outcome of a key are told the same one, and nobody later none",
  "dedup/transaction-values": "what a caller is told was made by a handler of its key",
  "dedup/transaction-settles": "without faults, every key that is asked for gets an outcome",
  "dedup/transaction-frees-the-key":
    "once faults have ended, nobody is told that another is still at work",
  "dedup/transaction-waits-for-run":
    "while an attempt without a transaction is at work within its lease, no handler begins in one",
  "dedup/transaction-mode":
    "who took over an attempt of which nobody knows what it did is not told *exactly once*",
  "fence/never-decreases":
    "what is admitted is no older than what was admitted before it was asked",
  "fence/stale-is-stale":
    "*stale* is told only of a token for which a newer one may have been admitted",
  "fence/settles": "without faults, the fence answers",
  "general/every-call-settles": "each call of a node that did not crash has an answer in time",
  "general/unavailable-is-honest":
    "who is told *unavailable* had no handler run, no step, no hold and no effect",
  "lock/view-within-lease":
    "when a node sees that it has acquired, no other hold still counts as held by its own clocks",
  "lock/lease-respected":
    "within its lease, who believes to hold a lock is not taken over, nor released by others",
  "lock/lost-stays-lost":
    "after another was told that it holds the lock, the older hold is neither renewed nor released",
  "lock/release-is-honest":
    "*lost* is told only of a lease that may have ended, *unknown* only where an answer may be missing",
  "lock/tokens-increase":
    "who acquires after another was told its token has a higher one; no two share one",
  "lock/token-constant": "the tokens that holders use are those that they were told at acquiring",
  "lock/fenced-sink": "the disk takes no write of an older holder after one of a newer",
  "lock/naive-exclusion": "the printer, which checks nothing, sees one holder after the other",
  "lock/mutual-exclusion": "no two nodes believe at one time to hold one lock",
  "lock/settles": "without faults, the lock can be acquired again",
  "machine/same-answer":
    "each request gets one answer as long as it is remembered, and moves in one call at most",
  "machine/moves-once": "the data list each move once, each that was told, and no other",
  "machine/history": "the history holds what was told and nothing that nobody asked for",
  "machine/one-creator": "an entity is created by one request, which is told so again",
  "machine/settles": "without faults, creates, events and looks are answered",
  "machine/states": "each state that somebody saw is explained by the moves",
  "machine/illegal": "a state in which an event was refused is not one from which it moved",
  "register/same-answer": "each request gets one answer as long as it is remembered",
  "register/never-below-zero": "the number never goes below 0, which every update refuses",
  "register/one-order":
    "all answers and looks fit one order in which each request takes effect at most once",
  "register/sum": "what is seen in the end is the sum of what took effect",
  "register/settles": "without faults, updates and looks are answered",
  "tokens/consumed-once": "one request at most is told *consumed*",
  "tokens/used-by-other":
    "whoever has the token is told so again, and nobody else asks in vain for what nobody has",
  "tokens/valid-until-expiry":
    "until it expires, a token is not *invalid* for its subject, and is *used* once another has it",
  "tokens/settle": "without faults, whoever asks for a token is told whose it is",
  "tokens/run-first-result": "all holders of token and subject get one result",
  "tokens/run-once":
    "the handler of a token runs once at a time, and not again once its result is recorded",
  "tokens/run-values": "what a caller of `run` gets was made by a run for that token",
  "unique/one-value": "under each key there is one value, with one set of keys, whoever looks",
  "unique/one-creator": "two requests never both create under one key",
  "unique/all-or-none": "what stood once stands for all who look later, under each of its keys",
  "unique/from-insert":
    "what stands was inserted under those keys by a request that may have had effect",
  "unique/conflict-is-real":
    "*conflict* names a key of the insert under which other content may stand",
  "unique/settles": "without faults, inserts and looks are answered",
};

/** The guarantees of which it is told what is judged. */
export const JUDGED_IDS: readonly string[] = Object.keys(JUDGED);

/** What a guarantee judges of its sentence, in one line; undefined where the sentence says it all. */
export function judgedOf(guarantee: string): string | undefined {
  return Object.hasOwn(JUDGED, guarantee) ? JUDGED[guarantee] : undefined;
}

/** A guarantee's id with what it judges: `fence/settles: without faults, the fence answers`. */
export function withJudged(guarantee: string): string {
  const judged = judgedOf(guarantee);
  return judged === undefined ? guarantee : `${guarantee}: ${judged}`;
}
