// Broken variants of the fence: small changes to the real source, each of which must make the
// property file fail.

import type { Mutant } from "../support/mutant.ts";

const file = "src/fence/create-fence.ts";
const test = "test/fence.property.test.ts";

export const mutants: readonly Mutant[] = [
  {
    id: "fence/read-then-accept",
    guarantee: "tokens admitted for a resource never decrease",
    file,
    find: 'if (answer.outcome === "applied") {',
    replace: 'if (answer.outcome === "applied" || answer.outcome === "refused") {',
    test,
  },
  {
    id: "fence/judged-by-the-first-read-alone",
    guarantee: "a token is judged by what refused it",
    file,
    find: "const newest = newestToken(entry);",
    replace: "const newest = rounds === 0 ? newestToken(entry) : 0;",
    test,
  },
  {
    id: "fence/forgets",
    guarantee: "a fence does not expire",
    file,
    find: 'ttlMs: "never" } as const',
    replace: "ttlMs: 500 } as const",
    test,
  },
  {
    id: "fence/no-answer-is-an-admission",
    guarantee: "no answer by the deadline is indeterminate",
    file,
    find: 'return { outcome: "indeterminate", cause: answer.cause };',
    replace: "return admitted();",
    test,
  },
  {
    id: "fence/off-by-one",
    guarantee: "a token older than the newest is stale",
    file,
    find: "if (newest > token) {",
    replace: "if (newest > token + 1) {",
    test,
  },
  {
    id: "fence/equal-is-stale",
    guarantee: "a token is stale only beside a newer one",
    file,
    find: "if (newest > token) {",
    replace: "if (newest >= token) {",
    test,
  },
];
