// Broken variants of the checker, as changes of its text, and harmless ones as the control: what
// the fuzz must find, and what it must not find.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Check } from "./fuzz.ts";

export interface CheckerMutant {
  readonly name: string;
  /** Of `src/checker`; text that occurs once, and what takes its place. */
  readonly changes: readonly {
    readonly file: string;
    readonly find: string;
    readonly put: string;
  }[];
}

const NARROW = {
  file: "configurations.ts",
  find: "return mix(hash);",
  put: "return mix(hash) & 1;",
};

export const broken: readonly CheckerMutant[] = [
  {
    name: "places greedily whatever leaves the state unchanged just now",
    changes: [{ file: "search.ts", find: "readOnly[operation] === true &&", put: "" }],
  },
  {
    name: "places read-only operations greedily even where their answer is wrong",
    changes: [
      {
        file: "search.ts",
        find: "this.#ask(base, operation) === data[base + STATE]",
        put: "this.#ask(base, operation) !== -7",
      },
    ],
  },
  {
    name: "of identical unknown operations tries the latest only",
    changes: [
      {
        file: "search.ts",
        find: "(twin >= 0 && !this.#isUsed(base, twin))",
        put: "(this.#problem.twins.includes(index) && !this.#isUsed(base, this.#problem.twins.indexOf(index)))",
      },
    ],
  },
  {
    name: "takes unknown operations of one kind for identical",
    changes: [
      { file: "problem.ts", find: "const hash = hashData(input);", put: "const hash = 0;" },
      { file: "problem.ts", find: "sameData(unknown[each]?.input, input)", put: "each >= 0" },
    ],
  },
  {
    name: "drops unknown operations altogether",
    changes: [
      {
        file: "problem.ts",
        find: "model.isReadOnly?.(operation.input, undefined) !== true",
        put: "operation.invokedAt === -1",
      },
    ],
  },
  {
    name: "holds an unknown operation for one that must take effect",
    changes: [
      {
        file: "problem.ts",
        find: "if (isCompleted(operation)) {\n      completed.push(operation);",
        put: "if (true) {\n      completed.push({ ...operation, returnedAt: operation.returnedAt ?? Infinity });",
      },
    ],
  },
  {
    name: "lets an unknown operation take effect before it was invoked",
    changes: [
      {
        file: "problem.ts",
        find: "while (before < unknown.length && invokedAt(unknown, before) <= returnedAt) {",
        put: "while (before < unknown.length) {",
      },
    ],
  },
  {
    name: "lets an unknown operation take effect twice",
    changes: [{ file: "search.ts", find: "if (this.#isUsed(base, index) || ", put: "if (" }],
  },
  {
    name: "drops an unknown operation where it changes something",
    changes: [
      {
        file: "search.ts",
        find: "if (next !== this.#met.data[base + STATE]) {",
        put: "if (next === this.#met.data[base + STATE]) {",
      },
    ],
  },
  {
    name: "remembers configurations by their hash alone",
    changes: [
      NARROW,
      {
        file: "configurations.ts",
        find: "if (this.#dominates(other - 1, id)) {",
        put: "if (this.#hash(other - 1) === this.#hash(id)) {",
      },
    ],
  },
  {
    name: "remembers configurations without their state",
    changes: [
      NARROW,
      {
        file: "configurations.ts",
        find: " || data[a + STATE] !== data[b + STATE]",
        put: "",
      },
    ],
  },
  {
    name: "remembers configurations without the mask of what is placed",
    changes: [
      NARROW,
      {
        file: "configurations.ts",
        find: "for (let index = MASK; index < this.unknownAt; index += 1) {\n      if",
        put: "for (let index = this.unknownAt; index < this.unknownAt; index += 1) {\n      if",
      },
    ],
  },
  {
    name: "lets a configuration dominate one that used up less",
    changes: [
      {
        file: "configurations.ts",
        find: "((data[a + index] as number) & ~(data[b + index] as number)) !== 0",
        put: "((data[b + index] as number) & ~(data[a + index] as number)) !== 0",
      },
    ],
  },
  {
    name: "stops one operation too early",
    changes: [
      {
        file: "search.ts",
        find: "return first === completed;",
        put: "return first >= completed - 1;",
      },
    ],
  },
  {
    name: "tries every other candidate only",
    changes: [{ file: "search.ts", find: "level.cursor += 1;", put: "level.cursor += 2;" }],
  },
  {
    name: "takes operations that touch at one instant for ordered",
    changes: [
      {
        file: "problem.ts",
        find: "if (invokedAt(completed, rank) > returnedAt) {",
        put: "if (rank > first && invokedAt(completed, rank) >= returnedAt) {",
      },
    ],
  },
  {
    name: "ignores real time",
    changes: [
      {
        file: "problem.ts",
        find: "if (invokedAt(completed, rank) > returnedAt) {",
        put: "if (rank < 0) {",
      },
    ],
  },
  {
    name: "leaves the slots of what is placed in use",
    changes: [
      {
        file: "search.ts",
        find: "clearBit(data, base + MASK, slots[first] as number);\n",
        put: "",
      },
    ],
  },
  {
    name: "looks at one of several next states only",
    changes: [
      {
        file: "search.ts",
        find: "of this.#transitions.set(next)",
        put: "of this.#transitions.set(next).slice(0, 1)",
      },
    ],
  },
  {
    name: "remembers a step under another operation",
    changes: [
      {
        file: "transitions.ts",
        find: "const at = state * this.#operations.length + operation;",
        put: "const at = state * (this.#operations.length - 1) + operation;",
      },
    ],
  },
  {
    name: "looks at the first partition only",
    changes: [
      {
        file: "check.ts",
        find: "for (const part of open) {",
        put: "for (const part of open.slice(0, 1)) {",
      },
    ],
  },
  {
    name: "does not partition",
    changes: [
      {
        file: "check.ts",
        find: "if (model.partitionKey(input) !== key) {",
        put: "if (false) {",
      },
    ],
  },
  {
    name: "takes states with the same hash for equal",
    changes: [
      {
        file: "states.ts",
        find: "const hash = this.#hash(state);",
        put: "const hash = this.#hash(state) & 1;",
      },
      {
        file: "states.ts",
        find: "if (this.#equals(this.list[id] as State, state)) {",
        put: "if (id >= 0) {",
      },
    ],
  },
];

