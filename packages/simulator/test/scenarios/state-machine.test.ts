// The scenarios of the state machine: what fault-free runs answer, that runs repeat, and that
// every run under a fault settles and records what recorded.ts documents.

import { describe, expect, test } from "vitest";
import { operationsOf, returnedBy } from "../../src/scenarios/recorded.ts";
import type { RunResult } from "../../src/scenarios/run.ts";
import { stateMachineScenario } from "../../src/scenarios/state-machine.ts";
import type { MachineVariant } from "../../src/scenarios/state-machine-workloads.ts";
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
const scenarioOf = (variant: MachineVariant): AnyScenario =>
  stateMachineScenario(variant, variant, variant, []) as unknown as AnyScenario;

const SHAPES: Shapes = {
  "machine.create": {
    input: ["client", "requestId"],
    returned: (value) =>
      /^(created snapshot|replayed snapshot|exists snapshot|indeterminate cause)$/.test(
        fieldsOf(value),
      ),
  },
  "machine.fire": {
    input: ["client", "event", "requestId", "withSnapshot", "unlisted"],
    returned: (value) =>
      [
        "moved atMs event from replayed to",
        "refused event replayed state",
        "alreadyThere event state",
        "notFound",
        "expired",
        "contended rounds",
        "indeterminate cause",
      ].includes(fieldsOf(value)),
  },
  "machine.get": {
    input: [],
    returned: (value) =>
      value === undefined || Object.keys(value as object).join() === "state,data",
  },
  "machine.history": { input: [], returned: Array.isArray },
};

/** `event [by request]: outcome [in or to state] [again]`. */
const answers = (result: RunResult): { readonly main: string[]; readonly last: string[] } =>
  linesOf(result, ({ method, input, key }, { outcome, to, state, replayed }) => {
    if (method !== "machine.create" && method !== "machine.fire") {
      return undefined;
    }
    const { event = "create", requestId } = input;
    const request = requestId === undefined ? String(event) : String(requestId);
    const order = key === "order-1" ? "" : ` of ${key}`;
    const where = to ?? state;
    return (
      `${request}${order}: ${outcome}` +
      `${where === undefined ? "" : ` ${where}`}${replayed ? " again" : ""}`
    );
  });

/** State and requests that moved, as `last` found them first and at the end. */
const found = ({ history }: RunResult): string[] =>
  operationsOf(history, "machine.get")
    .filter(({ by }) => by === "last")
    .map((operation) => {
      const { state, data = [] } = returnedBy(operation) ?? {};
      return `${state}: ${data.map(({ event, requestId }) => requestId ?? event).join(" ")}`;
    });

const FILLED = "pay-1 hold release-1 hold-2 release-2 hold-3 release-3";
const FILLING = [
  "create-1: created",
  "pay-1: moved paid",
  "hold: moved held",
  "release-1: moved paid",
  "hold-2: moved held",
  "release-2: moved paid",
  "hold-3: moved held",
  "release-3: moved paid",
];

interface Expected {
  readonly main: readonly string[];
  /** State and moves as `last` finds them. */
  readonly found: string;
}

const RETRIES: Expected = {
  main: [
    "create-1: created",
    "create-2: exists",
    "pay-1: moved paid",
    "pay-1: moved paid again",
    "pay-2: refused paid",
    "hold-1: moved held",
    "release-1: moved paid",
    "hold-1: moved held again",
    "ship-1: moved shipped",
    "pay-1: moved paid again",
  ],
  found: "shipped: pay-1 hold-1 release-1 ship-1",
};

const UNNAMED: Expected = {
  main: [
    "create-1: created",
    "pay: moved paid",
    "pay: alreadyThere paid",
    "hold: moved held",
    "release: moved paid",
    "pay: alreadyThere paid",
    "ship: moved shipped",
    "pay: refused shipped",
  ],
  found: "shipped: pay hold release ship",
};

/** What the workloads beyond window and retention answer after the window was filled. */
function beyond(variant: MachineVariant, workload: string, single: boolean): Expected {
  const forgets = variant === "forgotten";
  if (workload === "window") {
    if (!single) {
      const main = ["hold-2: moved held again", "release-3: moved paid again"];
      return { main: [...main, "hold-late: moved held"], found: `held: ${FILLED} hold-late` };
    }
    return forgets
      ? {
          // What was dropped counts as new without a snapshot: the loss that the docs name.
          main: ["hold-2: moved held", "release-3: moved paid again", "hold-late: refused held"],
          found: `held: ${FILLED} hold-2`,
        }
      : {
          main: ["hold-2: expired", "release-3: moved paid again", "hold-late: expired"],
          found: `paid: ${FILLED}`,
        };
  }
  const again = "hold-2: moved held again";
  const expired = "hold-2: expired";
  if (!forgets) {
    const main = single ? [expired, expired, expired] : [again, again, expired];
    return { main, found: `paid: ${FILLED}` };
  }
  return {
    main: single ? ["hold-2: moved held", again, again] : [again, again, "hold-2: moved held"],
    found: `held: ${FILLED} hold-2`,
  };
}

