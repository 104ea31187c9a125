// S9: values return exactly as written, up to the declared size; what can't is refused before
// anything is sent.

import { applied, badArgument, check, refused, same } from "../checks.js";
import type { CaseDefinition } from "../definition.js";

export const VALUES: Readonly<Record<string, string>> = {
  empty: "",
  spaces: "  \t leading and trailing \n ",
  nul: "\u0000",
  "nul inside": "before\u0000after",
  "nul at the end": "before\u0000",
  json: '{"a":[1,null,"é"],"b":"\\u0000"}',
  "number-like": "007",
  "number-like, large": "90071992547409931234",
  "number-like, exponent": "1e3",
  boolean: "true",
  null: "null",
  emoji: "😀👨‍👩‍👧",
  "not normalised": "e\u0301 \u212b ﬁ",
  quotes: "'\"`\\'';--$1\u0024{a}%s",
  newlines: "a\r\nb\rc\nd\u2028e",
  controls: "\u0001\u001b[31m\u007f\u0080",
  "byte order mark": "\ufeffvalue",
  noncharacters: "\uffff\ufffe\u{10ffff}",
};

/** Every code unit but the surrogates, which come in pairs. */
function everyCodeUnit(): string {
  let text = "";
  for (let unit = 0; unit <= 0xffff; unit += 1) {
    if (unit < 0xd800 || unit > 0xdfff) {
      text += String.fromCharCode(unit);
    }
  }
  return `${text}\u{10000}\u{1f600}\u{10ffff}`;
}

export const s9: readonly CaseDefinition[] = [
  {
    id: "S9.1-exact",
    law: "values return exactly as written, by creates and by compare-and-sets",
    async run(lab) {
      for (const [name, value] of Object.entries(VALUES)) {
        await lab.seed(name, value);
        const { entry } = await lab.peer.read(name);
        check(entry?.value === value, `the value "${name}" came back altered`, entry?.value);
        const incumbent = refused(await lab.create(name), "a second create").entry;
        const told = incumbent?.value ?? value;
        check(told === value, `a refusal altered "${name}"`, told);
        const { stamp } = await lab.seed(`set ${name}`, "first");
        await lab.set(`set ${name}`, stamp, value);
        const set = (await lab.peer.read(`set ${name}`)).entry?.value;
        check(set === value, `the value "${name}", set over another, came back altered`, set);
      }
    },
  },
  {
    id: "S9.2-every-character",
    law: "a value of every character returns exactly as written",
    async run(lab) {
      const value = everyCodeUnit();
      await lab.seed("k", value);
      check((await lab.read("k")).entry?.value === value, "the value came back altered");
    },
  },
  {
    id: "S9.3-one-mebibyte",
    law: "a value of 1 MiB returns exactly as written, by reads and by refusals",
    async run(lab) {
      const value = "0123456789abcdef".repeat(2 ** 16);
      await lab.seed("k", value);
      check((await lab.read("k")).entry?.value === value, "the value came back altered");
      const { entry } = refused(await lab.create("k"), "a second create");
      check((entry?.value ?? value) === value, "a refusal altered the value");
    },
  },
  {
    id: "S9.4-touched",
    law: "a large value survives a touch exactly",
    async run(lab) {
      const value = "é😀".repeat(100_000);
      const { stamp } = await lab.seed("k", value, 60_000);
      const touch = await lab.stamped("k", stamp, { touch: true, ttlMs: 60_000 });
      applied(touch, "the touch");
      check((await lab.read("k")).entry?.value === value, "the value came back altered");
    },
  },
  {
    id: "S9.5-largest",
    law: "a value of exactly the declared size is accepted, counted in UTF-8 bytes",
    async run(lab) {
      const { maxValueBytes } = lab.store.capabilities;
      check(maxValueBytes >= 2 ** 20, "at least 1 MiB must be declared", maxValueBytes);
      for (const [name, unit, bytes] of [
        ["one byte", "a", 1],
        ["two bytes", "é", 2],
        ["three bytes", "€", 3],
        ["four bytes", "😀", 4],
      ] as const) {
        const count = Math.floor(maxValueBytes / bytes);
        const value = unit.repeat(count) + "a".repeat(maxValueBytes - count * bytes);
        await lab.seed(name, value);
        check((await lab.read(name)).entry?.value === value, `${name}: it came back altered`);
      }
    },
  },
  {
    id: "S9.6-too-large",
    law: "a value one byte beyond the declared size is a TypeError and writes nothing",
    async run(lab) {
      const { maxValueBytes } = lab.store.capabilities;
      const { stamp } = await lab.seed("set", "first");
      for (const unit of ["a", "é", "😀"]) {
        const bytes = unit === "a" ? 1 : unit === "é" ? 2 : 4;
        const value = unit.repeat(Math.floor(maxValueBytes / bytes)) + "a".repeat(bytes);
        await badArgument(lab.create("created", value), "a create with a value too large");
        const set = lab.stamped("set", stamp, { value, ttlMs: "never" });
        await badArgument(set, "a compare-and-set with a value too large");
      }
      same((await lab.read("created")).entry, undefined, "the key after a refused create");
      same((await lab.read("set")).entry?.value, "first", "the value after a refused set");
    },
  },
  {
    id: "S9.7-lone-surrogates",
    law: "a value with a lone surrogate is a TypeError and writes nothing",
    async run(lab) {
      const { stamp } = await lab.seed("set", "first");
      for (const value of ["\ud800", "a\udc00", "\udc00\ud800", `${"a".repeat(1_000)}\ud83d`]) {
        await badArgument(lab.create("created", value), "a create with a lone surrogate");
        const set = lab.stamped("set", stamp, { value, ttlMs: "never" });
        await badArgument(set, "a compare-and-set with a lone surrogate");
      }
      same((await lab.read("created")).entry, undefined, "the key after a refused create");
      same((await lab.read("set")).entry?.value, "first", "the value after a refused set");
    },
  },
  {
    id: "S9.8-restart",
    law: "values return exactly as written after a restart",
    needs: ["restart", "durable"],
    async run(lab) {
      const large = "é😀".repeat(10_000);
      await lab.seed("large", large);
      for (const [name, value] of Object.entries(VALUES)) {
        const { stamp } = await lab.seed(name, "first", 600_000);
        await lab.set(name, stamp, value, "keep");
      }
      await lab.restart();
      check((await lab.read("large")).entry?.value === large, "a large value came back altered");
      for (const [name, value] of Object.entries(VALUES)) {
        const { entry } = await lab.read(name);
        check(entry?.value === value, `the value "${name}" came back altered`, entry?.value);
      }
    },
  },
];
