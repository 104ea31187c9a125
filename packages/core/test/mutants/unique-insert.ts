// Broken variants of unique inserts: small changes to the real source, each of which must make the
// property file fail.

import type { Mutant } from "../support/mutant.ts";

export const mutants: readonly Mutant[] = [
  {
    id: "unique-insert/keys-one-after-another",
    guarantee: "all keys or none",
    file: "src/unique-insert/insert.ts",
    find: "const answer = await sendStep(base, about, opId, writes as [WriteWithoutOpId], signal);",
    replace:
      'let answer = await sendStep(base, about, opId, [writes[0] as WriteWithoutOpId], signal); if (answer.outcome === "applied" && writes[1]) { answer = await sendStep(base, about, opId, [writes[1] as WriteWithoutOpId], signal); }',
    test: "test/unique-insert.property.test.ts",
  },
  {
    id: "unique-insert/creator-known-by-content",
    guarantee: "the creator is always recognised, and nobody else is",
    file: "src/unique-insert/insert.ts",
    find: "if (header.by === mine.by && ",
    replace: "if (",
    test: "test/unique-insert.property.test.ts",
  },
  {
    id: "unique-insert/creator-not-recognised",
    guarantee: "the creator is always recognised, also after lost replies",
    file: "src/unique-insert/insert.ts",
    find: "by: logId(requestId, opId), keys",
    replace: "by: opId, keys",
    test: "test/unique-insert.property.test.ts",
  },
  {
    id: "unique-insert/exists-by-value-alone",
    guarantee: "exists means the same value under the same keys",
    file: "src/unique-insert/insert.ts",
    find: "if (fingerprintOf([header.keys, value]) === fingerprint) {",
    replace: "if (fingerprintOf([mine.keys, value]) === fingerprint) {",
    test: "test/unique-insert.property.test.ts",
  },
  {
    id: "unique-insert/conflict-blames-the-first-key",
    guarantee: "conflict names the key that another value holds",
    file: "src/unique-insert/insert.ts",
    find: 'key: mine.keys[index]?.[0] ?? ""',
    replace: "key: mine.keys[0][0]",
    test: "test/unique-insert.property.test.ts",
  },
];
