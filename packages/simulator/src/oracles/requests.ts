// Calls of one request to an entity, gathered: they must get one answer for as long as the entity
// remembers the request. Shared by the oracles of state machines and registers.

import type { Setting } from "../scenarios/scenario.js";
import { type Call, didNothing, groupBy, isOpen, retentionUs } from "./judge.js";

/** A call that may bear a request id. */
export interface Requesting extends Call {
  readonly input: { readonly requestId?: string; readonly withSnapshot: boolean };
}

/** How many requests an entity remembers, as the scenario makes it. */
export interface Memory {
  /** @defaultValue 256 */
  readonly window?: number;
}

/** The window of the docs, unless the scenario tells another. */
export function windowOf({ window }: Memory): number {
  return window ?? 256;
}

/**
 * The calls of each request on each key, by their beginning; calls without a request id are groups
 * of their own. A call for which the request may have been forgotten begins a new group: then it
 * counts as new.
 */
export function requestsOf<C extends Requesting>(
  calls: readonly C[],
  { times }: Setting,
  memory: Memory,
): C[][] {
  const stands = retentionUs(times);
  const groups: C[][] = [];
  for (const onKey of groupBy(calls, ({ key }) => key).values()) {
    const rank = (call: C): string => call.input.requestId ?? `\n${call.id}`;
    for (const ofRequest of groupBy(onKey, rank).values()) {
      let group: C[] = [];
      for (const call of [...ofRequest].sort((a, b) => a.beganUs - b.beganUs)) {
        const first = group[0];
        const outlived =
          first !== undefined &&
          (call.endedUs ?? Number.POSITIVE_INFINITY) >= first.beganUs + stands;
        if (first === undefined || outlived || isCrowdedOut(first, call, onKey, memory)) {
          group = [];
          groups.push(group);
        }
        group.push(call);
      }
    }
  }
  return groups;
}

/** Whether others may have pushed a request out of the window; a snapshot would show it. */
function isCrowdedOut<C extends Requesting>(
  first: C,
  call: C,
  onKey: readonly C[],
  memory: Memory,
): boolean {
  const window = windowOf(memory);
  if (call.input.withSnapshot || onKey.length <= window) return false;
  const untilUs = call.endedUs ?? Number.POSITIVE_INFINITY;
  const others = new Set<string | number>();
  for (const { id, input, beganUs, endedUs } of onKey) {
    if (input.requestId === call.input.requestId) continue;
    const between = beganUs <= untilUs && (endedUs ?? Number.POSITIVE_INFINITY) >= first.beganUs;
    if (between) others.add(input.requestId ?? id);
  }
  return others.size >= window;
}

/** The calls that may have done something, or were told that the request did. */
export function mattering<C extends Requesting>(
  calls: readonly C[],
  isTold: (call: C) => boolean,
): C[] {
  return calls.filter((call) => !didNothing(call) && (isTold(call) || isOpen(call)));
}
