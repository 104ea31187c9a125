// Broken variants of the register: small changes to the real source, each of which must make the
// property file fail.

import type { Mutant } from "../support/mutant.ts";

export const mutants: readonly Mutant[] = [
  {
    id: "register/window-is-not-looked-at",
    guarantee: "fn takes effect at most once per requestId",
    file: "src/shared/decide-once.ts",
    find: 'log, logId(requestId, "")',
    replace: 'log, logId(undefined, "")',
    test: "test/register.property.test.ts",
  },
  {
    id: "register/own-entry-outlived-by-its-snapshot",
    guarantee: "a request that may have been forgotten is expired, not run again",
    file: "src/shared/entity-options.ts",
    find: "recordTtlMs: retentionMs + slackMs,",
    replace: "recordTtlMs: retentionMs / 4,",
    test: "test/register.property.test.ts",
  },
  {
    id: "register/absent-snapshot-is-written-under",
    guarantee: "a request gets the same answer again, refusals included",
    file: "src/shared/decide-once.ts",
    find: "let seen = snapshot?.entry ? snapshot : await look(store, at);",
    replace: "let seen = snapshot ?? (await look(store, at));",
    test: "test/register.property.test.ts",
  },
  {
    id: "register/age-counts-from-the-retry",
    guarantee: "a request that may have been forgotten is expired, not run again",
    file: "src/shared/decide-once.ts",
    find: "const earliest = snapshot ?? seen;",
    replace: "const earliest = seen;",
    test: "test/register.property.test.ts",
  },
  {
    id: "register/refusals-are-not-recorded",
    guarantee: "refusals are recorded and replayed",
    file: "src/register/update.ts",
    find: "return { answer: { reason }, next: undefined, record: true };",
    replace: "return { answer: { reason }, next: undefined, record: false };",
    test: "test/register.property.test.ts",
  },
  {
    id: "register/window-forgets-what-it-dropped",
    guarantee: "a request that may have been dropped is expired, not run again",
    file: "src/shared/decide-once.ts",
    find: "(!ownKey && earliest.revision <= log.dropped)",
    replace: "(!ownKey && earliest.revision < log.dropped)",
    test: "test/register.property.test.ts",
  },
];
