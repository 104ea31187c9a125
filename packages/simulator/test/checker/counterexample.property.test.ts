// What a counterexample promises, judged by the independent judge.

import { checkHistory, type Operation, registerModel } from "@onceproof/simulator/checker";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SMALL } from "./support/histories.ts";
import { isWitness, judge } from "./support/judge.ts";
import { historyOf, type Source } from "./support/worlds.ts";

type AnyOperation = Operation<unknown, unknown>;
type AnyHistory = readonly AnyOperation[];

const violated = fc
  .record({ seed: fc.nat(), number: fc.nat({ max: 10_000 }) })
  .map(({ seed, number }) => historyOf(seed, number, SMALL))
  .map(({ model, history }) => ({ model, history, verdict: checkHistory(model, history) }))
  .filter(({ verdict }) => verdict.verdict === "violated");

/** One completed operation less: a read-only one is deleted, the outcome of another forgotten. */
function without(model: Source["model"], history: AnyHistory, index: number): AnyHistory {
  const { process, input, output, invokedAt } = history[index]!;
  const weaker = model.isReadOnly?.(input, output) === true ? [] : [{ process, input, invokedAt }];
  return [...history.slice(0, index), ...weaker, ...history.slice(index + 1)];
}

const isCompleted = ({ returnedAt }: AnyOperation): boolean => returnedAt !== undefined;

const stillNeeded = (model: Source["model"], history: AnyHistory): boolean =>
  history.every(
    (operation, index) => !isCompleted(operation) || judge(model, without(model, history, index)),
  );

function everyCounterexample(
  holds: (model: Source["model"], history: AnyHistory, smallest: AnyHistory) => void,
): void {
  fc.assert(
    fc.property(violated, ({ model, history, verdict }) => {
      if (verdict.verdict === "violated") {
        expect(verdict.counterexample.minimal).toBe(true);
        holds(model, history, verdict.counterexample.operations);
      }
    }),
    { seed: 1, numRuns: 2_000 },
  );
}

test("a counterexample is violated", () => {
  everyCounterexample((model, _, smallest) => expect(judge(model, smallest)).toBe(false));
});

test("each operation of a counterexample is one of the history, or one whose outcome is forgotten", () => {
  everyCounterexample((_, history, smallest) => {
    for (const operation of smallest) {
      const { process, input, invokedAt } = operation;
      const original = history.find((each) => each.process === process);
      expect(original).toMatchObject({ process, input, invokedAt });
      expect(isCompleted(operation) ? original : operation).toEqual(operation);
    }
  });
});

test("without any one completed operation a counterexample is linearizable", () => {
  everyCounterexample((model, _, smallest) => {
    expect(smallest.some(isCompleted)).toBe(true);
    expect(stillNeeded(model, smallest)).toBe(true);
  });
});

test("an operation of unknown outcome is shown only where it makes another one needed", () => {
  everyCounterexample((model, _, smallest) => {
    for (const operation of smallest.filter((each) => !isCompleted(each))) {
      const fewer = smallest.filter((each) => each !== operation);
      expect(stillNeeded(model, fewer)).toBe(false);
    }
  });
});

test("the longest prefix is right, and nothing can follow it", () => {
  fc.assert(
    fc.property(violated, ({ model, verdict }) => {
      if (verdict.verdict !== "violated") {
        return;
      }
      const { operations, longestPrefix, stuckAt } = verdict.counterexample;
      const left = operations.filter((each) => !longestPrefix.includes(each));
      const placed = [...longestPrefix, ...left.filter((each) => !isCompleted(each))];
      expect(isWitness(model, placed, longestPrefix)).toBe(true);
      expect(stuckAt.length).toBeGreaterThan(0);
      for (const next of stuckAt) {
        expect(left).toContain(next);
        expect(isWitness(model, placed, [...longestPrefix, next])).toBe(false);
      }
    }),
    { seed: 1, numRuns: 2_000 },
  );
});

test("a counterexample of a larger history is as small", () => {
  const history = Array.from({ length: 60 }, (_, index) => ({
    process: index % 3,
    input: index % 2 === 0 ? { kind: "write" as const, value: index } : { kind: "read" as const },
    ...(index % 2 === 0 ? { output: undefined } : { output: index === 41 ? 36 : index - 1 }),
    invokedAt: 2 * index,
    returnedAt: 2 * index + 1,
  }));
  const verdict = checkHistory(registerModel(0), history);
  expect(verdict.verdict === "violated" && verdict.counterexample.text).toMatchInlineSnapshot(`
    "register: no order of these 3 of 60 operations is right

    0  write 36    |--|
    2  write 38          |--|
    2  read -> 36              |--|

    Longest order that is right: write 36; write 38
    State after it: 38
    Then none of these is: read -> 36"
  `);
});
