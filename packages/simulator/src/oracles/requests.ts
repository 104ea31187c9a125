// Calls of one request to an entity, gathered: they must get one answer for as long as the entity
// remembers the request. Shared by the oracles of state machines and registers.

import type { Setting } from "../scenarios/scenario.js";
import { type Call, didNothing, groupBy, isOpen, precedes, retentionUs } from "./judge.js";

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

/** What was asked of one request, for as long as it is remembered. */
export interface Life<C> {
  readonly calls: readonly C[];
  /** One replay, of some life or of its own: it may have done something, or may not. */
  readonly loose: boolean;
}

/**
 * The calls of each request on each key, by their beginning; calls without a request id are groups
 * of their own. What may have been forgotten counts as new: a call for which it may begins a new
 * group. A mere replay of which nobody can tell whether it is of the old, the new or its own move is
 * a loose group.
 */
export function requestsOf<C extends Requesting>(
  calls: readonly C[],
  { times }: Pick<Setting, "times">,
  memory: Memory,
): Life<C>[] {
  const stands = retentionUs(times);
  const endOf = endsOf(calls);
  const groups: Life<C>[] = [];
  for (const onKey of groupBy(calls, ({ key }) => key).values()) {
    const rank = (call: C): string => call.input.requestId ?? `\n${call.id}`;
    const isForgotten = (first: C, call: C): boolean =>
      endOf(call) >= first.beganUs + stands || isCrowdedOut(first, call, onKey, memory, endOf);
    for (const ofRequest of groupBy(onKey, rank).values()) {
      groups.push(...livesOf(ofRequest, isForgotten));
    }
  }
  return groups;
}

function livesOf<C extends Requesting>(
  calls: readonly C[],
  isForgotten: (first: C, call: C) => boolean,
): Life<C>[] {
  const lives: C[][] = [];
  const loose: C[] = [];
  for (const call of [...calls].sort((a, b) => a.beganUs - b.beganUs)) {
    const life = lives.at(-1);
    const [first] = life ?? [];
    const isNew = first === undefined || isForgotten(first, call);
    const known =
      lives.length === 1 || life?.some((each) => isAnswer(each) && precedes(each, call));
    if (lives.length > 0 && isReplay(call) && (isNew || known !== true)) loose.push(call);
    else if (life === undefined || isNew) lives.push([call]);
    else life.push(call);
  }
  const [only] = lives;
  if (only !== undefined && lives.length === 1 && loose.length === 0) {
    return [{ calls: only, loose: false }];
  }
  // A call that was told late may have been told of a later life.
  const late = lives.map((life, index) => {
    const others = [...lives.slice(index + 1).flat(), ...loose];
    return life.filter((call) => isReplay(call) && others.some((each) => !precedes(call, each)));
  });
  return [
    ...lives.map((life, index) => ({
      calls: life.filter((call) => late[index]?.includes(call) !== true),
      loose: false,
    })),
    ...[...loose, ...late.flat()].map((call) => ({ calls: [call], loose: true })),
  ].filter(({ calls }) => calls.length > 0);
}

function fieldOf(call: Call, name: "replayed"): unknown {
  const { answer } = call;
  if (answer === undefined || "threw" in answer) return undefined;
  return (answer.returned as { readonly [field: string]: unknown } | undefined)?.[name];
}

/** Whether it was told what the request had been told before. */
function isReplay(call: Call): boolean {
  return fieldOf(call, "replayed") === true;
}

function isAnswer(call: Call): boolean {
  return fieldOf(call, "replayed") !== undefined;
}

/** When a call ended at the latest: by its answer, or by the crash that its node's next life shows. */
function endsOf(calls: readonly Call[]): (call: Call) => number {
  const births = new Map<string, number>();
  for (const { by, life, beganUs } of calls) {
    const key = `${by}#${life}`;
    births.set(key, Math.min(beganUs, births.get(key) ?? Number.POSITIVE_INFINITY));
  }
  const born = (by: string, life: number): number =>
    births.get(`${by}#${life}`) ?? Number.POSITIVE_INFINITY;
  return ({ by, life, endedUs }) => endedUs ?? Math.min(born(by, life + 1), born(by, life + 2));
}

/** Whether others may have pushed a request out of the window; a snapshot would show it. */
function isCrowdedOut<C extends Requesting>(
  first: C,
  call: C,
  onKey: readonly C[],
  memory: Memory,
  endOf: (call: C) => number,
): boolean {
  const window = windowOf(memory);
  if (call.input.withSnapshot || onKey.length <= window) return false;
  const untilUs = endOf(call);
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

/**
 * Two calls of one request, one after the other and each with its snapshot, that were both answered
 * anew: what came with a snapshot is told again or *expired*, however long ago it was answered.
 */
export function answeredAnew<C extends Requesting>(
  calls: readonly C[],
): readonly [C, C] | undefined {
  const first = new Map<string, C>();
  const anew = calls.filter((call) => {
    const { requestId, withSnapshot } = call.input;
    return requestId !== undefined && withSnapshot && fieldOf(call, "replayed") === false;
  });
  for (const call of anew.sort((a, b) => (a.endedUs ?? 0) - (b.endedUs ?? 0))) {
    const key = `${call.key}\n${call.input.requestId}`;
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, call);
    else if (precedes(earlier, call)) return [earlier, call];
  }
  return undefined;
}

/** Whether a call lasted so long that what it looked at first may be beyond the retention. */
export function outlasted({ beganUs, endedUs }: Call, { times }: Pick<Setting, "times">): boolean {
  return (endedUs ?? beganUs) - beganUs >= retentionUs(times);
}

/** Whether another request was under way at the same time. */
export function overlapsOther<C extends Requesting>(other: C, call: C): boolean {
  if (other.key !== call.key || other.id === call.id) return false;
  const { requestId } = other.input;
  const same = requestId !== undefined && requestId === call.input.requestId;
  return !same && !precedes(other, call) && !precedes(call, other);
}
