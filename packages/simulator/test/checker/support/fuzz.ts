// The comparison of a checker with the independent judge over many random histories.

import type { checkHistory, Model, Operation, PartitionKey } from "@onceproof/simulator/checker";
import { type Shape, SMALL } from "./histories.ts";
import { isWitness, judge } from "./judge.ts";
import { historyOf, sources } from "./worlds.ts";

export type Check = typeof checkHistory;
type AnyModel = Model<unknown, unknown, unknown>;
type AnyHistory = readonly Operation<unknown, unknown>[];

export interface FuzzOptions {
  readonly seed: number;
  /** How many histories. */
  readonly count: number;
  readonly shape?: Shape;
}

export interface Fuzzed {
  /** By source: how many histories, and how many of them the judge calls violated. */
  readonly tried: readonly number[];
  readonly violated: readonly number[];
  /** The first history that was judged wrongly, with what is needed to see it again. */
  readonly wrong: string | undefined;
}

/** The same object without partitions: its state holds one state for each key. */
export function whole(model: AnyModel): AnyModel {
  if (model.partitionKey === undefined) {
    return model;
  }
  const keyOf = (input: unknown): PartitionKey => model.partitionKey?.(input) ?? "";
  type States = ReadonlyMap<PartitionKey, unknown>;
  return {
    name: model.name,
    init: () => new Map(),
    step(states, input, output) {
      const key = keyOf(input);
      const before = states as States;
      const step = model.step(before.has(key) ? before.get(key) : model.init(), input, output);
      const after = (state: unknown): States => new Map([...before, [key, state]]);
      if (!step.ok) {
        return step;
      }
      return "states" in step
        ? { ok: true, states: step.states.map(after) }
        : { ok: true, state: after(step.state) };
    },
  };
}

/** What is wrong with the checker's answer, if anything. */
function faultOf(
  check: Check,
  model: AnyModel,
  history: AnyHistory,
  right: boolean,
): string | undefined {
  const verdict = check(model, history);
  if (verdict.verdict !== (right ? "linearizable" : "violated")) {
    return `judged ${verdict.verdict}, but it is ${right ? "" : "not "}linearizable`;
  }
  if (verdict.verdict !== "linearizable") {
    return undefined;
  }
  const keyOf = ({ input }: Operation<unknown, unknown>) => model.partitionKey?.(input);
  const keys = new Set(history.map(keyOf));
  const parts = new Map(verdict.orders.map(({ partition, order }) => [partition, order]));
  const bad = [...keys].find((key) => {
    const part = history.filter((operation) => keyOf(operation) === key);
    return !isWitness(model, part, parts.get(key) ?? []);
  });
  return bad === undefined && keys.size === parts.size ? undefined : "its order is no witness";
}

/** Compares until the first difference. */
export function fuzz(check: Check, { seed, count, shape = SMALL }: FuzzOptions): Fuzzed {
  const tried = sources.map(() => 0);
  const violated = sources.map(() => 0);
  for (let number = 0; number < count; number += 1) {
    const { model, history } = historyOf(seed, number, shape);
    const at = number % sources.length;
    const right = judge(whole(model), history);
    tried[at]! += 1;
    violated[at]! += right ? 0 : 1;
    const fault = faultOf(check, model, history, right);
    if (fault !== undefined) {
      const shown = JSON.stringify(history);
      const wrong = `seed ${seed}, history ${number}, ${model.name}: ${fault}\n${shown}`;
      return { tried, violated, wrong };
    }
  }
  return { tried, violated, wrong: undefined };
}
