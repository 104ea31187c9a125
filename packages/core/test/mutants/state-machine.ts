// Broken variants of the state machine: small changes to the real source, each of which must make
// the property file fail.

import type { Mutant } from "../support/mutant.ts";

export const mutants: readonly Mutant[] = [
  {
    id: "state-machine/window-forgets-what-it-dropped",
    guarantee: "each (id, requestId) moves the entity at most once",
    file: "src/shared/request-log.ts",
    find: "dropped = Math.max(dropped,",
    replace: "dropped = Math.min(dropped,",
    test: "test/state-machine.property.test.ts",
  },
  {
    id: "state-machine/refusal-after-unknown-means-never-applied",
    guarantee: "without a request id, a lost reply does not move twice",
    file: "src/shared/decide-once.ts",
    find: "if (answer.afterUnknown) {",
    replace: "if (false as boolean) {",
    test: "test/state-machine.property.test.ts",
  },
  {
    id: "state-machine/not-in-the-window-means-never-applied",
    guarantee: "an unanswered write that may have been dropped from the window is indeterminate",
    file: "src/shared/decide-once.ts",
    find: "if (later.entry === undefined || seen.revision <= log.dropped) {",
    replace: "if (later.entry === undefined) {",
    test: "test/state-machine.property.test.ts",
  },
  {
    id: "state-machine/refusals-are-not-recorded",
    guarantee: "a request gets the same answer again, refusals included",
    file: "src/state-machine/fire.ts",
    find: "next: undefined, record: named }",
    replace: "next: undefined, record: false }",
    test: "test/state-machine.property.test.ts",
  },
  {
    id: "state-machine/request-recorded-apart-from-the-move",
    guarantee: "each (id, requestId) moves the entity at most once",
    file: "src/shared/decide-once.ts",
    find: "own ? [own, write] : [write], signal",
    replace: "[write], signal",
    test: "test/state-machine.property.test.ts",
  },
  {
    id: "state-machine/refusal-judged-on-a-stale-snapshot",
    guarantee: "an illegal move is judged by the state as it stands",
    file: "src/shared/decide-once.ts",
    find: "if (seen === snapshot) {",
    replace: "if (false as boolean) {",
    test: "test/state-machine.property.test.ts",
  },
  {
    id: "state-machine/old-snapshots-count-as-new",
    guarantee: "a request that may have been forgotten is expired, not run again",
    file: "src/shared/decide-once.ts",
    find: "seen.now - earliest.now > options.rememberedMs * 1000 ||",
    replace: "",
    test: "test/state-machine.property.test.ts",
  },
  {
    id: "state-machine/anyone-may-move",
    guarantee: "an illegal move changes neither state nor data",
    file: "src/state-machine/fire.ts",
    find: "if (from.includes(state)) {",
    replace: "if (from.includes(state) || data) {",
    test: "test/state-machine.property.test.ts",
  },
];
