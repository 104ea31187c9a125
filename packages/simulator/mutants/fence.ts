// Broken variants of the fence.

import type { Mutant } from "../src/mutants/mutant.ts";

export const mutants: readonly Mutant[] = [
  {
    id: "fence/read-then-accept",
    family: "check-then-act",
    guarantee: "tokens admitted for a resource never decrease",
    file: "src/fence/create-fence.ts",
    find: 'if (answer.outcome === "applied") {',
    replace: 'if (answer.outcome === "applied" || answer.outcome === "refused") {',
    test: "test/fence.property.test.ts",
  },
  {
    id: "fence/judged-by-the-first-read-alone",
    family: "check-then-act",
    guarantee: "a token is judged by what refused it",
    file: "src/fence/create-fence.ts",
    find: "const newest = newestToken(entry);",
    replace: "const newest = rounds === 0 ? newestToken(entry) : 0;",
    test: "test/fence.property.test.ts",
  },
  {
    id: "fence/forgets",
    family: "evidence-lost",
    guarantee: "a fence does not expire",
    file: "src/fence/create-fence.ts",
    find: 'ttlMs: "never" } as const',
    replace: "ttlMs: 500 } as const",
    test: "test/fence.property.test.ts",
  },
  {
    id: "fence/no-answer-is-an-admission",
    family: "unknown-taken-for-an-answer",
    guarantee: "no answer by the deadline is indeterminate",
    file: "src/fence/create-fence.ts",
    find: 'return { outcome: "indeterminate", cause: answer.cause };',
    replace: "return admitted();",
    test: "test/fence.property.test.ts",
  },
  {
    id: "fence/off-by-one",
    family: "token-order",
    guarantee: "a token older than the newest is stale",
    file: "src/fence/create-fence.ts",
    find: "if (newest > token) {",
    replace: "if (newest > token + 1) {",
    test: "test/fence.property.test.ts",
  },
  {
    id: "fence/equal-is-stale",
    family: "token-order",
    guarantee: "a token is stale only beside a newer one",
    file: "src/fence/create-fence.ts",
    find: "if (newest > token) {",
    replace: "if (newest >= token) {",
    test: "test/fence.property.test.ts",
  },
];
