// Broken variants of unique inserts.

import type { Mutant } from "../src/mutants/mutant.ts";

export const mutants: readonly Mutant[] = [
  {
    id: "unique-insert/keys-one-after-another",
    family: "all-or-nothing-broken",
    guarantee: "all keys or none",
    file: "src/unique-insert/insert.ts",
    find: "const answer = await sendStep(base, about, opId, writes as [WriteWithoutOpId], signal);",
    replace:
      'let answer = await sendStep(base, about, opId, [writes[0] as WriteWithoutOpId], signal); if (answer.outcome === "applied" && writes[1]) { answer = await sendStep(base, about, opId, [writes[1] as WriteWithoutOpId], signal); }',
    test: "test/unique-insert.property.test.ts",
    textbook: "multi-key insert written one by one",
  },
  {
    id: "unique-insert/creator-known-by-content",
    family: "identity-confused",
    guarantee: "the creator is always recognised, and nobody else is",
    file: "src/unique-insert/insert.ts",
    find: "if (header.by === mine.by && ",
    replace: "if (",
    test: "test/unique-insert.property.test.ts",
  },
  {
    id: "unique-insert/creator-not-recognised",
    family: "request-forgotten",
    guarantee: "the creator is always recognised, also after lost replies",
    file: "src/unique-insert/insert.ts",
    find: "by: logId(requestId, opId), keys",
    replace: "by: opId, keys",
    test: "test/unique-insert.property.test.ts",
  },
  {
    id: "unique-insert/exists-by-value-alone",
    family: "identity-confused",
    guarantee: "exists means the same value under the same keys",
    file: "src/unique-insert/insert.ts",
    find: "if (fingerprintOf([header.keys, value]) === fingerprint) {",
    replace: "if (fingerprintOf([mine.keys, value]) === fingerprint) {",
    test: "test/unique-insert.property.test.ts",
  },
  {
    id: "unique-insert/conflict-blames-the-first-key",
    family: "identity-confused",
    guarantee: "conflict names the key that another value holds",
    file: "src/unique-insert/insert.ts",
    find: 'key: mine.keys[index]?.[0] ?? ""',
    replace: "key: mine.keys[0][0]",
    test: "test/unique-insert.property.test.ts",
  },
  {
    id: "unique-insert/query-then-insert",
    family: "check-then-act",
    guarantee: "one value per key, and it never changes",
    file: "src/unique-insert/insert.ts",
    find: "const answer = await sendStep(base, about, opId, writes as [WriteWithoutOpId], signal);",
    replace:
      'const found = await Promise.all(writes.map(({ key }) => store.read(key)));\n  const taken = found.findIndex((each) => each.entry !== undefined);\n  let answer: Awaited<ReturnType<typeof sendStep>> =\n    taken < 0\n      ? await sendStep(base, about, opId, writes as [WriteWithoutOpId], signal)\n      : { outcome: "refused", index: taken, ...found[taken]! };\n  const blind = [...writes] as WriteWithoutOpId[];\n  while (taken < 0 && answer.outcome === "refused" && answer.entry) {\n    const { index = 0, entry } = answer;\n    blind[index] = { ...blind[index]!, expect: entry.stamp } as WriteWithoutOpId;\n    answer = await sendStep(base, about, randomId(runtime), blind as [WriteWithoutOpId], signal);\n  }',
    test: "test/unique-insert.property.test.ts",
    textbook: "query-then-insert",
  },
];
