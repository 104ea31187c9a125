import { describe, expect, test } from "vitest";
import { acceptedBy, operationsOf, spansOf } from "../../src/scenarios/recorded.ts";
import { runScenario } from "../../src/scenarios/run.ts";
import { type TokensVariant, tokensScenario } from "../../src/scenarios/tokens.ts";
import type { FaultPlan } from "../../src/world/fault-plan.ts";
import type { Answer, History } from "../../src/world/history.ts";
import {
  cellsOf,
  expectRepeatable,
  expectSettledUnderFaults,
  quietRun,
  shapeProblems,
} from "./recorded-shape.ts";

const scenarioOf = (variant: TokensVariant) =>
  tokensScenario(`${variant.kind}-${variant.onCrash}`, "tokens that are used once", variant, []);

function told(answer: Answer | undefined): string {
  if (answer === undefined) {
    return "nothing";
  }
  if ("threw" in answer) {
    return String(answer.threw.code);
  }
  const { outcome, replayed, run } = answer.returned as {
    readonly outcome?: string;
    readonly replayed?: boolean;
    readonly run?: number;
  };
  return run === undefined ? `${outcome}${replayed ? " before" : ""}` : `run ${run}`;
}

/** What each client was told, joined where it asked again. */
function byClient(history: History): Readonly<Record<string, string>> {
  const answers: Record<string, string> = {};
  const asked = history.operations.filter(({ method }) => method !== "tokens.issue");
  for (const { input, answer } of asked) {
    const client = String(input.client);
    const before = answers[client];
    answers[client] = before === undefined ? told(answer) : `${before}, ${told(answer)}`;
  }
  return answers;
}

const REFUSALS = {
  "mallory-1": "invalid",
  "mallory-2": "invalid",
  "mallory-3": "invalid",
  alice: "consumed",
  "mallory-4": "invalid",
  "mallory-5": "invalid",
  bob: "used",
  "alice-again": "consumed before",
  "last-1": "consumed before",
  "last-2": "used",
};

const BEFORE_END = {
  alice: "consumed",
  bob: "used",
  "alice-again": "consumed before",
  erin: "consumed",
};

const END = {
  // The record of s1 is forgotten a retention after its consumption, that of s2 not yet.
  stored: {
    ...BEFORE_END,
    carol: "invalid",
    dave: "invalid",
    frank: "used",
    "erin-late": "consumed before",
    "last-1": "invalid",
    "last-2": "invalid",
    "last-3": "invalid",
    "last-4": "consumed before",
    "last-5": "used",
  },
  signed: {
    ...BEFORE_END,
    ...Object.fromEntries(
      ["carol", "dave", "frank", "erin-late", "last-1", "last-2", "last-3", "last-4", "last-5"].map(
        (client) => [client, "expired"],
      ),
    ),
  },
};

/** The record was written again, so that it is there until the token ends. */
const CLOCKS = {
  alice: "consumed",
  bob: "used",
  "alice-again": "consumed before",
  carol: "used",
  dave: "used",
  "alice-late": "expired",
  "last-1": "expired",
  "last-2": "expired",
  "last-3": "expired",
  "last-4": "expired",
};

const RUN = {
  alice: "run 1",
  bob: "run 1",
  mallory: "tokenInvalid",
  carol: "used",
  dave: "consumed",
  erin: "tokenUsed",
  "alice-late": "run 1",
  "last-1": "run 1",
  "last-2": "used",
  "last-3": "consumed before",
  "last-4": "tokenUsed",
};

const CLOCKS_LATE = {
  alice: "consumed",
  carol: "consumed",
  bob: "used",
  dave: "used",
  "last-1": "consumed before",
  "last-2": "consumed before",
  "last-3": "used",
  "last-4": "used",
};

/** The first attempt fails and charges nothing; the second one is everybody's result. */
const RUN_AGAIN = {
  alice: "retryable, run 2",
  bob: "run 2",
  carol: "used",
  "last-1": "run 2",
  "last-2": "used",
};

const RUN_LATE = { alice: "run 1", bob: "run 1", carol: "run 1", "last-1": "tokenInvalid" };

/** Either request may win; the other one is told *used* for ever, and so is the third. */
function twoRequests(winner: "alice" | "bob"): Readonly<Record<string, string>> {
  const of = (client: "alice" | "bob", last: string) =>
    client === winner
      ? { [`${client}-again`]: "consumed before", [last]: "consumed before" }
      : { [client]: "used", [`${client}-again`]: "used", [last]: "used" };
  const late = winner === "alice" ? "consumed before" : "used";
  return {
    [winner]: "consumed",
    ...of("alice", "last-1"),
    ...of("bob", "last-2"),
    "alice-late": late,
    carol: "used",
    "last-3": "used",
  };
}

