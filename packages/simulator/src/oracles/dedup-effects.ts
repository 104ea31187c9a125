// What dedup promises of effects: one charge per key where the sink or the transaction sees to it,
// and recorded steps that do not run again.

import { acceptedBy, spansOf } from "../scenarios/recorded.js";
import type { Guarantee } from "../scenarios/scenario.js";
import type { History, Span } from "../world/history.js";
import { namedRun } from "./attempts.js";
import { runsByKey } from "./dedup-context.js";
import { firstOf, groupBy, ms, retentionUs } from "./judge.js";

/** The bank accepts one charge per key. Scenarios say where it may take more. */
export const dedupEffectOnce: Guarantee = {
  id: "dedup/effect-once",
  sentence:
    "It happens once when it shares the store's transaction (`runInTransaction`); or when its sink dedups by `ctx.childKey(name)` for at least the retention; or when `onCrash` asks the sink, and the sink raises its fence to the new token in the same step as it answers.",
  judge(history, { times }) {
    const stands = retentionUs(times);
    return firstOf(
      groupBy(acceptedBy(history, "bank"), ({ key }) => key),
      ([key, charges]) => {
        const [first, ...more] = charges;
        const again = more.find(({ atUs }) => first !== undefined && atUs < first.atUs + stands);
        if (first === undefined || again === undefined) return undefined;
        return `the bank charged "${key}" for ${first.by} at ${ms(first.atUs)} and again for ${again.by} at ${ms(again.atUs)}`;
      },
    );
  },
};

/** Calls of steps, by key. */
function stepsByKey(history: History): Map<string, Span[]> {
  const methods = new Map(history.operations.map(({ id, method }) => [id, method]));
  const steps = spansOf(history, "step").filter(({ operation }) => {
    return operation === undefined || methods.get(operation) === "dedup.attempt";
  });
  return groupBy(steps, ({ key }) => key);
}

/**
 * A step's function is called once within a run, and in no later run once a handler saw its step
 * resolve: then it was recorded.
 */
export const dedupStepOnce: Guarantee = {
  id: "dedup/step-once",
  sentence: "`step(name, fn)` is not run again once recorded.",
  judge(history, setting) {
    const runs = runsByKey(history);
    const stands = retentionUs(setting.times);
    return firstOf(stepsByKey(history), ([key, steps]) => {
      const known = new Map((runs.get(key) ?? []).map((run) => [run.run, run]));
      return firstOf(steps.entries(), ([index, step]) => {
        const earlier = steps.slice(0, index).find((other) => {
          return isRepeated(other, step, stands);
        });
        if (earlier === undefined) return undefined;
        const run = known.get(Number(earlier.detail.run));
        const whose = run === undefined ? `run ${earlier.detail.run}` : namedRun(run);
        return `the step of "${key}" ran at ${ms(earlier.fromUs)} in ${whose}, and again at ${ms(step.fromUs)} in ${step.by}'s run ${step.detail.run}`;
      });
    });
  },
};

function isRepeated(earlier: Span, later: Span, stands: number): boolean {
  const sameName = earlier.detail.name === later.detail.name;
  if (!sameName || later.fromUs >= earlier.fromUs + stands) return false;
  if (earlier.detail.run === later.detail.run) return true;
  return earlier.result === "recorded" && (earlier.untilUs ?? later.fromUs) < later.fromUs;
}
