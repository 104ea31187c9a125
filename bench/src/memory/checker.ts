// The linearizability checker on registers: short histories, as property tests check by the
// thousand, and long ones with many lost replies, which are hard.

import { checkHistory, registerModel } from "@onceproof/simulator/checker";
import { drawHistory, type RegisterOperation, type Shape } from "./checker-histories.js";

const SEEDS = 1_000;
const SHORT: Shape = { operations: 10, processes: 3, unknown: 2, values: 3 };
const LONG: Shape = { operations: 90, processes: 5, unknown: 25, values: 30 };

const model = registerModel(0);

function histories(shape: Shape): readonly (readonly RegisterOperation[])[] {
  return Array.from({ length: SEEDS }, (_, seed) => drawHistory(seed, shape));
}

/** By the steps that they take; times would differ from run to run. */
function byCost(shape: Shape): readonly (readonly RegisterOperation[])[] {
  return histories(shape)
    .map((history) => ({ history, steps: checkHistory(model, history).steps }))
    .sort((a, b) => a.steps - b.steps)
    .map(({ history }) => history);
}

function checkerCase(
  name: string,
  goalUs: number | undefined,
  batch: number,
  draw: () => readonly (readonly RegisterOperation[])[],
) {
  let drawn: readonly (readonly RegisterOperation[])[] | undefined;
  return {
    name: `checker: ${name}`,
    ...(goalUs !== undefined && { goalUs }),
    batch,
    async prepare() {
      drawn ??= draw();
      const all = drawn;
      return async (index: number) => checkHistory(model, all[index % all.length] ?? []).verdict;
    },
  };
}

export const checkerCases = [
  checkerCase("10 operations", 10, SEEDS, () => histories(SHORT)),
  checkerCase("90 operations, up to 25 unknown", undefined, SEEDS, () => histories(LONG)),
  // Ten histories around each rank, so that no single one decides.
  checkerCase("the same, the median by steps", 300, 10, () => byCost(LONG).slice(495, 505)),
  checkerCase("the same, the 99th of 100", 10_000, 10, () => byCost(LONG).slice(985, 995)),
];