function expectedOf(variant: MachineVariant, workload: string, profile: ProfileId): Expected {
  if (workload === "retries") {
    return RETRIES;
  }
  if (workload === "unnamed") {
    return UNNAMED;
  }
  const { main, found: atEnd } = beyond(variant, workload, profile === "single-key");
  return { main: [...FILLING, ...main], found: atEnd };
}

const sorted = (lines: readonly string[]): string[] => [...lines].sort();

/** What `last` is to be told: of each request what was told last, now as a replay. */
function repeated(main: readonly string[]): string[] {
  const told = new Map(
    main
      .map((line) => line.replace(": created", ": replayed"))
      .map((line) => [line.slice(0, line.indexOf(":")), line.replace(/ again$/, "")]),
  );
  return [...told.values()].map((line) => (/moved|refused/.test(line) ? `${line} again` : line));
}

describe.each(VARIANTS)("state machine, %s", (variant) => {
  const scenario = scenarioOf(variant);

  test("runs on all profiles without transactions", () => {
    const able = PROFILES.filter(({ transactions }) => transactions === "none");
    expect([...scenario.profiles].sort()).toEqual(able.map(({ id }) => id).sort());
  });

  test("answers as expected without faults", async () => {
    for (const { workload, profile } of cellsOf(scenario)) {
      for (let seed = 0; seed < 5 && workload !== "race" && workload !== "twins"; seed += 1) {
        const result = await play(scenario, workload, profile, seed);
        const what = `${workload} on ${profile}, seed ${seed}`;
        const expected = expectedOf(variant, workload, profile);
        const { main, last } = answers(result);
        expect(sorted(main), what).toEqual(sorted(expected.main));
        const [before, after] = found(result);
        expect(before, what).toBe(expected.found);
        if (variant !== "forgotten") {
          // Beyond window and retention a request is told what it was told first, or *expired*.
          const edge = workload === "window" || workload === "retention";
          const answered = (line: string): boolean => !edge || !line.endsWith("expired");
          const named = repeated(main.filter((line) => /-\d|-late/.test(line) && answered(line)));
          const repeats = last.filter(answered);
          expect(edge ? named : sorted(repeats), what).toEqual(
            edge ? expect.arrayContaining(repeats) : sorted(named),
          );
          expect(repeats.length, what).toBeGreaterThan(0);
          expect(after, what).toBe(before);
        }
        expect(result.events, what).toBeLessThanOrEqual(150);
      }
    }
  });

  test("races end one way or the other", async () => {
    const ends = new Set<string>();
    for (const { workload, profile } of cellsOf(scenario).filter((at) => at.workload === "race")) {
      for (let seed = 0; seed < 20; seed += 1) {
        const result = await play(scenario, workload, profile, seed);
        const { main, last } = answers(result);
        expect(sorted(last), `${profile}, seed ${seed}`).toEqual(sorted(repeated(main)));
        ends.add(`${sorted(main.slice(0, 3))}; ${found(result).slice(0, 2)}`);
      }
    }
    const creates = [
      "create-1 of order-2: created,create-1: created,create-2: exists",
      "create-1 of order-2: created,create-1: exists,create-2: created",
    ];
    const moves = ["cancelled: cancel-1,paid: pay-1", "cancelled: pay-1 cancel-1,paid: pay-1"];
    const all = creates.flatMap((create) => moves.map((move) => `${create}; ${move}`));
    expect(sorted([...ends])).toEqual(variant === "forgotten" ? [] : sorted(all));
  });

  test("of two requests for one move one is told that it moved", async () => {
    const movers = new Set<string>();
    for (const { workload, profile } of cellsOf(scenario).filter((at) => at.workload === "twins")) {
      for (let seed = 0; seed < 20; seed += 1) {
        const result = await play(scenario, workload, profile, seed);
        const what = `${profile}, seed ${seed}`;
        const { main, last } = answers(result);
        const pays = sorted(main.slice(1, 3));
        movers.add(pays.join());
        expect(sorted(main.slice(3, 5)), what).toEqual([
          "hold: alreadyThere held",
          "hold: moved held",
        ]);
        const again = pays.map((line) => `${line} again`);
        expect(sorted(main.slice(-2)), what).toEqual(again);
        expect(sorted(last), what).toEqual(["create-1: replayed", ...again]);
        expect(found(result), what).toEqual(["paid: ", "paid: "]);
      }
    }
    const both = ["pay-1: moved paid,pay-2: refused paid", "pay-1: refused paid,pay-2: moved paid"];
    expect(sorted([...movers])).toEqual(variant === "plain" ? both : []);
  });

  test("repeats", () => expectRepeatable(scenario));

  test("settles under single faults, and records what is documented", () =>
    underSingleFaults(scenario, 200, (result, what) => expectShapes(result, SHAPES, what)));
});