const VARIANTS: readonly TokensVariant[] = [
  { kind: "stored", onCrash: "park" },
  { kind: "signed", onCrash: "rerun" },
];

describe.each(VARIANTS)("the scenario of $kind tokens", (variant) => {
  const { kind } = variant;
  const scenario = scenarioOf(variant);

  test.each(cellsOf(scenario))("without faults: $workload on $profile", async (cell) => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const { history } = await quietRun(scenario, cell, seed);
      const what = `seed ${seed}`;
      expect(shapeProblems(history), what).toEqual([]);
      const answers = byClient(history);
      switch (cell.workload) {
        case "two-requests":
          expect(answers, what).toEqual(twoRequests(answers.bob === "consumed" ? "bob" : "alice"));
          break;
        case "refusals":
          expect(answers, what).toEqual(REFUSALS);
          break;
        case "end":
          expect(answers, what).toEqual(END[kind]);
          break;
        case "clocks":
          expect(answers, what).toEqual(CLOCKS);
          break;
        case "clocks-late":
          expect(answers, what).toEqual(CLOCKS_LATE);
          break;
        case "run-again":
          expect(answers, what).toEqual(RUN_AGAIN);
          expect(acceptedBy(history, "bank"), what).toHaveLength(1);
          expect(spansOf(history, "handler"), what).toHaveLength(2);
          break;
        case "run-late":
          expect(answers, what).toEqual(RUN_LATE);
          expect(spansOf(history, "handler"), what).toHaveLength(1);
          break;
        default:
          expect(answers, what).toEqual(RUN);
          expect(acceptedBy(history, "bank"), what).toHaveLength(1);
          expect(spansOf(history, "handler"), what).toHaveLength(1);
      }
    }
  });

  test("runs the same again", async () => {
    await expectRepeatable(scenario);
  });

  test("settles under single faults, and records as documented", async () => {
    const struck = await expectSettledUnderFaults(scenario, 200);
    for (const fault of ["dropReply", "duplicate", "crash", "pause", "jumpClock", "failover"]) {
      expect(struck).toContain(fault);
    }
  });

  const struckRun = async (workload: string, plan: FaultPlan) =>
    (
      await runScenario(scenario, {
        scenario: scenario.id,
        profile: "durable",
        workload,
        seed: 1,
        plan,
      })
    ).history;

  test("asks for another token when the first was not issued in time", async () => {
    const pause = { fault: "pause", phase: "reply", forMs: 3_000 } as const;
    const history = await struckRun("refusals", [{ from: "web-1", to: "store", nth: 1, ...pause }]);
    const issued = operationsOf(history, "tokens.issue");
    if (kind === "stored") {
      expect(issued.map(({ by }) => by)).toEqual(["web-1", "web-2"]);
      const tokens = new Set(
        operationsOf(history, "tokens.consume").map(({ input }) => input.token),
      );
      const [late, first] = issued.map(
        ({ answer }) => answer && "returned" in answer && answer.returned,
      );
      expect(tokens).toContain(first);
      expect(tokens).not.toContain(late);
    } else {
      // A signed one is issued without the store.
      expect(issued.map(({ by }) => by)).toEqual(["web-1"]);
    }
  });

  test("lets what a crash cut short be parked, or run again", async () => {
    const crash = { fault: "crash", phase: "reply", forMs: 300 } as const;
    const plan: FaultPlan = ["web-1", "web-2"].map((from) => ({
      from,
      to: "bank",
      nth: 1,
      ...crash,
    }));
    const history = await struckRun("run", plan.slice(0, 1));
    const runs = spansOf(history, "handler").map(({ by }) => by);
    const other = await struckRun("run", plan.slice(1));
    const otherRuns = spansOf(other, "handler").map(({ by }) => by);
    // Which of the two runs first is left to the network.
    const [cut, told] = runs[0] === "web-1" ? [runs, history] : [otherRuns, other];
    const last = byClient(told)["last-1"];
    if (variant.onCrash === "park") {
      expect(cut).toHaveLength(1);
      expect(last).toMatch(/^(indeterminate, )*indeterminate$/);
    } else {
      expect(cut).toHaveLength(2);
      expect(last).toBe("run 2");
    }
  });
});
