// The scenarios of the register: what fault-free runs answer, that runs repeat, and that every run
// under a fault settles and records what recorded.ts documents.

import { describe, expect, test } from "vitest";
import { operationsOf, returnedBy } from "../../src/scenarios/recorded.ts";
import { registerScenario } from "../../src/scenarios/register.ts";
import type { RegisterVariant } from "../../src/scenarios/register-workloads.ts";
import type { RunResult } from "../../src/scenarios/run.ts";
import { PROFILES, type ProfileId } from "../../src/world/profile.ts";
import {
  type AnyScenario,
  cellsOf,
  expectRepeatable,
  expectShapes,
  fieldsOf,
  linesOf,
  play,
  type Shapes,
  underSingleFaults,
} from "../support/scenario-runs.ts";

const VARIANTS = ["plain", "snapshot", "forgotten"] as const;
const scenarioOf = (variant: RegisterVariant): AnyScenario =>
  registerScenario(variant, variant, variant, []) as unknown as AnyScenario;

const SHAPES: Shapes = {
  "register.update": {
    input: ["client", "requestId", "delta", "withSnapshot"],
    returned: (value) =>
      [
        "updated replayed value",
        "refused reason replayed",
        "expired",
        "contended rounds",
        "indeterminate cause",
      ].includes(fieldsOf(value)),
  },
  "register.get": {
    input: [],
    returned: (value) => value === undefined || typeof value === "number",
  },
};

/** `request [of key]: outcome [value] [again]`. */
const answers = (result: RunResult): { readonly main: string[]; readonly last: string[] } =>
  linesOf(result, ({ method, input, key }, { outcome, value, replayed }) => {
    if (method !== "register.update") {
      return undefined;
    }
    const shelf = key === "shelf-1" ? "" : ` of ${key}`;
    const number = value === undefined ? "" : ` ${value}`;
    return `${input.requestId}${shelf}: ${outcome}${number}${replayed ? " again" : ""}`;
  });

const found = ({ history }: RunResult): readonly unknown[] =>
  operationsOf(history, "register.get")
    .filter(({ by }) => by === "last")
    .map(returnedBy);

const sorted = (lines: readonly string[]): string[] => [...lines].sort();

interface Expected {
  readonly main: readonly string[];
  readonly last: readonly string[];
  /** What `last` reads at first and at the end, in the order of keys. */
  readonly found: readonly (number | undefined)[];
}

const STOCK: Expected = {
  main: [
    "take-1: updated 3",
    "take-1: updated 3 again",
    "take-1 of shelf-2: updated 4",
    "take-2: updated 1",
    "take-3: refused",
    "add-4: updated 4",
    "take-3: refused again",
    "take-1: updated 3 again",
  ],
  last: [
    "take-1: updated 3 again",
    "take-1 of shelf-2: updated 4 again",
    "take-2: updated 1 again",
    "take-3: refused again",
    "add-4: updated 4 again",
  ],
  found: [4, 4, 4, 4],
};

const FILLING = [
  "take-1: updated 19",
  "take-2: updated 17",
  "take-3: updated 14",
  "take-4: updated 10",
];
const FILLED = FILLING.map((line) => `${line} again`);

function windowOf(variant: RegisterVariant, single: boolean): Expected {
  if (!single) {
    return {
      main: [
        ...FILLING,
        "take-2: updated 17 again",
        "take-4: updated 10 again",
        "take-late: updated 5",
      ],
      last: [...FILLED, "take-late: updated 5 again"],
      found: [5, 5],
    };
  }
  if (variant === "snapshot") {
    const late = "take-late: expired";
    return {
      main: [...FILLING, "take-2: expired", "take-4: updated 10 again", late],
      last: ["take-1: expired", "take-2: expired", ...FILLED.slice(2), late],
      found: [10, 10],
    };
  }
  // What was dropped counts as new without a snapshot: the loss that the docs name.
  return {
    main: [...FILLING, "take-2: updated 8", "take-4: updated 10 again", "take-late: updated 3"],
    last: [
      "take-1: updated 2",
      "take-2: updated 0",
      "take-3: refused",
      "take-4: refused",
      "take-late: refused",
    ],
    found: [3, 0],
  };
}

