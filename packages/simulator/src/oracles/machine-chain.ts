// The moves of one entity as its history tells them, beside the requests that can have made them:
// the common ground of the state machine's oracles.

import {
  type OperationOf,
  operationsOf,
  type Recorded,
  returnedBy,
} from "../scenarios/recorded.js";
import type { Setting, Times } from "../scenarios/scenario.js";
import type { History } from "../world/history.js";
import { groupBy, retentionUs } from "./judge.js";
import { oncePerHistory } from "./memo.js";
import { type Life, type Memory, mattering, requestsOf, windowOf } from "./requests.js";

/** One call that fires an event. */
export type Fire = OperationOf<"machine.fire">;
/** One reading of an entity's history. */
export type Reading = OperationOf<"machine.history">;
/** One move, as a history tells it. */
export type Item = Recorded["machine.history"]["returned"][number];

function isReplay(call: Fire): boolean {
  const result = resultOf(call);
  return result !== undefined && "replayed" in result && result.replayed;
}

/** What a call was told. */
export function resultOf(call: Fire): Recorded["machine.fire"]["returned"] | undefined {
  return returnedBy<"machine.fire">(call);
}

/** Whether it was told the answer that its request has for good. */
export function isTold(call: Fire): boolean {
  const outcome = resultOf(call)?.outcome;
  return outcome === "moved" || outcome === "refused";
}

/** The calls of one request, and what they show. */
export interface Request {
  readonly id: string | undefined;
  /** Those that may have done something, by their beginning. */
  readonly calls: readonly Fire[];
  readonly answered: Fire | undefined;
  /** What it did, it did from here... */
  readonly fromUs: number;
  /** ...until here; endless if nobody was told. */
  readonly untilUs: number;
}

/** All that is known of one entity. */
export interface Entity {
  readonly key: string;
  readonly fires: readonly Fire[];
  readonly requests: readonly Request[];
  readonly readings: readonly Reading[];
  /** Until when it certainly forgets nothing for its age. */
  readonly remembersUntilUs: number;
}

function requestOf({ calls }: Life<Fire>): Request {
  const acting = mattering(calls, isTold);
  const answered = acting.filter(isTold).sort((a, b) => (a.endedUs ?? 0) - (b.endedUs ?? 0))[0];
  // Mere replays tell of an earlier time, which this group does not show.
  const fromUs = acting.every(isReplay) ? Number.NEGATIVE_INFINITY : acting[0]?.beganUs;
  return {
    id: calls[0]?.input.requestId,
    calls: acting,
    answered,
    fromUs: acting.length === 0 ? Number.POSITIVE_INFINITY : (fromUs ?? 0),
    untilUs: answered?.endedUs ?? Number.POSITIVE_INFINITY,
  };
}

/** Each entity that was fired at or read. */
export function entitiesOf(
  history: History,
  { times }: Setting,
  memory: Memory,
): readonly Entity[] {
  return entitiesIn(history, times, windowOf(memory));
}

const entitiesIn = oncePerHistory((history, times: Times, window: number): readonly Entity[] => {
  const fires = groupBy(operationsOf(history, "machine.fire"), ({ key }) => key);
  const readings = groupBy(operationsOf(history, "machine.history"), ({ key }) => key);
  return [...new Set([...fires.keys(), ...readings.keys()])].map((key) => {
    const fired = fires.get(key) ?? [];
    return {
      key,
      fires: fired,
      requests: requestsOf(fired, { times }, { window }).map(requestOf),
      remembersUntilUs: (fired[0]?.beganUs ?? 0) + retentionUs(times),
      readings: (readings.get(key) ?? []).filter((each) => {
        return each.answer !== undefined && "returned" in each.answer;
      }),
    };
  });
});

/** A move in order, and when it can have been made. */
export interface Move {
  readonly item: Item;
  readonly fromUs: number;
  readonly untilUs: number;
}

/** The moves that one reading tells, from first to last. */
export interface Chain {
  readonly reading: Reading;
  readonly moves: readonly Move[];
  /** False if the entity may have forgotten earlier moves. */
  readonly whole: boolean;
}

/** Whether an answer is the one that a move's request got. */
export function isAnswerOf(item: Item, call: Fire): boolean {
  const result = resultOf(call);
  return (
    result?.outcome === "moved" &&
    result.event === item.event &&
    result.from === item.from &&
    result.to === item.to &&
    result.atMs === item.atMs
  );
}

function moveOf(item: Item, { requests }: Entity): Move {
  const made = requests.filter(({ id, answered }) => {
    return id === item.requestId && answered !== undefined && isAnswerOf(item, answered);
  });
  const [only] = made;
  if (only !== undefined && made.length === 1) {
    return { item, fromUs: only.fromUs, untilUs: only.untilUs };
  }
  const ofRequest = requests.filter(({ id }) => id === item.requestId);
  const fromUs = Math.min(...ofRequest.map((request) => request.fromUs));
  return { item, fromUs, untilUs: Number.POSITIVE_INFINITY };
}

/** What a reading tells in each direction in which its moves follow one another: none, one or two. */
export function chainsOf(entity: Entity, reading: Reading, memory: Memory): Chain[] {
  const items = returnedBy<"machine.history">(reading) ?? [];
  const young = (reading.endedUs ?? reading.beganUs) < entity.remembersUntilUs;
  const whole = young && entity.fires.length < windowOf(memory);
  const directions = items.length > 1 ? [items, [...items].reverse()] : [items];
  return directions.filter(follows).map((inOrder) => ({
    reading,
    moves: inOrder.map((item) => moveOf(item, entity)),
    whole,
  }));
}

function follows(items: readonly Item[]): boolean {
  return items.every((item, index) => {
    const before = items[index - 1];
    return before === undefined || before.to === item.from;
  });
}
