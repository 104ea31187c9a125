// Judges a recorded history by the linearizability checker, and says what a person needs to know
// when it does not hold.

import { checkHistory } from "../../checker/check.js";
import type { History, Model } from "../../checker/model.js";
import { ConformanceError } from "../checks.js";

/** What a search may cost: some seconds at worst, where a history of this kit takes milliseconds. */
const MAX_STEPS = 1_000_000;
/** The same for each search that makes what is shown smaller: one of many. */
const MAX_STEPS_TO_MINIMIZE = 3_000;

/** Fails unless the history is linearizable. */
export function mustBeLinearizable<State, Input, Output>(
  model: Model<State, Input, Output>,
  history: History<Input, Output>,
  seed: number,
): void {
  const verdict = checkHistory(model, history, {
    maxSteps: MAX_STEPS,
    maxStepsToMinimize: MAX_STEPS_TO_MINIMIZE,
  });
  switch (verdict.verdict) {
    case "linearizable":
      return;
    case "undecided":
      throw new ConformanceError(
        `no verdict on ${history.length} operations within ${MAX_STEPS} steps (seed ${seed}): ` +
          "so many stayed unanswered, or overlapped, that too many orders are possible. " +
          "Try other seeds; if it stays, let fewer calls end as unknown: a longer operation " +
          "timeout, or a server that is less loaded",
      );
    case "violated": {
      const { partition, counterexample } = verdict;
      const where = partition === undefined ? "" : ` of key "${partition}"`;
      throw new ConformanceError(
        `the history${where} is not linearizable (seed ${seed}); a smallest part of it that ` +
          `shows it:\n${counterexample.text}`,
      );
    }
  }
}