function retentionOf(variant: RegisterVariant, single: boolean): Expected {
  const of9 = (outcome: string): string => `take-9 of shelf-2: ${outcome}`;
  const main = [...FILLING, of9("refused"), of9("refused again")];
  if (variant === "snapshot") {
    const first = single ? "take-2: expired" : "take-2: updated 17 again";
    const later = single ? FILLED.slice(2) : ["take-3: expired", "take-4: expired"];
    return {
      main: [...main, first, first, "take-2: expired", of9("expired")],
      last: ["take-1: expired", "take-2: expired", ...later, of9("expired")],
      found: [10, undefined, 10, undefined],
    };
  }
  const first = single
    ? ["take-2: updated 8", "take-2: updated 8 again", "take-2: updated 8 again"]
    : ["take-2: updated 17 again", "take-2: updated 17 again", "take-2: updated 8"];
  const again = ["take-1: updated 7", "take-2: updated 8 again", "take-3: updated 4"];
  return {
    main: [...main, ...first, of9("refused")],
    last: [...again, "take-4: updated 0", of9("refused again")],
    found: [8, undefined, 0, undefined],
  };
}

function expectedOf(variant: RegisterVariant, workload: string, profile: ProfileId): Expected {
  const single = profile === "single-key";
  switch (workload) {
    case "stock":
      return STOCK;
    case "window":
      return windowOf(variant, single);
    default:
      return retentionOf(variant, single);
  }
}

describe.each(VARIANTS)("register, %s", (variant) => {
  const scenario = scenarioOf(variant);

  test("runs on all profiles without transactions", () => {
    const able = PROFILES.filter(({ transactions }) => transactions === "none");
    expect([...scenario.profiles].sort()).toEqual(able.map(({ id }) => id).sort());
  });

  test("answers as expected without faults", async () => {
    for (const { workload, profile } of cellsOf(scenario)) {
      for (let seed = 0; seed < 5 && workload !== "burst"; seed += 1) {
        const result = await play(scenario, workload, profile, seed);
        const { main, last } = answers(result);
        const what = `${workload} on ${profile}, seed ${seed}`;
        const expected = expectedOf(variant, workload, profile);
        expect(sorted(main), what).toEqual(sorted(expected.main));
        expect(sorted(last), what).toEqual(sorted(expected.last));
        expect(found(result), what).toEqual(expected.found);
        expect(result.events, what).toBeLessThanOrEqual(150);
      }
    }
  });

  test("of a burst one is refused, whichever comes too late", async () => {
    const refused = new Set<string>();
    for (const { workload, profile } of cellsOf(scenario).filter((at) => at.workload === "burst")) {
      for (let seed = 0; seed < 20; seed += 1) {
        const result = await play(scenario, workload, profile, seed);
        const what = `${profile}, seed ${seed}`;
        const { main, last } = answers(result);
        const [first, again] = [main.slice(0, 4), main.slice(4)];
        expect(sorted(again), what).toEqual(sorted(first.map((line) => `${line} again`)));
        expect(sorted(last), what).toEqual(sorted(again));
        expect(found(result), what).toEqual([0, 0]);
        const late = first.filter((line) => line.endsWith(": refused"));
        expect(late, what).toHaveLength(1);
        refused.add(late.join());
      }
    }
    const all = ["take-1: refused", "take-2: refused", "take-3: refused"];
    expect(sorted([...refused])).toEqual(variant === "forgotten" ? [] : all);
  });

  test("repeats", () => expectRepeatable(scenario));

  test("settles under single faults, and records what is documented", () =>
    underSingleFaults(scenario, 200, (result, what) => expectShapes(result, SHAPES, what)));
});
