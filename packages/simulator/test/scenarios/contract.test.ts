// The scenario of the contract: what fault-free runs answer, that core as it is keeps every clause,
// that runs repeat, and that each broken variant of the store's steps is noticed.

import { describe, expect, test } from "vitest";
import { mutants } from "../../mutants/catalogue.ts";
import { explore } from "../../src/explore/explore.ts";
import { hunt, scenariosFor } from "../../src/explore/mutants.ts";
import { HUNT_PROFILES } from "../../src/explore/portfolio.ts";
import { loadCore } from "../../src/mutants/index.ts";
import { SCENARIOS } from "../../src/scenarios/catalogue.ts";
import { contractScenarios } from "../../src/scenarios/contract.ts";
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

const [scenario] = contractScenarios as unknown as readonly [AnyScenario];

const observed = ["now", "now revision", "entry now revision"];
const refusals = observed.map((fields) => `refused ${fields}`);

const SHAPES: Shapes = {
  "store.read": { input: [], returned: (value) => observed.includes(fieldsOf(value).trim()) },
  "store.write": {
    input: ["client", "write"],
    returned: (value) =>
      [
        "unknown",
        ...refusals,
        "applied now replayed revision writtenAt",
        "applied expiresAt now replayed revision writtenAt",
      ].includes(fieldsOf(value)),
  },
  "store.writeAll": {
    input: ["client", "opId", "writes"],
    returned: (value) =>
      [
        "unknown",
        "applied now replayed revisions",
        "refused entry index now revision",
        "refused index now revision",
        "refused index now",
      ].includes(fieldsOf(value)),
  },
};

const named = (opId: unknown): string => String(opId).replace(/-+$/u, "");

/** `id: applied, again or refused`, of the clients' writes in the order in which they began. */
function answers(result: RunResult): readonly string[] {
  return linesOf(result, ({ method, input }, { outcome, replayed }) => {
    if (method === "store.read") {
      return undefined;
    }
    const { opId } = (input.write ?? input) as { readonly opId: string };
    return `${named(opId)}: ${replayed === true ? "again" : outcome}`;
  }).main;
}

const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  life: [
    ...["create-1: applied", "create-1: again", "replace-2: applied", "create-1: refused"],
    ...["touch-3: applied", "replace-2: refused", "stale-4: refused", "stale-5: refused"],
    ...["remove-6: applied", "remove-6: again", "never-7: refused", "create-8: applied"],
    ...["remove-6: refused", "remove-9: applied", "create-1: applied", "create-8: refused"],
  ],
  expiry: [
    ...["flash-1: applied", "spark-1: applied", "lamp-1: applied", "fire-1: applied"],
    ...["lamp-2: applied", "fire-2: applied", "lamp-2: again", "lamp-3: refused"],
    ...["lamp-4: applied", "spark-1: again", "spark-2: applied", "spark-1: refused"],
    ...["lamp-4: again", "fire-3: refused", "fire-4: applied"],
  ],
  several: [
    ...["south-1: applied", "both-1: applied", "both-1: again", "both-2: refused"],
    ...["both-3: refused", "both-4: applied", "north-5: refused", "east-6: applied"],
    ...["both-4: again", "both-1: applied", "both-2: refused"],
  ],
};

const SINGLE: readonly string[] = ["south-1: applied", "north-5: applied"];

function expected(workload: string, profile: ProfileId): readonly string[] | undefined {
  return workload === "several" && profile === "single-key" ? SINGLE : ANSWERS[workload];
}

const sorted = (lines: readonly string[]): string[] => [...lines].sort();

describe("the contract", () => {
  test("runs on all profiles without transactions", () => {
    const able = PROFILES.filter(({ transactions }) => transactions === "none");
    expect([...scenario.profiles].sort()).toEqual(able.map(({ id }) => id).sort());
  });

  test("answers as expected without faults", async () => {
    for (const { workload, profile } of cellsOf(scenario)) {
      for (let seed = 0; seed < 5; seed += 1) {
        const what = `${workload} on ${profile}, seed ${seed}`;
        const result = await play(scenario, workload, profile, seed);
        expect(result.violations, what).toEqual([]);
        const lines = expected(workload, profile);
        if (lines !== undefined) {
          expect(sorted(answers(result)), what).toEqual(sorted(lines));
        }
      }
    }
  });

  test("of a race one creates, at first and again", async () => {
    const first = new Set<string>();
    for (let seed = 0; seed < 20; seed += 1) {
      const told = answers(await play(scenario, "race", "durable", seed));
      const created = told.filter((line) => /^create-.: applied$/u.test(line));
      const again = told.filter((line) => /^again-.: applied$/u.test(line));
      expect([created.length, again.length], `seed ${seed}`).toEqual([1, 1]);
      first.add(created.join());
    }
    expect(sorted([...first])).toEqual(["create-a: applied", "create-b: applied"]);
  });

  test("repeats", () => expectRepeatable(scenario));

  test("settles under single faults, and records what is documented", () =>
    underSingleFaults(scenario, 200, (result, what) => expectShapes(result, SHAPES, what)));

  test.each(HUNT_PROFILES)("holds under single faults on %s", async (profile) => {
    const [plain] = contractScenarios;
    for (const { id: workload } of plain!.workloads) {
      const job = { scenario: plain!.id, profile, workload, seed: 1, oneIn: 12 } as const;
      const { cells, failures } = await explore(plain!, { ...job, part: { part: "singles" } });
      expect(failures).toBeUndefined();
      expect(cells.flatMap(({ surprise }) => surprise ?? [])).toEqual([]);
    }
  });
});

describe("broken variants of the contract", () => {
  const ids = mutants.map(({ id }) => id).filter((id) => id.startsWith("contract/"));

  test("are hunted by this scenario alone", () => {
    expect(ids.length).toBeGreaterThanOrEqual(10);
    expect(scenariosFor("contract/op-id-ignored", SCENARIOS)).toEqual(contractScenarios);
  });

  test.each(ids)("%s is noticed", async (mutant) => {
    const [core, correct] = [await loadCore(mutant), await loadCore(undefined)];
    const { killed } = await hunt(contractScenarios, {
      ...{ mutant, core, correct },
      ...{ seed: 1, budget: 1_500 },
    });
    expect(killed?.by).toBe("violation");
  });
});
