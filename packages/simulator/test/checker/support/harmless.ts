// Variants of the checker that only change how long it takes: the control, in which the fuzz must
// find nothing.

import { type CheckerMutant, HASTY, NARROW } from "./mutants.ts";

export const harmless: readonly CheckerMutant[] = [
  { name: "it stops often and scouts early", changes: HASTY },
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
