// Judges a recorded history by the linearizability checker, and says what a person needs to know
// when it does not hold.

import { checkHistory } from "../../checker/check.js";
import type { History, Model } from "../../checker/model.js";
import { ConformanceError } from "../checks.js";

/** What a search may cost: seconds at worst. Histories of this kit take some thousand steps. */
const MAX_STEPS = 200_000;
/** The same for each search that makes what is shown smaller: one of many. */
const MAX_STEPS_TO_MINIMIZE = 3_000;

/** Fails unless the history is linearizable. */
export function mustBeLinearizable<State, Input, Output>(
  model: Model<State, Input, Output>,
  history: History<Input, Output>,
  seed: number,
  maxSteps: number = MAX_STEPS,
): void {
  const verdict = checkHistory(model, history, {
    maxSteps,
    maxStepsToMinimize: MAX_STEPS_TO_MINIMIZE,
  });
  switch (verdict.verdict) {
    case "linearizable":
      return;
    case "undecided":
      throw new ConformanceError(
        `no verdict on ${history.length} operations within ${maxSteps} steps (seed ${seed}): ` +
          "so many stayed unanswered, or overlapped, that too many orders are possible. " +
          "Try other seeds; if it stays, let fewer calls end as unknown: a longer operation " +
          "timeout, or a server that is less loaded",
      );
    case "violated": {
      const { partition, counterexample } = verdict;
      const where = partition === undefined ? "" : ` of key "${partition}"`;
      throw new ConformanceError(
        `the history${where} is not linearizable (seed ${seed}); a smallest part of it that ` +
          "shows it (in parentheses the first letters of the opId that wrote):\n" +
          counterexample.text,
      );
    }
  }
}
