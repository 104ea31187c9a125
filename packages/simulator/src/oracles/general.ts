// What holds of every call, whatever the algorithm: it settles, and *unavailable* means that nothing
// happened.

import type { Guarantee } from "../scenarios/scenario.js";
import type { History } from "../world/history.js";
import { didNothing, firstOf, LAST, ms, named } from "./judge.js";

/**
 * Each call of a node that did not crash has an answer. A history does not tell that a node crashed
 * but by its next life, so this judges calls of `last`, calls that were asked after healing, and
 * calls of lives that were still asking after it; and of all others too if the scenario's findings
 * tell in which life each node was at the end: `lives: { [node]: life }`, 0 if it was down.
 */
export const generalEveryCallSettles: Guarantee = {
  id: "general/every-call-settles",
  sentence: "Every call settles within the store's operation timeout.",
  judge(history) {
    const lives = aliveAtEnd(history);
    return firstOf(history.operations, (call) => {
      const { answer, by, life, beganUs } = call;
      if (answer !== undefined || !lives(by, life, beganUs)) return undefined;
      return `${named(call)} never got an answer, though ${by} did not crash`;
    });
  },
};

function aliveAtEnd(history: History): (by: string, life: number, atUs: number) => boolean {
  const healedUs = history.healedUs ?? Number.POSITIVE_INFINITY;
  const latest = new Map<string, number>();
  const healthy = new Set<string>();
  for (const { by, life, beganUs } of history.operations) {
    latest.set(by, Math.max(life, latest.get(by) ?? 0));
    if (beganUs > healedUs) healthy.add(`${by}#${life}`);
  }
  const lives = history.findings.lives as Readonly<Record<string, number>> | undefined;
  return (by, life, atUs) => {
    const known = lives?.[by];
    if (known !== undefined) return known === life;
    if (latest.get(by) !== life) return false;
    return by === LAST || atUs > healedUs || healthy.has(`${by}#${life}`);
  };
}

/** Who is told *unavailable* had no handler run, no step, no hold and no effect. */
export const generalUnavailableIsHonest: Guarantee = {
  id: "general/unavailable-is-honest",
  sentence:
    "A store that cannot be reached fails with *unavailable* only if nothing can have happened.",
  judge(history) {
    const calls = new Map(history.operations.filter(didNothing).map((call) => [call.id, call]));
    if (calls.size === 0) return undefined;
    for (const { operation, kind, fromUs } of history.spans) {
      const call = calls.get(operation ?? -1);
      if (call === undefined) continue;
      return `${named(call)} was told unavailable, though its ${kind} began at ${ms(fromUs)}`;
    }
    for (const { operation, sink, atUs, accepted } of history.effects) {
      const call = accepted ? calls.get(operation ?? -1) : undefined;
      if (call === undefined) continue;
      return `${named(call)} was told unavailable, though the ${sink} took its effect at ${ms(atUs)}`;
    }
    return undefined;
  },
};
