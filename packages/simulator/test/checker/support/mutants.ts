// Broken variants of the checker, as changes of its text: what the fuzz must find.

export interface CheckerMutant {
  readonly name: string;
  /** Of `src/checker`; text that occurs once, and what takes its place. */
  readonly changes: readonly {
    readonly file: string;
    readonly find: string;
    readonly put: string;
  }[];
}

export const NARROW = {
  file: "configurations.ts",
  find: "return mix(hash);",
  put: "return mix(hash) & 1;",
};

/** Many short turns, and a scout from the start. */
export const HASTY = [
  { file: "check.ts", find: "const FIRST_TURN = 256;", put: "const FIRST_TURN = 2;" },
  {
    file: "partition-search.ts",
    find: "const SCOUT_AFTER = 4_096;",
    put: "const SCOUT_AFTER = 1;",
  },
];

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
    name: "lets its scout forget what had not returned",
    changes: [
      ...HASTY,
      {
        file: "partition-search.ts",
        find: "({ invokedAt }) => invokedAt <= time",
        put: "({ returnedAt }) => returnedAt !== undefined && returnedAt <= time",
      },
    ],
  },
  {
    name: "lets its scout see the future",
    changes: [
      ...HASTY,
      {
        file: "partition-search.ts",
        find: "this.#scout = new Search(this.#model, until(this.history, reached));",
        put: "this.#scout = new Search(this.#model, this.history.filter((each) => (each.returnedAt ?? 0) >= reached));",
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
