// A matrix made by hand with every verdict in it, and violations that really happened.
import {
  type Cell,
  type CellVerdict,
  COLUMNS,
  type Matrix,
  type MatrixRow,
} from "../../src/explore/matrix.ts";
import type { ShownViolation } from "../../src/report/index.ts";
import { tellStory } from "../../src/report/index.ts";
import type { FaultPlan } from "../../src/world/fault-plan.ts";
import { ALL_PROFILES } from "../../src/world/profile.ts";
import { run } from "./runs.ts";

const SENTENCES = {
  "dedup/at-most-once":
    "With `park`, a handler runs at most once per key, unless a person says otherwise.",
  "dedup/one-outcome":
    "All callers of one key are told the same outcome, whoever of them ran the handler, for as long as it is retained.",
  "lock/mutual-exclusion":
    "At no time do two nodes hold the lock | whose lease <both> believe valid & running.",
} as const;

const SCENARIOS = [
  {
    algorithm: "dedup",
    scenario: "dedup/rerun",
    title: "a crashed attempt is run again",
    guarantees: ["dedup/at-most-once", "dedup/one-outcome"],
  },
  {
    algorithm: "dedup",
    scenario: "dedup/park",
    title: "a crashed attempt waits for a person",
    guarantees: ["dedup/at-most-once"],
  },
  {
    algorithm: "lock",
    scenario: "lock/disk",
    title: "writes to a disk that checks fencing tokens",
    guarantees: ["lock/mutual-exclusion"],
  },
] as const;

export const TOKEN = `op1.${"Zm9vYmFyYmF6".repeat(16)}`;
export const SURPRISE_TOKEN = `op1.${"c3VycHJpc2U".repeat(8)}`;

const CRASH: FaultPlan = [
  { from: "api-1", to: "store", nth: 2, fault: "crash", phase: "send", forMs: 500 },
];
const LONG: FaultPlan = [
  { from: "api-1", to: "store", nth: 1, fault: "holdReply", forMs: 1_700 },
  { from: "api-1", to: "bank", nth: 1, fault: "pause", phase: "reply", forMs: 1_800 },
  { from: "api-2", to: "store", nth: 2, fault: "cut", legs: "both", forMs: 900 },
  { from: "api-2", to: "store", nth: 4, fault: "failover", phase: "apply", loses: 2, lagMs: 3_000 },
];

function cellFor(row: Omit<MatrixRow, "cells">, column: Cell["column"], at: number): Cell {
  const { scenario, guarantee, profile } = row;
  const base = {
    scenario,
    guarantee,
    profile,
    column,
    plans: 37 * (at + 1) ** 3,
    exhaustive: at < 6,
    violations: 0,
  };
  const spec = (plan: FaultPlan) => ({
    scenario,
    profile,
    workload: "double-click",
    seed: 1,
    plan,
  });
  const verdictOf = (): CellVerdict => {
    if (column === "store" && profile === "single-key") return "untried";
    if (scenario === "dedup/rerun" && guarantee === "dedup/at-most-once") {
      return column === "crashes" || column === "swarm"
        ? "lost"
        : column === "none"
          ? "holds"
          : "notLost";
    }
    if (scenario === "lock/disk" && profile === "failover" && column === "swarm") return "violated";
    if (scenario === "lock/disk" && profile === "evicting" && column === "store") return "notFound";
    return "holds";
  };
  const verdict = verdictOf();
  switch (verdict) {
    case "lost":
      return {
        ...base,
        ...{
          verdict,
          violations: 3,
          why: "A crash between the effect and its record leaves two attempts, and `rerun` says so.",
        },
        smallest: {
          how: "k1 was charged 2 times: by run 1 and by run 2",
          spec: spec(CRASH),
          token: TOKEN,
        },
      };
    case "violated":
      return {
        ...base,
        ...{ verdict, violations: 1 },
        smallest: {
          how: "api-1 and api-2 both held <r1>",
          spec: spec(LONG),
          token: SURPRISE_TOKEN,
        },
      };
    case "untried":
      return { ...base, verdict, plans: 0, exhaustive: false };
    default:
      return { ...base, verdict };
  }
}

export function fixtureMatrix(): Matrix {
  const rows = SCENARIOS.flatMap(({ algorithm, scenario, title, guarantees }) =>
    guarantees.flatMap((guarantee) =>
      ALL_PROFILES.map((id): MatrixRow => {
        const row = {
          scenario,
          scenarioTitle: title,
          algorithm,
          guarantee,
          sentence: SENTENCES[guarantee],
          profile: id,
        };
        return { ...row, cells: COLUMNS.map((column, at) => cellFor(row, column, at)) };
      }),
    ),
  );
  const cells = rows.flatMap((row) => row.cells);
  return {
    ...{
      rows,
      seed: 7,
      runs: 123_456,
      events: 9_876_543,
      seconds: 41.27,
      budget: "quick",
      complete: true,
    },
    surprises: cells.filter(({ verdict }) => verdict === "violated" || verdict === "notFound"),
  };
}

/** One declared violation and one surprise. */
export async function fixtureViolations(matrix: Matrix): Promise<readonly ShownViolation[]> {
  const cells = matrix.rows
    .flatMap((row) => row.cells)
    .filter(({ smallest }) => smallest !== undefined);
  const chosen = [
    cells.find(({ verdict }) => verdict === "lost"),
    cells.find(({ verdict }) => verdict === "violated"),
  ];
  const shown: ShownViolation[] = [];
  for (const cell of chosen) {
    const spec = cell!.smallest!.spec;
    const { trace, struck } = await run(spec.plan, { profile: spec.profile });
    shown.push({ cell: cell!, trace, struck, story: tellStory(trace) });
  }
  return shown;
}
