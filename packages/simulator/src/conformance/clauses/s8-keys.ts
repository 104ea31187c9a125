// S8: keys are compared byte for byte, and namespaces never meet.

import { applied, badArgument, check, same } from "../checks.js";
import type { CaseDefinition } from "../definition.js";
import type { Lab } from "../lab.js";

const LONG_LENGTHS = [64, 255, 256, 768, 1_024, 3_072, 10_000, 70_000];

export const KEYS = {
  case: ["key", "Key", "KEY", "ß", "ss", "SS", "i", "I", "ı", "İ", "ſ", "s"],
  spaces: [
    "a",
    "a ",
    "a  ",
    " a",
    "a\t",
    "\ta",
    "a\u00a0",
    "a\u3000",
    " ",
    "  ",
    "\u200b",
    "a\u200b",
  ],
  accents: ["e", "é", "e\u0301", "ê", "È", "ñ", "n\u0303", "ﬁ", "fi", "Å", "\u212b", "A\u030a"],
  emoji: ["😀", "😁", "👍", "👍🏽", "👨‍👩‍👧", "👨👩👧", "\ufffd", "𝒂", "a"],
  punctuation: [
    "{a}",
    "{a}b",
    "{}",
    "{",
    "a:b",
    "a:b:",
    ":a",
    "a%",
    "%",
    "_",
    "a_",
    "*",
    "?",
    "[a]",
  ],
  quotes: [
    "'",
    "''",
    '"',
    "`",
    "\\",
    "\\\\",
    "\\'",
    "';--",
    "a'b",
    "$1",
    "\u0024{a}",
    "a/b",
    "../a",
  ],
  newlines: ["a\nb", "a\rb", "a\r\nb", "ab", "a\\nb", "a\u2028b", "a\u0085b", "\n", "\r"],
  nul: ["a\u0000", "a\u0000b", "a\u0000c", "\u0000", "\u0000\u0000", "a", "a\u0001", "a\\u0000"],
  names: [
    "__proto__",
    "constructor",
    "toString",
    "null",
    "undefined",
    "0",
    "00",
    "-0",
    "1e3",
    "1000",
  ],
  prefixes: ["1:a", "1:a1:b", "1:ab", "2:ab", "3:a:b", "a,b", "a|b", "a\u001fb"],
} as const;

/** Gives each key a value of its own, and fails unless each keeps it. */
async function distinct(lab: Lab, keys: readonly string[]): Promise<void> {
  const unique = [...new Set(keys)];
  for (const [index, key] of unique.entries()) {
    const result = await lab.create(key, `value ${index}`);
    applied(result, `a create of key ${JSON.stringify(key.slice(-40))}, beside its like,`);
  }
  for (const [index, key] of unique.entries()) {
    const { entry } = await lab.peer.read(key);
    same(entry?.value, `value ${index}`, `the value of key ${JSON.stringify(key.slice(-40))}`);
  }
}

const LAWS: Readonly<Record<keyof typeof KEYS, string>> = {
  case: "keys that differ only in case are distinct",
  spaces: "keys that differ only in leading or trailing spaces are distinct",
  accents: "keys that differ only in accents or normal form are distinct",
  emoji: "keys of characters beyond the basic plane are distinct",
  punctuation: "keys with braces, colons, percent signs and wildcards are distinct",
  quotes: "keys with quotes, backslashes and slashes are distinct",
  newlines: "keys with newlines are distinct",
  nul: "keys with U+0000 are distinct and not cut there",
  names: "keys that look like names or numbers of a language are distinct",
  prefixes: "keys that look like an encoding of several parts are distinct",
};

const alphabet: readonly CaseDefinition[] = Object.entries(KEYS).map(([name, keys], index) => ({
  id: `S8.${index + 1}-${name}`,
  law: LAWS[name as keyof typeof KEYS],
  run: (lab) => distinct(lab, keys),
}));

export const s8: readonly CaseDefinition[] = [
  ...alphabet,
  {
    id: "S8.20-long",
    law: "over-long keys that differ only at their end are distinct",
    run: (lab) =>
      distinct(
        lab,
        LONG_LENGTHS.flatMap((length) =>
          ["a", "b", "A", ""].map((end) => "k".repeat(length) + end),
        ),
      ),
  },
  {
    id: "S8.21-long-characters",
    law: "over-long keys of multi-byte characters are distinct",
    run: (lab) =>
      distinct(
        lab,
        LONG_LENGTHS.flatMap((length) => ["é", "ê", "😀"].map((end) => "é".repeat(length) + end)),
      ),
  },
  {
    id: "S8.22-neighbours",
    law: "a write to one key leaves its neighbours as they are",
    async run(lab) {
      const { stamp } = await lab.seed("key");
      await lab.seed("Key", "neighbour");
      await lab.seed("key ", "neighbour");
      await lab.remove("key", stamp);
      for (const neighbour of ["Key", "key "]) {
        same((await lab.read(neighbour)).entry?.value, "neighbour", "the neighbour's value");
      }
      same((await lab.read("key")).entry, undefined, "the removed entry");
    },
  },
  {
    id: "S8.23-bad-keys",
    law: "an empty key, a lone surrogate and what is no string are TypeErrors",
    async run(lab) {
      for (const key of ["", "\ud800", "a\udc00b", 1, null, undefined, {}] as string[]) {
        const what = `key ${JSON.stringify(key)}`;
        await badArgument(lab.read(key), `a read of ${what}`);
        await badArgument(lab.create(key), `a create of ${what}`);
      }
    },
  },
  {
    id: "S8.24-namespaces",
    law: "two namespaces never meet",
    needs: ["otherNamespace"],
    async run(lab) {
      const { otherNamespace } = lab.fixture;
      check(otherNamespace !== undefined, "the harness has no other namespace");
      await lab.seed("k", "here");
      same((await otherNamespace.read("k")).entry, undefined, "the key in the other namespace");
      const write = lab.createWrite("k", "there");
      applied(await otherNamespace.write(write), "a create in the other namespace");
      same((await lab.read("k")).entry?.value, "here", "the value here");
    },
  },
  {
    id: "S8.25-namespace-tail",
    law: "namespaces never meet where one's name and a key, joined, look like the other's",
    needs: ["otherNamespace", "otherNamespaceTail"],
    async run(lab) {
      const { otherNamespace, otherNamespaceTail: tail = "" } = lab.fixture;
      check(otherNamespace !== undefined, "the harness has no other namespace");
      check(tail !== "", "the harness' otherNamespaceTail must not be empty");
      const separator = tail.slice(0, 1);
      // Joined as they are, with the tail's first character between, or with none on one side.
      const there = ["k", `${separator}k`];
      const here = [
        `${tail}k`,
        `${tail}${separator}k`,
        `${tail.slice(1)}${separator}k`,
        `${tail.slice(1)}k`,
      ];
      for (const key of there) {
        applied(await otherNamespace.write(lab.createWrite(key, "there")), "a create there");
      }
      for (const key of here) {
        same((await lab.read(key)).entry, undefined, `key ${JSON.stringify(key)} here`);
        applied(await lab.create(key, "here"), `a create of key ${JSON.stringify(key)} here`);
      }
      for (const key of there) {
        const { entry } = await otherNamespace.read(key);
        same(entry?.value, "there", `the value of ${JSON.stringify(key)} there`);
      }
    },
  },
];
