// The scenarios of the unique insert: what fault-free runs answer, that runs repeat, and that every
// run under a fault settles and records what recorded.ts documents.

import { describe, expect, test } from "vitest";
import { operationsOf, returnedBy } from "../../src/scenarios/recorded.ts";
import type { RunResult } from "../../src/scenarios/run.ts";
import { uniqueInsertScenario } from "../../src/scenarios/unique-insert.ts";
import type { UniqueVariant } from "../../src/scenarios/unique-insert-workloads.ts";
import { PROFILES } from "../../src/world/profile.ts";
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

const VARIANTS = ["oneKey", "twoKeys"] as const;
const scenarioOf = (variant: UniqueVariant): AnyScenario =>
  uniqueInsertScenario(variant, variant, variant, []) as unknown as AnyScenario;

const SHAPES: Shapes = {
  "unique.insert": {
    input: ["client", "requestId", "keys", "value"],
    returned: (value) =>
      [
        "created value",
        "replayed value",
        "exists value",
        "conflict key",
        "indeterminate cause",
      ].includes(fieldsOf(value)),
  },
  "unique.get": {
    input: ["name", "uniqueKey"],
    returned: (value) =>
      value === undefined ||
      Object.keys(value as object)
        .sort()
        .join() === "keys,value",
  },
};

/** `request or client: outcome [amount or key]`. */
const answers = (result: RunResult): { readonly main: string[]; readonly last: string[] } =>
  linesOf(result, ({ method, input }, { outcome, value, key }) => {
    if (method !== "unique.insert") {
      return undefined;
    }
    const { amount } = (value ?? {}) as { readonly amount?: number };
    return `${input.requestId ?? input.client}: ${outcome} ${amount ?? key}`;
  });

/** What `last` finds under each key: the keys and the amount that were inserted together. */
const found = ({ history }: RunResult): readonly string[] =>
  operationsOf(history, "unique.get").map((operation) => {
    const { value, keys } = returnedBy(operation) ?? {};
    const amount = value === undefined ? "" : (value as { readonly amount: number }).amount;
    const together = Object.values((keys ?? {}) as Record<string, string>).join("+");
    return `${operation.input.uniqueKey}: ${together} ${amount}`;
  });

const sorted = (lines: readonly string[]): string[] => [...lines].sort();

interface Expected {
  readonly main: readonly string[];
  readonly last: readonly string[];
  readonly found: readonly string[];
}

const EXPECTED: Readonly<Record<string, Expected>> = {
  "oneKey retries": {
    main: [
      "insert-1: created 100",
      "insert-1: replayed 100",
      "insert-2: conflict key",
      "insert-3: exists 100",
      "dora: created 100",
      "bob: exists 100",
      "insert-1: replayed 100",
      "insert-2: conflict key",
    ],
    last: ["insert-1: replayed 100", "insert-2: conflict key", "insert-3: exists 100"],
    found: ["o1: o1 100", "o2: o2 100"],
  },
  "oneKey late": {
    main: [
      "insert-1: created 100",
      "insert-2: conflict key",
      "insert-1: replayed 100",
      "insert-1: replayed 100",
      "insert-2: conflict key",
    ],
    last: ["insert-1: replayed 100", "insert-2: conflict key"],
    found: ["o1: o1 100"],
  },
  "twoKeys retries": {
    main: [
      "insert-1: created 100",
      "insert-1: replayed 100",
      "insert-2: conflict order",
      "insert-3: conflict transaction",
      "insert-4: exists 100",
      "insert-5: created 100",
      "insert-1: replayed 100",
      "insert-3: conflict order",
    ],
    last: [
      "insert-1: replayed 100",
      "insert-2: conflict order",
      "insert-3: conflict order",
      "insert-4: exists 100",
      "insert-5: replayed 100",
    ],
    found: ["t1: o1+t1 100", "o1: o1+t1 100", "t2: o2+t2 100", "o2: o2+t2 100"],
  },
  "twoKeys late": {
    main: [
      "insert-1: created 100",
      "insert-2: conflict transaction",
      "insert-1: replayed 100",
      "insert-1: replayed 100",
      "insert-2: conflict transaction",
    ],
    last: ["insert-1: replayed 100", "insert-2: conflict transaction"],
    found: ["t1: o1+t1 100", "o1: o1+t1 100", "o2:  "],
  },
};

/** Which requests can win a race together. */
const WINNERS: Readonly<Record<UniqueVariant, readonly string[]>> = {
  oneKey: ["insert-1", "insert-2", "insert-3"],
  twoKeys: ["insert-1,insert-4", "insert-2,insert-3"],
};

const winnersOf = (lines: readonly string[]): string =>
  sorted(lines)
    .flatMap((line) => (/: (created|replayed) /.test(line) ? [line.slice(0, 8)] : []))
    .join();

describe.each(VARIANTS)("unique insert, %s", (variant) => {
  const scenario = scenarioOf(variant);

  test("runs on all profiles that can", () => {
    const able = PROFILES.filter(
      ({ multiKey, transactions }) => transactions === "none" && (multiKey || variant === "oneKey"),
    );
    expect([...scenario.profiles].sort()).toEqual(able.map(({ id }) => id).sort());
  });

  test("answers as expected without faults", async () => {
    for (const { workload, profile } of cellsOf(scenario)) {
      for (let seed = 0; seed < 5 && workload !== "race"; seed += 1) {
        const result = await play(scenario, workload, profile, seed);
        const what = `${workload} on ${profile}, seed ${seed}`;
        const expected = EXPECTED[`${variant} ${workload}`]!;
        const { main, last } = answers(result);
        expect(sorted(main), what).toEqual(sorted(expected.main));
        expect(last, what).toEqual(expected.last);
        expect(found(result), what).toEqual([...expected.found, ...expected.found]);
        expect(result.events, what).toBeLessThanOrEqual(150);
      }
    }
  });

  test("a race ends with values that do not share a key, in every order", async () => {
    const ends = new Set<string>();
    for (const { workload, profile } of cellsOf(scenario).filter((at) => at.workload === "race")) {
      for (let seed = 0; seed < 30; seed += 1) {
        const result = await play(scenario, workload, profile, seed);
        const what = `${profile}, seed ${seed}`;
        const { main, last } = answers(result);
        const winners = winnersOf(main.slice(0, main.length / 2));
        ends.add(winners);
        expect(winnersOf(main.slice(main.length / 2)), what).toBe(winners);
        expect(winnersOf(last), what).toBe(winners);
        const looked = found(result);
        const half = looked.length / 2;
        expect(looked.slice(half), what).toEqual(looked.slice(0, half));
      }
    }
    expect(sorted([...ends])).toEqual(WINNERS[variant]);
  });

  test("repeats", () => expectRepeatable(scenario));

  test("settles under single faults, and records what is documented", () =>
    underSingleFaults(scenario, 200, (result, what) => expectShapes(result, SHAPES, what)));
});