export const harmless: readonly CheckerMutant[] = [
  { name: "as it is", changes: [] },
  { name: "a hash of one bit", changes: [NARROW] },
  {
    name: "nothing is placed greedily",
    changes: [{ file: "search.ts", find: "readOnly[operation] === true &&", put: "first < 0 &&" }],
  },
  {
    name: "identical unknown operations are tried in any order",
    changes: [
      { file: "search.ts", find: "(twin >= 0 && !this.#isUsed(base, twin))", put: "twin === -7" },
    ],
  },
  {
    name: "unknown operations are tried where they change nothing",
    changes: [
      {
        file: "search.ts",
        find: "if (next !== this.#met.data[base + STATE]) {",
        put: "if (next !== -7) {",
      },
    ],
  },
  {
    name: "no configuration is dominated",
    changes: [
      {
        file: "configurations.ts",
        find: "if (this.#dominates(other - 1, id)) {",
        put: "if (id < 0) {",
      },
    ],
  },
  {
    name: "no step is remembered",
    changes: [{ file: "transitions.ts", find: "if (known !== 0) {", put: "if (known === -7) {" }],
  },
];

const root = fileURLToPath(new URL("../../../../../", import.meta.url));
const folder = `${root}packages/simulator/src/checker/`;

function changed(text: string, { name, changes }: CheckerMutant, file: string): string {
  return changes
    .filter((change) => file.endsWith(`/checker/${change.file}`))
    .reduce((before, { find, put }) => {
      const parts = before.split(find);
      if (parts.length !== 2) {
        throw new Error(`${name}: what it replaces occurs ${parts.length - 1} times in ${file}`);
      }
      return parts.join(put);
    }, text);
}

/** The checker with these changes; nothing is written to the tree. */
export async function load(mutant: CheckerMutant): Promise<Check> {
  const { outputFiles } = await build({
    entryPoints: [`${folder}check.ts`],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    mainFields: ["module", "main"],
    alias: { "@onceproof/core/advanced": `${root}packages/core/src/advanced.ts` },
    plugins: [
      {
        name: "mutant",
        setup({ onLoad }) {
          onLoad({ filter: /[\\/]src[\\/]checker[\\/][a-z-]+\.ts$/ }, ({ path }) => {
            const file = path.replaceAll("\\", "/");
            return { contents: changed(readFileSync(path, "utf8"), mutant, file), loader: "ts" };
          });
        },
      },
    ],
  });
  // The name keeps the whole text out of a stack trace.
  const named = `${outputFiles[0]!.text}\n//# sourceURL=${mutant.name.replaceAll(" ", "-")}.js`;
  const text = Buffer.from(named).toString("base64");
  const module: { checkHistory: Check } = await import(
    /* @vite-ignore */ `data:text/javascript;base64,${text}`
  );
  return module.checkHistory;
}
