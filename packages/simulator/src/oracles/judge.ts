// What all oracles share: how they name calls and times, order them, compare values, and how much
// they allow for what a history cannot show.

import type { Times } from "../scenarios/scenario.js";
import type { Answer, History } from "../world/history.js";
import { oncePerHistory } from "./memo.js";

/** The node that asks after healing. */
export const LAST = "last";

/** What the oracles need of an operation, whatever its method. */
export interface Call {
  readonly id: number;
  readonly by: string;
  readonly life: number;
  readonly method: string;
  readonly key: string;
  readonly beganUs: number;
  readonly endedUs?: number;
  readonly answer?: Answer;
}

export function ms(us: number): string {
  return `${us / 1000} ms`;
}

/** An operation in words: who asked what, and when. */
export function named(call: Call): string {
  const until = call.endedUs === undefined ? "unanswered" : `until ${ms(call.endedUs)}`;
  const at = `from ${ms(call.beganUs)} ${until}`;
  return `${call.by}'s ${call.method}("${call.key}") #${call.id} (${at})`;
}

/** The code of the error that it threw. */
export function codeOf(call: Call): unknown {
  const { answer } = call;
  return answer !== undefined && "threw" in answer ? answer.threw.code : undefined;
}

/** Whether it was told that nothing can have happened. */
export function didNothing(call: Call): boolean {
  return codeOf(call) === "unavailable";
}

function outcomeOf(call: Call): unknown {
  const { answer } = call;
  if (answer === undefined || "threw" in answer) return undefined;
  const { returned } = answer;
  return typeof returned === "object" && returned !== null && "outcome" in returned
    ? returned.outcome
    : undefined;
}

/** Whether its effect is open: it may have happened, may not have, and may happen yet. */
export function isOpen(call: Call): boolean {
  const { answer } = call;
  if (answer === undefined) return true;
  return "threw" in answer ? !didNothing(call) : outcomeOf(call) === "indeterminate";
}

/** Whether one was answered before the other was asked. Equal times count as overlapping. */
export function precedes(
  earlier: { readonly endedUs?: number },
  later: { readonly beganUs: number },
): boolean {
  return earlier.endedUs !== undefined && earlier.endedUs < later.beganUs;
}

export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** The first violation among the groups. */
export function firstOf<T>(
  items: Iterable<T>,
  judge: (item: T) => string | undefined,
): string | undefined {
  for (const item of items) {
    const violation = judge(item);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

/** The last call on each key that the node `last` asked. */
export function lastAsked<C extends Call>(calls: readonly C[], keyOf: (call: C) => string): C[] {
  const latest = new Map<string, C>();
  for (const call of calls) {
    if (call.by !== LAST) continue;
    const key = keyOf(call);
    const known = latest.get(key);
    if (known === undefined || known.beganUs <= call.beganUs) latest.set(key, call);
  }
  return [...latest.values()];
}

/** What a call was answered, in words. */
export function told({ answer }: Call): string {
  if (answer === undefined) return "nothing";
  if ("threw" in answer) return `an error with code ${String(answer.threw.code)}`;
  return inWords(answer.returned);
}

export function inWords(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}

/** How far the store's clock may run ahead of the world's during a run, in leases. */
const STEPS_AHEAD_LEASES = 8;

/**
 * For how long after its finish an outcome certainly stands, in microseconds of the world. Retention
 * is counted on the store's clock, which a fault may step forward and which no history shows.
 */
export function retentionUs({ retentionMs, leaseMs }: Times): number {
  return Math.max(0, retentionMs - STEPS_AHEAD_LEASES * leaseMs) * 1000;
}

/** Tells when a life of a node was last seen to do something: it had not crashed before. */
export const lastSeen: (history: History) => (by: string, life: number) => number = oncePerHistory(
  (history) => {
    const seen = new Map<string, number>();
    const note = (by: string, life: number, atUs: number | undefined): void => {
      if (atUs === undefined) return;
      const key = `${by}#${life}`;
      if (atUs > (seen.get(key) ?? Number.NEGATIVE_INFINITY)) seen.set(key, atUs);
    };
    for (const { by, life, beganUs, endedUs } of history.operations)
      note(by, life, endedUs ?? beganUs);
    for (const { by, life, fromUs, untilUs } of history.spans) note(by, life, untilUs ?? fromUs);
    return (by, life) => seen.get(`${by}#${life}`) ?? Number.NEGATIVE_INFINITY;
  },
);
